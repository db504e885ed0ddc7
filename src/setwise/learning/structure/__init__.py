"""Which labels depend on which: conditional trees and random fields."""
