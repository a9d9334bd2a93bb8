"""Addresses of servers, as they may be shown."""

from holdfast.machine.server_url import is_address, problem_with, without_password

SHOWN = {
    "postgresql://db/holdfast": "postgresql://db/holdfast",
    "postgres://ada:hunter2@db:5432/holdfast": "postgres://ada@db:5432/holdfast",
    "postgresql://ada:hun@ter/2@db/holdfast": "postgresql://ada@db/holdfast",
    "postgresql://:hunter2@db/holdfast": "postgresql://@db/holdfast",
    "postgresql://ada@db/x?password=hunter2": "postgresql://ada@db/x",
    "postgresql://db/x?sslmode=require&password=hunter2&a=b": "postgresql://db/x?sslmode=require&a=b",
    "postgresql://db/x?sslpassword=hunter2&user=ada": "postgresql://db/x?user=ada",
    "postgresql://a:hunter2@one:1,two:2/x": "postgresql://a@one:1,two:2/x",
}


def test_a_password_is_never_shown() -> None:
    assert {given: without_password(given) for given in SHOWN} == SHOWN


def test_an_address_is_one() -> None:
    texts = ("postgresql://h/x", "POSTGRES://h/x", "postgresql://a:1,b:2/x", "postgresql:///x")
    assert {text: (is_address(text), problem_with(text)) for text in texts} == dict.fromkeys(texts, (True, None))


def test_what_is_no_address_is_named_and_not_repeated() -> None:
    texts = ("mysql://h/x", "memory.db", "postgresql://h:port/x", "postgresql://u:hunter2@[h/x")
    problems = {text: problem_with(text) or "" for text in texts}
    assert [text for text, problem in problems.items() if not problem or "hunter2" in problem] == []
