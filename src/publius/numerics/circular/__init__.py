"""Statistics and transport on the circle and the sphere."""
