"""Taking identifiers apart."""

from holdfast.embedding.names import name_words, spaced


def test_compound_names_give_their_words() -> None:
    text = "call getUserName, HTTPServer.start_all and plain words in config.py"
    assert name_words(text) == "get User Name HTTP Server start all config py"


def test_prose_gives_nothing() -> None:
    assert name_words("Nothing here is compound, e.g. this.") == "e g"
    assert name_words("Plain words only") == ""


def test_spaced_text_keeps_everything_but_the_joints() -> None:
    assert spaced("os.path isDir(my_file) 3.5 end.") == "os path is Dir(my file) 3 5 end."
