"""What stands for a memory or a turn in the vector index."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdfast.embedding.passages import LONGEST_BY_SENTENCE, embed_named, memory_passages, turn_passages


class ByUnderscore:
    """Embeds a text as one of two directions, by whether it holds an underscore."""

    model = "underscore"
    dimensions = 2

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1, 0] if "_" in text else [0, 1] for text in texts], np.float32).reshape(-1, 2)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        row: NDArray[np.float32] = self.embed([text])[0]
        return row


def test_a_title_taken_from_the_content_is_not_repeated() -> None:
    assert memory_passages("Use SQLite", "Use SQLite because it is local.") == ["Use SQLite because it is local."]
    assert memory_passages("Use SQLi…", "Use SQLite because it is local.") == ["Use SQLite because it is local."]


def test_a_title_of_its_own_leads() -> None:
    assert memory_passages("Storage", "Use SQLite.") == ["Storage\nUse SQLite."]
    assert memory_passages("", "Use SQLite.") == ["Use SQLite."]


def test_a_person_is_embedded_by_the_sentence_too_and_led_by_a_name() -> None:
    assert turn_passages("Ann", "Hi. Bye.") == ["Ann: Hi. Bye.", "Ann: Hi.", "Ann: Bye."]
    assert turn_passages("user", "Hi. Bye.") == ["Hi. Bye.", "Hi.", "Bye."]


def test_an_agent_is_embedded_by_chunks_alone() -> None:
    assert turn_passages("assistant", "Hi. Bye.") == ["Hi. Bye."]


def test_a_paste_is_embedded_by_chunks_alone() -> None:
    text = "One. Two. " * (LONGEST_BY_SENTENCE // 9)
    assert len(turn_passages("user", text)) < 10


def test_names_are_averaged_in_where_there_are_some() -> None:
    rows = embed_named(ByUnderscore(), ["my_name", "plain"])
    np.testing.assert_allclose(rows, [[0.5**0.5, 0.5**0.5], [0, 1]], atol=1e-6)


def test_no_passages_give_no_rows() -> None:
    assert embed_named(ByUnderscore(), []).shape == (0, 2)
