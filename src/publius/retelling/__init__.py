"""Retelling: noisy content words go in, a public language model writes the text."""
