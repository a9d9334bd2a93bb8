"""What briefs said, when something in them is forgotten: a text that tells of it goes whole.

An excerpt of a brief is cut anywhere, so nobody could tell which of its words are left of what is to be gone.
"""

from collections.abc import Collection, Iterable

from holdfast.capture.restatement import Wording
from holdfast.model.limits import BRIEF_TEXTS
from holdfast.ports import Store


def forget_told(store: Store, ids: Collection[str], words: Iterable[str]) -> None:
    """Let go of what briefs said that name one of the entries, or say their words; inside a transaction."""
    texts = store.receipts.texts()
    if not texts:
        return
    naming_ids = {
        receipt.id
        for receipt in store.receipts.recent(BRIEF_TEXTS)
        if any(item.id in ids for item in receipt.items)
    }
    contents = list(dict.fromkeys(words))
    phrases = [phrase for content in contents if (phrase := _flat(content))]
    wording = Wording(contents)
    gone_ids = [
        receipt_id
        for receipt_id, text in texts.items()
        if receipt_id in naming_ids or _says(text, phrases, wording)
    ]
    store.receipts.reword(dict.fromkeys(gone_ids, ""))


def forget_told_since(store: Store, moment: int) -> None:
    """Let go of all that was said in briefs since a session began: they may have told what was said in it."""
    texts = store.receipts.texts()
    later_ids = [receipt.id for receipt in store.receipts.recent(BRIEF_TEXTS) if receipt.at >= moment]
    store.receipts.reword({receipt_id: "" for receipt_id in later_ids if receipt_id in texts})


def _says(text: str, phrases: Iterable[str], wording: Wording) -> bool:
    flat_text = _flat(text)
    return any(phrase in flat_text for phrase in phrases) or bool(wording.spans(text, loosely=True))


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
