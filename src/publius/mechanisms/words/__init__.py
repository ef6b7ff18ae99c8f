"""Word mechanisms by name: the table, and how each one is built from settings."""
