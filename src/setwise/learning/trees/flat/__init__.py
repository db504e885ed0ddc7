"""Tree models of other libraries as flat arrays, which our kernel evaluates and model files can hold."""
