"""The verbs, and what each is made of. `service` is the way in."""
