"""The tools that people already have: one module each."""
