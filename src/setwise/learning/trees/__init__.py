"""Trees over features: boosting and the growers of single trees."""
