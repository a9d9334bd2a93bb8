"""Touch points: what a rule names."""

from holdfast.recall.act.touch import forbids, kept_points, points_of
from tests.table import table


@table(
    "text, points",
    [
        ("Use bun, never npm.", [("command", "bun"), ("command", "npm")]),
        ("Never git push to main", [("command", "git push"), ("name", "main")]),
        ("Don't touch db/seeds/ without asking", [("path", "db/seeds/")]),
        ("Leave `src/api/*.generated.ts` alone", [("path", "src/api/*.generated.ts")]),
        ("Run `pnpm test -- --run` before you commit", [("command", "pnpm test -- --run")]),
        ("Money goes through toCents, not parse_price", [("name", "toCents"), ("name", "parse_price")]),
        ("No @tanstack/react-query", [("name", "@tanstack/react-query")]),
        ("The API is at https://api.example.org/v2.", [("url", "https://api.example.org/v2")]),
        ("Answer in short sentences", []),
        ("We make go-to-market plans in python", []),
    ],
)
def test_a_rule_touches_what_it_names(text: str, points: list[tuple[str, str]]) -> None:
    assert set(points) <= set(points_of(text))
    assert bool(points) == any(sort != "name" for sort, _ in points_of(text)) or points


def test_touch_points_that_a_person_gave_take_the_place_of_those_of_the_text() -> None:
    assert kept_points("Use bun", {"touch": ["npm install", "package-lock.json", "Left"]}) == [
        ("command", "npm install"),
        ("path", "package-lock.json"),
        ("name", "Left"),
    ]
    assert kept_points("Use bun", {"touch": "broken"}) == [("command", "bun")]


def test_it_is_known_which_way_a_rule_points() -> None:
    assert forbids("Never use npm")
    assert forbids("Don\u2019t touch the seeds")
    assert not forbids("Commit messages are in English")
