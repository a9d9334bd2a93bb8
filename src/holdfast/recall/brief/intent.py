"""What a prompt wants of an agent: to do something, to recall what was agreed, or only to be answered.

Rules apply to work. Who asks what a word means, wants a file explained or says good morning is not told them,
unless they are plainly about it. Told by how a prompt begins and by whom it speaks of; wording that no project
owns. Must not live here: what a prompt is about (`prompt`), and how near anything must come to it (`relevance`).
"""

import re

from holdfast.model.patterns import regex

ACT, RECALL, ASK, READ, TALK = INTENTS = ("act", "recall", "ask", "read", "talk")
"""Do something or fix something; say what was agreed; explain the world; show or describe what is there; chat."""

MOST_CHARS = 400
"""How much of a prompt says what it wants: the rest is what it is about."""

_LEAD = (
    r"\s*(?:(?:hi|hey|hello|ok(?:ay)?|so|and|but|well|please|pls|thanks|now|also|quick question|btw|hm+)\b"
    r"[\s,:.!-]*)*"
    r"(?:(?:can|could|would|will) (?:you|u|we) (?:please )?|please |pls |i(?:'d| would) like (?:you )?to |"
    r"i want (?:you )?to |help me (?:to )?|let'?s |just )*"
)
_ASKS = regex(
    _LEAD + r"(?:what(?:'?s)?|which|who(?:se)?|when|where|why|how|is (?:it|there|this|that|the)|"
    r"are (?:there|these|the)|does|do (?:i|you)|did|in this)\b",
    re.IGNORECASE,
)
_READS = regex(
    _LEAD + r"(?:explain|describe|summari[sz]e|show|read|tell|list|find|look up|compare|convert|translate|draw|"
    r"suggest|proofread|brainstorm|rewrite|recommend|count|print|give me|understand|walk me|"
    r"make a (?:table|list|summary|diagram|report)|rename|typo|undo|revert your|extract lines)\b",
    re.IGNORECASE,
)
_TALKS = regex(
    r"\s*(?:(?:hi|hey|hello|good (?:morning|evening|night)|thx|thanks|thank you|continue|go on|yes|no|ok(?:ay)?|"
    r"sure|perfect|great|done|nice|please|that'?s (?:it|all)|for (?:today|now))\b[\s,.!]*)+$",
    re.IGNORECASE,
)
_ONLY_TALKS = regex(
    r"\b(?:no code|just (?:explain|curious)|don'?t (?:change|make) any|not this project)\b", re.IGNORECASE
)
_REQUESTS = regex(r"\s*(?:can|could|would|will) (?:you|u|we)\b", re.IGNORECASE)
_AGREEMENT_WORDS = regex(
    r"\b(?:we|our|ours|us|(?:may|should|can|do|did) i|supposed to|decided|agreed|settled|rule|policy|convention|"
    r"standard|remember|last time)\b",
    re.IGNORECASE,
)
"""Words of who speaks of those who work on the project and of what they agreed on."""

_TROUBLE = regex(r"\b(?:should|again|bug|wrong|errors?|broken|fail\w*|down)\b", re.IGNORECASE)
"""Words of who asks about the state of the project rather than about the world."""


def intent_of(prompt: str) -> str:
    """Say what a prompt wants."""
    text, head = prompt.strip(), prompt.strip()[:MOST_CHARS]
    if not text or _TALKS.match(head):
        return TALK
    if _READS.match(head) or _ONLY_TALKS.search(head):
        return READ
    if _AGREEMENT_WORDS.search(head):
        return RECALL
    if _ASKS.match(head):
        return ACT if _TROUBLE.search(head) else ASK
    return RECALL if _ends_in_a_question(text) else ACT


def _ends_in_a_question(text: str) -> bool:
    """Say whether a few sentences lead up to a question: it is about what they tell of, not about the world."""
    return len(text) <= MOST_CHARS and text.endswith("?") and not _REQUESTS.match(text)
