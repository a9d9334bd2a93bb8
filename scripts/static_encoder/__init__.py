"""How the table of the static question encoder was made: `collect` gathers, `train` trains and writes it."""
