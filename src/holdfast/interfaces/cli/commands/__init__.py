"""One file for each group of commands; `main.COMMANDS` names them, so that only the one called is imported."""
