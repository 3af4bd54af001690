"""What every part stands on: words, errors, files, locks, compiled loops."""
