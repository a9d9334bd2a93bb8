"""Settings: what can be set, where it is set, and changing one line of it."""
