"""Trees over features: boosting, and growers of single trees."""
