"""Taking identifiers apart."""

from holdfast.embedding.passages import space_names


def test_spaced_text_keeps_everything_but_the_joints() -> None:
    assert space_names("os.path isDir(my_file) 3.5 end.") == "os path is Dir(my file) 3 5 end."
