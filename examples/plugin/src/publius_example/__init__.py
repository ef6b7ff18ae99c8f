"""A mechanism, an attack and an embedding for Publius."""
