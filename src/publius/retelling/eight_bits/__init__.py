"""Write text with a small Llama in 8-bit integers, on any processor, without torch."""
