"""Methods that combine many models of the labels: mixtures of chains, averages of trees, committees."""
