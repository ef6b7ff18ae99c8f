"""Text in: lossless tokens, casing, stop words, bigrams, term counts."""
