"""One file per method: parameters, reference, and a ``fit`` that chooses the parts."""
