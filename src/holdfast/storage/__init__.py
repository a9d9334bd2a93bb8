"""Find the project, decide whether its store is trusted, open it. Only here backends and embedders are named."""
