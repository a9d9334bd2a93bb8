"""Reading a session with a model that the user has at hand, behind `ports.Extractor`; off unless one is named."""
