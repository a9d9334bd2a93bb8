"""The links of the audit log."""

from holdfast.stores.sql.records import ROOT, link


def test_a_link_covers_every_part_of_an_event_and_the_one_before() -> None:
    """Any change makes another hash."""
    base = link(ROOT, "add", "cli", 1, ["x"], {"n": 1})
    others = [
        link("1" * 64, "add", "cli", 1, ["x"], {"n": 1}),
        link(ROOT, "remove", "cli", 1, ["x"], {"n": 1}),
        link(ROOT, "add", "python", 1, ["x"], {"n": 1}),
        link(ROOT, "add", "cli", 2, ["x"], {"n": 1}),
        link(ROOT, "add", "cli", 1, ["y"], {"n": 1}),
        link(ROOT, "add", "cli", 1, ["x"], {"n": 2}),
    ]
    assert len({base, *others}) == 7


def test_a_link_does_not_depend_on_how_the_detail_was_laid_out() -> None:
    """Order of keys and kind of sequence do not count: a store writes them as JSON."""
    assert link(ROOT, "add", "cli", 1, ("x",), {"a": 1, "b": (2,)}) == link(
        ROOT, "add", "cli", 1, ["x"], {"b": [2], "a": 1}
    )
