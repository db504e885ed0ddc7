"""What each view of the page shows, as plain data: one file per question."""
