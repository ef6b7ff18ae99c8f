"""What a mechanism costs and what it leaves, in numbers people use."""
