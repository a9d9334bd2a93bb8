"""Names say what things are: one class name one meaning, hardly a bare participle."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src" / "holdfast"
MOST_PARTICIPLES = 0.02
"""The share in well-kept packages is .001; some public names of ours are words such as `pinned`."""
PRONOUNS_AND_PARTICIPLES = set(
    """
    one ones other others each it this that these those they them mine yours ours theirs both some any all
    none such who whom whose which what near found told said made kept asked given known seen left gone done
    taken held sent written meant chosen drawn heard shown broken begun grown thrown forgotten hidden spoken
    brought bought caught felt got laid led lent lost met paid put sold spent stood taught thought understood
    """.split()
)
NOUNS_IN_ED = set("need seed speed feed bed shed weed breed hundred embed exceed proceed succeed".split())
"""Words that end like a participle and are none."""


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield every file of the package, parsed, with its path from the top."""
    for path in sorted(SOURCE.rglob("*.py")):
        yield str(path.relative_to(SOURCE)), ast.parse(path.read_text(encoding="utf-8"))


def bound_names(tree: ast.AST) -> Iterator[str]:
    """Yield every name that is bound: functions, classes, parameters, variables, attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def is_bare_participle(name: str) -> bool:
    """Say whether a name only tells what happened to a thing, or stands for a thing unnamed."""
    word = name.strip("_").lower()
    return word in PRONOUNS_AND_PARTICIPLES or bool(
        re.fullmatch("[a-z]{2,}ed", word) and word not in NOUNS_IN_ED and name.strip("_")[1:] == word[1:]
    )


def test_a_class_name_means_one_thing() -> None:
    """Backends repeat the names of the facets on purpose."""
    homes = defaultdict(list)
    for path, tree in modules():
        if not path.startswith("stores/"):
            for node in ast.walk(tree):
                if isinstance(node, ast.ClassDef):
                    homes[node.name].append(path)
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


def test_names_are_hardly_ever_bare_participles_or_pronouns() -> None:
    names = Counter(name for _, tree in modules() for name in bound_names(tree) if not name.startswith("__"))
    bare = Counter({name: times for name, times in names.items() if is_bare_participle(name)})
    share = bare.total() / names.total()
    assert share <= MOST_PARTICIPLES, f"{share:.3f}: {bare.most_common(40)}"
