"""Linear pools: how much of the probability each joint gets."""
