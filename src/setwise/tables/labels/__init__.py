"""The labels of a table: columns of 0 and 1, or lists of tags."""
