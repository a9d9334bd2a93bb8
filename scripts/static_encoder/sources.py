"""What the static question encoder learns from: every repository with what of it is read and its licence."""

import re
from typing import NamedTuple


class Source(NamedTuple):
    """A repository, what of it is read, and the licence of that part."""

    name: str
    licence: str
    reader: str
    files: str = ""
    most: int = 10_000


SOURCES = [
    Source("kubernetes/website", "CC BY 4.0", "markdown", r"^content/en/.*\.md$", 1500),
    Source("github/docs", "CC BY 4.0", "markdown", r"^content/.*\.md$", 3500),
    Source("dotnet/docs", "CC BY 4.0", "markdown", r"^docs/.*\.md$", 4500),
    Source("MicrosoftDocs/azure-devops-docs", "CC BY 4.0", "markdown", r"^docs/.*\.md$", 1700),
    Source("MicrosoftDocs/PowerShell-Docs", "CC BY 4.0", "markdown", r"^reference/.*\.md$", 1700),
    Source("vuejs/docs", "CC BY 4.0", "markdown", r"^src/.*\.md$", 200),
    Source("reactjs/react.dev", "CC BY 4.0", "markdown", r"^src/content/.*\.md$", 400),
    Source("docker/docs", "Apache-2.0", "markdown", r"^content/.*\.md$", 1700),
    Source("rust-lang/book", "MIT or Apache-2.0", "markdown", r"^src/.*\.md$", 200),
    Source("django/django", "BSD-3-Clause", "markdown", r"^docs/.*\.txt$", 800),
    Source("nodejs/node", "MIT", "markdown", r"^doc/.*\.md$", 400),
    Source("PostHog/posthog.com", "MIT (its contents folder)", "markdown", r"^contents/.*\.mdx?$", 2000),
    Source("sourcegraph/handbook", "Apache-2.0", "markdown", r"^content/.*\.md$", 900),
    Source("authelia/authelia", "Apache-2.0", "markdown", r"^docs/content/.*\.md$", 300),
    Source("huginn/huginn", "MIT", "markdown", r"\.md$", 50),
    Source("postgres/postgres", "PostgreSQL (MIT-style)", "markdown", r"^doc/src/sgml/.*\.sgml$", 300),
    Source("awsdocs/aws-doc-sdk-examples", "Apache-2.0", "markdown", r"README\.md$", 600),
    Source("ThreeMammals/Ocelot", "MIT", "markdown", r"^docs/.*\.(rst|md)$", 100),
    Source("PostgREST/postgrest", "MIT", "markdown", r"^docs/.*\.rst$", 100),
    Source("pennersr/django-allauth", "MIT", "markdown", r"^docs/.*\.rst$", 200),
    Source("simonw/sqlite-utils", "Apache-2.0", "markdown", r"^docs/.*\.(md|rst)$", 50),
    Source("simonw/llm", "Apache-2.0", "markdown", r"^docs/.*\.md$", 50),
    Source("feathersjs/feathers", "MIT", "markdown", r"^docs/.*\.md$", 150),
    Source("30-seconds/30-seconds-of-code", "CC0-1.0", "markdown", r"^snippets/.*\.md$"),
    Source("LukeSmithxyz/based.cooking", "Unlicense (public domain)", "markdown", r"^content/.*\.md$", 500),
    Source("tldr-pages/tldr", "CC BY 4.0", "tldr", r"^pages/.*\.md$", 6000),
    Source("golang/go", "BSD-3-Clause", "commits", most=16_000),
    Source("postgres/postgres", "PostgreSQL (MIT-style)", "commits", most=16_000),
    Source("nodejs/node", "MIT", "commits", most=16_000),
    Source("django/django", "BSD-3-Clause", "commits", most=16_000),
    Source("kubernetes/website", "CC BY 4.0", "commits", most=12_000),
    Source("docker/docs", "Apache-2.0", "commits", most=12_000),
    Source("nats-io/nats-server", "Apache-2.0", "commits", most=12_000),
    Source("juice-shop/juice-shop", "MIT", "commits", most=8_000),
    Source("authelia/authelia", "Apache-2.0", "commits", most=10_000),
    Source("encode/httpx", "BSD-3-Clause", "commits"),
    Source("encode/starlette", "BSD-3-Clause", "commits"),
    Source("tornadoweb/tornado", "Apache-2.0", "commits"),
    Source("knex/knex", "MIT", "commits"),
    Source("go-acme/lego", "MIT", "commits"),
    Source("hynek/structlog", "MIT or Apache-2.0", "commits"),
    Source("docker/docker-py", "Apache-2.0", "commits"),
    Source("procrastinate-org/procrastinate", "MIT", "commits"),
    Source("cloudfoundry/credhub", "Apache-2.0", "commits"),
    Source("git-ecosystem/git-credential-manager", "MIT", "commits"),
    Source("NVIDIA/garak", "Apache-2.0", "commits"),
    Source("TheAlgorithms/Python", "MIT", "python", r"\.py$"),
    Source("awsdocs/aws-doc-sdk-examples", "Apache-2.0", "python", r"\.py$", 1500),
    Source("google-research-datasets/Taskmaster", "CC BY 4.0", "utterances", r"^TM-4-2024/data/.*\.json$"),
    Source("clinc/oos-eval", "CC BY 3.0", "intents", r"^data/data_full\.json$"),
    Source("PolyAI-LDN/task-specific-datasets", "CC BY 4.0", "table", r"^banking_data/(train|test)\.csv$"),
    Source("sonos/nlu-benchmark", "CC0-1.0", "slots", r"^2017-06-.*/train_\w+_full\.json$"),
    Source(
        "common-voice/common-voice",
        "CC0-1.0 (server/data/en/LICENSE)",
        "lines",
        r"^server/data/en/(?!wiki|single|fxvoice).*\.txt$",
    ),
    Source("openai/grade-school-math", "MIT", "problems", r"\.jsonl$", 6),
    Source("GITenberg/Pride-and-Prejudice_1342", "public domain", "book", r"^1342-0\.txt$"),
]
PERMISSIVE = re.compile(
    r"\b(MIT|0?BSD\w*|Apache\w*|PSF\w*|Python Software Foundation|ISC\w*|CC0|Unlicense|Public Domain|HPND|Zlib)\b",
    re.I,
)
OTHERWISE = re.compile(
    r"GPL|GNU|MPL|Mozilla|EPL|CDDL|Propriet|Commercial|NVIDIA|Share|BY-SA|BY-NC|Artistic|Eclipse|CNRI", re.I
)
