"""Fill briefs with every sort of text at several budgets, for counting their real tokens.

    python scripts/sample_briefs.py tests/data/tokens/briefs.json
    node scripts/count_tokens.mjs tests/data/tokens/briefs.json

The counts are kept beside the briefs; a test fills them anew, and holds that none has more tokens than its budget.
"""

import json
import random
import string
import sys
from base64 import b64encode
from pathlib import Path

from holdfast.model.brief import BriefItem
from holdfast.recall.brief.budget import allocate, allocate_start
from holdfast.recall.brief.fill import BriefPart, BriefRules, FilledPage, Page, Piece, fill
from holdfast.recall.brief.render import STYLES, BriefEntry

TEXTS = Path(__file__).parents[1] / "tests" / "data" / "tokens" / "texts.json"
BUDGETS = (300, 700, 1_500, 4_000)
WORDS = "src app core lib auth users orders tests index view model query cache token".split()


def briefs() -> list[dict[str, object]]:
    """Return a prompt's brief and a session's start for every sort of text and budget, always the same."""
    samples: list[dict[str, object]] = []
    for name, texts in sorts().items():
        pieces = tuple(_piece(place, text) for place, text in enumerate(texts))
        rules = tuple(_piece(place, text) for place, text in enumerate(_lines(texts)))
        for budget in BUDGETS:
            style = STYLES[len(samples) // 2 % len(STYLES)]
            page = Page(style=style, nonce="0f1e2d3c", total=budget)
            for moment, filled in (("prompt", _on_prompt(page, pieces)), ("start", _at_start(page, rules))):
                title = f"{name} {style} {budget} {moment}"
                samples.append({"name": title, "budget": budget, "text": filled.text})
    return samples


def _on_prompt(page: Page, pieces: tuple[Piece, ...]) -> FilledPage:
    return fill(page, allocate(page.total), [BriefPart("retrieval", "retrieval", pieces)])


def _at_start(page: Page, rules: tuple[Piece, ...]) -> FilledPage:
    standing = BriefRules(pieces=rules, by_use=lambda: rules, more=lambda count: f"{count} more rules are known.")
    return fill(page, allocate_start(page.total), [], rules=standing)


def _lines(texts: list[str]) -> list[str]:
    """Return texts as rules: a line or two each."""
    return [text[start : start + 160] for text in texts for start in range(0, len(text), 160)]


def sorts() -> dict[str, list[str]]:
    """Return texts by sort: languages, code, and what is neither."""
    luck = random.Random(5)
    known = {one["name"]: one["text"] for one in json.loads(TEXTS.read_text("utf-8"))}
    groups: dict[str, list[str]] = {}
    for name, text in known.items():
        groups.setdefault(name.split("-")[0], []).append(text)
    groups["keys"] = [b64encode(luck.randbytes(900)).decode() for _ in range(5)]
    groups["hashes"] = [" ".join(luck.randbytes(16).hex() for _ in range(40)) for _ in range(5)]
    groups["paths"] = ["\n".join(_path(luck) for _ in range(40)) for _ in range(5)]
    groups["gibberish"] = [" ".join(_word(luck) for _ in range(200)) for _ in range(5)]
    groups["emoji"] = ["".join(luck.choices("😀🎉🚀👍🔥✨💡🐛✅ ", k=500)) for _ in range(5)]
    return groups


def _piece(place: int, text: str) -> Piece:
    entry = BriefEntry(ref=f"{place:08x}", kind="decision", date="2026-01-02", trust="user", text=text)
    return Piece(entry, BriefItem(id=str(place), kind="decision", tier="retrieval", score=1.0, why={}))


def _path(luck: random.Random) -> str:
    return "/".join(luck.choices(WORDS, k=3)) + f"/{_word(luck)}_{luck.randint(1, 99)}.py"


def _word(luck: random.Random) -> str:
    return "".join(luck.choices(string.ascii_lowercase, k=luck.randint(3, 11)))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(briefs(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
