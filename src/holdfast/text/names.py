"""The names of files and of errors in running text. Light: shared by classification and topics.

Whether such a file exists is not asked. A name needs a known extension or is one of the few well-known names
without: "e.g.", "15.4" and "Postgres/MySQL" are no files. Library names that look like files ("moment.js") count;
nothing in the text tells them apart.
"""

from holdfast.model.patterns import regex

_EXTENSIONS = (
    "py pyi js jsx ts tsx mjs cjs go rs rb java kt c h cc cpp hpp cs php swift scala sh ps1 sql md rst txt "
    "json jsonl yaml yml toml ini cfg conf env lock xml html htm css scss vue svelte ipynb tf proto gradle "
    "po csv mod dockerignore gitignore"
)

FILE = regex(
    r"(?<![\w./-])(?:[\w.@-]{1,80}/){0,12}[\w@.-]{0,80}\."
    rf"(?:{_EXTENSIONS.replace(' ', '|')})(?![\w/])"
    r"|\b(?:Dockerfile|Makefile|Jenkinsfile|Procfile)\b"
)

SYSTEM_ERRORS = (
    "EPERM|ENOENT|EINTR|EIO|ENXIO|E2BIG|ENOEXEC|EBADF|EAGAIN|ENOMEM|EACCES|EFAULT|EBUSY|EEXIST|EXDEV|ENODEV|ENOTDIR|EISDIR"
    "|EINVAL|ENFILE|EMFILE|ENOTTY|ETXTBSY|EFBIG|ENOSPC|ESPIPE|EROFS|EMLINK|EPIPE|EDOM|ERANGE|EDEADLK|ENAMETOOLONG|ENOLCK"
    "|ENOSYS|ENOTEMPTY|ELOOP|EPROTO|EOVERFLOW|EILSEQ|ENOTSOCK|EMSGSIZE|EPROTOTYPE|ENOTSUP|EOPNOTSUPP|EAFNOSUPPORT"
    "|EADDRINUSE|EADDRNOTAVAIL|ENETDOWN|ENETUNREACH|ENETRESET|ECONNABORTED|ECONNRESET|ENOBUFS|EISCONN|ENOTCONN|ETIMEDOUT"
    "|ECONNREFUSED|EHOSTDOWN|EHOSTUNREACH|EALREADY|EINPROGRESS|ESTALE|EDQUOT|ECANCELED"
    "|EAI_AGAIN|ENOTFOUND|ERESOLVE|EUSAGE|ELIFECYCLE|EINTEGRITY|EBADENGINE|ETARGET|EJSONPARSE|ENOWORKSPACES|EOTP"
)
"""What the operating system and package managers call errors: `ELIXIR` or `ENGLISH` in a path is none."""
