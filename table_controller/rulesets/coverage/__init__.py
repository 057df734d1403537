"""What becomes of every infraction that the sources' catalogues list."""
