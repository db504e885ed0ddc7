"""Multi-label classification that predicts whole label sets from their joint distribution."""
