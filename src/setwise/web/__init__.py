"""Models behind HTTP: questions as plain data, the application with its guards, the server and its protocols."""
