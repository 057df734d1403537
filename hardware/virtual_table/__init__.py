"""A whole table in software: machine on a serial port, cameras as video."""
