"""From data to parameters: linear learners, counting, trees, structure and mixtures."""
