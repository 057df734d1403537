"""One camera's eye: frames in, sightings out, one identity per tile."""
