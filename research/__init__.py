"""What measures edge2vec and compares it with the paper; no part of the package."""
