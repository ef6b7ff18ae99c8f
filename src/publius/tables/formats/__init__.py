"""One module per file format; `read.py` and `write.py` hold the tables of them."""
