"""The linear learners on rows in blocks: what their solvers need is summed over the blocks."""
