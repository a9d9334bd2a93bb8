"""VS Code: what is installed into it (`install`)."""
