"""What the report shows beyond `edge2vec evaluate`: each a function that appends JSON lines."""
