"""Experiments of chapter 6 of the thesis: sentence autoencoders on reviews."""
