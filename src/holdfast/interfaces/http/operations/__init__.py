"""Every operation of the REST interface, in groups; `table` has all of them."""
