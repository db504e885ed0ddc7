"""One classifier per label: independent, in chains, given the other labels, or over whole sets."""
