"""Scripts that measure accuracy, time and memory; README.md has what they printed."""
