"""How right a board is: by the truth, and by a calibrated probability without it."""
