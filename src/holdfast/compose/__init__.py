"""The composition: from a directory or an address to a service. The only package that names backends and embedders."""
