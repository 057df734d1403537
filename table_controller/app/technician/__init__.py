"""What a technician calls: calibration, enrolment of the tiles, the doctor."""
