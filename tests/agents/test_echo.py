"""What an agent repeats is not its own word."""

from holdfast.agents.events import sentences, without_echo

TOLD = "Prices are stored in integer cents. Retries wait 250 ms and double."


def test_only_sentences_that_were_told_are_taken_out_however_they_are_spelt() -> None:
    reply = "As noted, that holds here too.\nprices are stored in Integer cents.\nI changed the parser."
    assert (
        without_echo(reply, frozenset(sentences(TOLD)))
        == "As noted, that holds here too.\n\nI changed the parser."
    )


def test_short_sentences_are_anybodys() -> None:
    assert without_echo("All done.", frozenset(sentences("All done."))) == "All done."
