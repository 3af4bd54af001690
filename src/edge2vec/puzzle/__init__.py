"""Pictures, pieces and puzzles: reading, cutting, damaging, writing."""
