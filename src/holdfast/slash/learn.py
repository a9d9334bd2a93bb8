"""`/memory learn`: what an agent is asked to do with a whole session. The words are ours, and never the user's."""

LEARN = """The user ran /memory learn: do this now, and nothing else.

Go through what the user said in this session, from its beginning. Note what a colleague would have to know next
time: rules, preferences, decisions, corrections, facts that the code does not show. Leave out orders of work,
status, questions, thanks, what was pasted, and what only you said.

For each, one call of `memory_add` (or `holdfast add TEXT --quote WORDS`), at most ten:
- content: one sentence that stands alone, with its reason;
- quote: the user's exact words, four or more in a row, copied from their message.
Where a later word changed an earlier one, note the later one only. Where the answer says that a quote proves
nothing, copy the words again, or leave it.

Then tell the user what you noted, one line each."""
"""What an agent is asked to do."""


def learn() -> str:
    """Return what the agent is to do."""
    return LEARN
