"""Where EM starts."""
