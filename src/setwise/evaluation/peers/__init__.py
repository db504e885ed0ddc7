"""Other libraries: their joints, and an environment of their own in which they are fitted."""
