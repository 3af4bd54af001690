"""Checks of what a solution rests on: the sheet the pieces came from, and what was assumed."""
