"""Imports survive upkeep under defaults: the small version of the soak test."""

from pathlib import Path

from tests.upkeep.survival import assert_everything_survives


def test_imports_survive_two_years_of_upkeep_under_defaults(project: Path) -> None:
    """Three thousand and more: beyond the limit on what is promoted by itself."""
    assert_everything_survives(project, functions=400, commits=300, notes=2_400)
