"""Mixtures: EM, gates and experts, how a mixture starts, grows and is tuned."""
