"""Any photograph, read without calibration."""
