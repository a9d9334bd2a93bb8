"""Questions with a gap, filled from what was gathered: about a project's work, and about people's lives."""

import random

from scripts.static_encoder.gathered import Gathered

NAMES = (
    "Anna Ben Carla David Emma Frank Grace Henry Irene Jack Karen Liam Maria Nate Olivia Paul Quinn Rachel Sam"
    " Tina Victor Wendy"
).split()
WORK = [
    "how do we handle {}",
    "why did we choose {}",
    "what did we decide about {}",
    "where is {} configured",
    "fix {}",
    "Please implement {}",
    "{} fails",
    "error in {}",
    "how to {} in python",
    "python {}",
    "{} python",
    "python how to {}",
    "what is {}",
    "Can you add tests for {}?",
    "What is the rule for {}?",
    "The build breaks: {}",
    "Refactor {}",
    "when did we change {}",
    "bug: {}",
    "Should {} be the default?",
    "Remember that {}",
]
LIFE = [
    "When did {n} {}?",
    "What did {n} say about {}?",
    "Did {n} mention that {}?",
    "How many times did I {}?",
    "What was the name of {}?",
    "Where did {n} go when {}?",
    "How long ago did I {}?",
    "How many {} did I buy?",
    "I told you that {}",
    "What is {n}'s opinion on {}?",
    "How does {n} feel about {}?",
    "{n}: {}",
    "Can you remind me {}?",
    "Which {} did I mention?",
    "What kind of {} does {n} like?",
    "How many days passed between {} and {}?",
    "What did I do with the {} last weekend?",
]


def templates(texts: dict[str, str]) -> Gathered:
    """Questions made of the texts gathered: about a project's work, and about people's lives."""
    into = Gathered()
    topics = [
        text.rstrip(".")
        for text, kind in texts.items()
        if kind in ("docs.heading", "commit.subject", "docstring.first", "code.name") and len(text) < 70
    ]
    said = [
        text.rstrip(".?!").lower()
        for text, kind in texts.items()
        if kind.startswith("talk") and 12 < len(text) < 70
    ]
    nouns = [text for text, kind in texts.items() if kind == "wordnet.word"]
    for _ in range(110_000):
        into.text(random.choice(WORK).format(random.choice(topics)), "template.work")
    for _ in range(110_000):
        form = random.choice(LIFE).replace("{n}", random.choice(NAMES))
        filled = (
            random.choice(said) if random.random() < 0.5 else random.choice(nouns) for _ in range(form.count("{}"))
        )
        into.text(form.format(*filled), "template.life")
    return into
