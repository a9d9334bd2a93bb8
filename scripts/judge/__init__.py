"""How the judge's models were made: `data` reads the labelled talk, `light` and `full` train on it."""
