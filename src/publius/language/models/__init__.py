"""Models of language that run without a framework: sentence encoder, causal model."""
