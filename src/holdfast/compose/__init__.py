"""The composition: from a directory or an address to a service. Only here backends and embedders are named."""
