"""Text out: protected words replaced, everything else accounted for."""
