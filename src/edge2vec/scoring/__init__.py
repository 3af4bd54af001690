"""Scores of compatibilities and boards against the truth."""

from edge2vec.scoring.metrics import BoardScore, score_board, top1

__all__ = ["BoardScore", "score_board", "top1"]
