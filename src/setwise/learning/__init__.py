"""Data to parameters: batched logistic regression, the softmax gate, structure and regularisation."""
