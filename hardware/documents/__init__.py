"""Documents that a program makes: pin table, wiring, camera mount, calibration sheet."""
