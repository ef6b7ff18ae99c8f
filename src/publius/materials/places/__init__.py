"""Places on the globe."""
