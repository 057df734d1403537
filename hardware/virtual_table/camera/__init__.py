"""What overhead cameras see of a scene: faces, renderer, optics, video stream, recordings."""
