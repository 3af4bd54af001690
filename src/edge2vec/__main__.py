"""`python -m edge2vec` is the command `edge2vec`."""

from edge2vec.cli.main import main

main()
