"""Roo Code: what is installed into it (`install`). It has no hooks."""
