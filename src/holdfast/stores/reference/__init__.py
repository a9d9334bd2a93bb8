"""A plain in-memory store: the readable statement of what every store must do. For tests and for reading."""
