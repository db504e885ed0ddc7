"""The search of the automatic choice: budgets, costs, folds, candidates, and the pool of the best."""
