"""Words that say nothing of what is asked for. A constant, shared with hooks."""

STOP_WORDS = frozenset(
    (
        "a about above after again all also am an and any are as at be because been before being below "
        "between both but by can could did do does doing down during each few for from further get had has "
        "have having he her here hers him his how i if in into is it its itself just me more most my myself "
        "no nor not now of off on once only or other our ours out over own same she should so some such "
        "than that the their theirs them then there these they this those through to too under until up us "
        "very was we were what when where which while who whom why will with would you your yours "
    ).split()
)
