"""Text on its way in: stripped, normalised, redacted, taken apart into what was said. Light."""
