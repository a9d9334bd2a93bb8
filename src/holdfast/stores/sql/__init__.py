"""What the SQL backends share: the facets of a store over named queries, whatever the server or file behind them.

`tables.Tables` is what a backend has to offer; each has its own `.sql` files, with the same names of queries.
"""
