"""What plots share: the base class, colours, names on figures, the rows that are looked at."""
