"""What can be protected: words, sentences, times and places."""
