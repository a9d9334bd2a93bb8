"""What counts as a surprise, from lines as strace prints them: nothing here is really called."""

import pytest

from tests.traced.judge import Places, surprises
from tests.traced.trace import PYTHON, calls

HOME = "/users/ada"
OWN = Places([f"{HOME}/.local/share/holdfast", "/shop/.holdfast"], {"export": ["/shop/out.*"]})
AT = "AT_FDCWD</shop>"
INET = '{sa_family=AF_INET, sin_port=htons(%d), sin_addr=inet_addr("%s")}, 16'
INET6 = '{sa_family=AF_INET6, sin6_port=htons(443), inet_pton(AF_INET6, "%s", &sin6_addr), sin6_scope_id=0}, 28'

ANYWHERE = "0.0.0.0"  # noqa: S104 - nothing is bound


def judged(*lines: str) -> list[str]:
    return surprises(calls(f"7  {line}" for line in lines), OWN)


def test_what_holdfast_does_for_a_living_is_none(subtests: pytest.Subtests) -> None:
    for line in [
        f'openat({AT}, ".holdfast/memory.db", O_RDWR|O_CREAT|O_CLOEXEC, 0600) = 3</shop/.holdfast/memory.db>',
        f'openat({AT}, "/etc/passwd", O_RDONLY|O_CLOEXEC) = 3</etc/passwd>',
        f'openat({AT}, "/dev/null", O_RDWR) = 3</dev/null>',
        'openat(6</shop/.holdfast>, "log", O_WRONLY|O_CREAT, 0600) = 7</shop/.holdfast/log>',
        f'mkdir("{HOME}/.local", 0777) = 0',
        f'mkdir("{HOME}/.cache", 0777) = -1 EEXIST (File exists)',
        'rename("/shop/.holdfast/a.new", "/shop/.holdfast/a") = 0',
        'symlink("/elsewhere", "/shop/.holdfast/link") = 0',
        f'unlink("{PYTHON.removesuffix("/bin/python")}/lib/x/__pycache__/a.pyc") = 0',
        "socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3<socket:[1]>",
        f"connect(3<socket:[1]>, {INET % (7420, '127.0.0.1')}) = -1 EINPROGRESS (Operation now in progress)",
        f"bind(3<socket:[1]>, {INET6 % '::1'}) = 0",
        'sendto(3<socket:[1]>, "10.0.0.1"..., 80, 0, NULL, 0) = 80',
        'connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/shop/.holdfast/s"}, 110) = 0',
        "bind(3<socket:[1]>, {sa_family=AF_NETLINK, nl_pid=0, nl_groups=00000000}, 12) = 0",
        "+++ exited with 0 +++",
        "--- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=8} ---",
    ]:
        with subtests.test(line=line):
            assert judged(line) == []


def test_what_nobody_would_expect_is_named(subtests: pytest.Subtests) -> None:
    for line, problem in [
        (f'openat({AT}, "notes.txt", O_WRONLY|O_CREAT, 0666) = 3</shop/notes.txt>', "openat /shop/notes.txt"),
        (f'openat({AT}, "/etc/x", O_RDWR) = -1 EACCES (Permission denied)', "openat /etc/x"),
        (f'openat({AT}, ".holdfast/../x", O_WRONLY|O_CREAT, 0666) = 3</shop/x>', "openat /shop/x"),
        ('openat(6</users/ada/.cache>, "id", O_WRONLY|O_CREAT, 0600) = 7', f"openat {HOME}/.cache/id"),
        (f'mkdir("{HOME}/.cache", 0700) = 0', f"mkdir {HOME}/.cache"),
        (f'mkdir("{HOME}/.local/share/other", 0700) = 0', f"mkdir {HOME}/.local/share/other"),
        ('mkdir("relative", 0700) = 0', "mkdir relative"),
        ('rename("/shop/.holdfast/a", "/shop/a") = 0', "rename /shop/a"),
        ('unlink("/shop/.holdfast-other/a") = 0', "unlink /shop/.holdfast-other/a"),
        ('unlink("/somewhere/__pycache__/a.pyc") = 0', "unlink /somewhere/__pycache__/a.pyc"),
        (f'openat({AT}, "/etc/resolv.conf", O_RDONLY|O_CLOEXEC) = 3', "looks a name up: reads /etc/resolv.conf"),
        (f"connect(3<socket:[1]>, {INET % (53, '192.0.2.1')}) = 0", "connect 192.0.2.1 port 53"),
        (f"connect(3<socket:[1]>, {INET % (53, '127.0.0.53')}) = 0", "connect 127.0.0.53 port 53"),
        (f"connect(3<socket:[1]>, {INET6 % '2001:db8::1'}) = -1 ENETUNREACH (x)", "connect 2001:db8::1 port 443"),
        (f"bind(3<socket:[1]>, {INET % (7420, ANYWHERE)}) = 0", f"bind {ANYWHERE} port 7420"),
        (f'sendto(3<socket:[1]>, ""..., 9, 0, {INET % (9, "192.0.2.1")}) = 9', "sendto 192.0.2.1 port 9"),
        (
            f"sendmsg(3<socket:[1]>, {{msg_name={(INET % (9, '192.0.2.1'))[:-4]}, msg_namelen=16}}, 0) = 9",
            "sendmsg 192.0.2.1 port 9",
        ),
        (
            'connect(3<socket:[1]>, {sa_family=AF_UNIX, sun_path="/run/systemd/resolve/io"}, 110) = 0',
            "connect to the socket /run/systemd/resolve/io",
        ),
        ("connect(3<socket:[1]>, {sa_family=AF_BLUETOOTH, x=1}, 12) = 0", "connect over AF_BLUETOOTH"),
    ]:
        with subtests.test(line=line, problem=problem):
            assert judged(line) == [f": {problem}"]


def test_a_call_that_was_cut_in_two_is_put_together() -> None:
    begun = f"7  connect(3<socket:[1]>, {INET % (443, '192.0.2.1')} <unfinished ...>"
    other = f'8  openat({AT}, "/etc/passwd", O_RDONLY) = 3'
    rest = "7  <... connect resumed>) = -1 ENETUNREACH (Network is unreachable)"
    assert surprises(calls([begun, other, rest]), OWN) == [": connect 192.0.2.1 port 443"]


def test_what_a_command_was_told_to_write_is_no_surprise_while_it_runs() -> None:
    write = f'openat({AT}, "out.jsonl", O_WRONLY|O_CREAT, 0600) = 3</shop/out.jsonl>'
    marks = [f'openat({AT}, "/mark/{label}", O_RDONLY) = -1 ENOENT (x)' for label in ("export", "list")]
    assert judged(marks[0], write, marks[1], write) == ["list: openat /shop/out.jsonl"]


def test_a_line_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(AssertionError, match="what is this"):
        judged("what is this")
