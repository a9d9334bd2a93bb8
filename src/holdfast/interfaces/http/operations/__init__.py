"""Every operation of the REST interface, in groups; `routes` has all of them."""
