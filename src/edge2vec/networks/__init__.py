"""The learned measures' networks: configurations and weights without torch, modules with it."""
