"""What is handed out, built once for every test that wants it."""

import pytest

from tests.packaging.distributions import ROOT, Archives, build


@pytest.fixture(scope="session")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    """Both, built once."""
    return build(ROOT, tmp_path_factory.mktemp("dist"))
