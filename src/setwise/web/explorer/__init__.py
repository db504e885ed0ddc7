"""The explorer: a page on which a person sees what a model says, reviews labels and takes the corrections home."""
