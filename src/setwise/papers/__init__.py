"""The five papers: their printed tables, the recipes behind them, and reproduction."""
