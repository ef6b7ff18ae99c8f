"""Whole sentences, written anew."""
