"""Boards whose shape nobody knows: frames found from the scores, holes, pictures told apart."""
