"""Teach the language model to write a passage from noisy words, on public text."""
