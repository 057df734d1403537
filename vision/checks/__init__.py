"""Whether a camera still shows what its calibration says."""
