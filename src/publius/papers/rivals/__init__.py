"""The rivals of retelling, side by side, and what a subject alone gives away."""
