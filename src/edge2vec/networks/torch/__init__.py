"""The networks as torch modules: for training, and for running on a GPU."""
