"""Methods that score labels: rankings, output codes and boosting, without a joint of their own."""
