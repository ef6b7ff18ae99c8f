"""Words of a text: lossless tokens, casing, stop words, WordNet, language models."""
