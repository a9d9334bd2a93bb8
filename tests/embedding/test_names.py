"""Taking identifiers apart."""

from holdfast.embedding.names import spaced


def test_spaced_text_keeps_everything_but_the_joints() -> None:
    assert spaced("os.path isDir(my_file) 3.5 end.") == "os path is Dir(my file) 3 5 end."
