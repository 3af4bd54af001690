"""How well edges fit: ranked, made one-to-one, consistent around loops."""
