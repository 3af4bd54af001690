"""How the learned measures are trained; nothing else in the package imports this."""
