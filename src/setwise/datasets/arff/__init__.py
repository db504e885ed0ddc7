"""ARFF files of multi-label data, in the styles of MEKA and of Mulan."""
