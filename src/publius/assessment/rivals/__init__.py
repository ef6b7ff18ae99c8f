"""Rivals of the release mechanisms: for the lab's comparisons, never for a release."""
