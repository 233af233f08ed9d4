"""Claims that a configuration gives a key some value: the YAML files say which."""

import re
from collections.abc import Iterator

from reviewers.bundles.yaml_text import load_yaml
from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.claims.statements import known
from reviewers.records import Span

_KEY = r"[A-Za-z_]\w*(?:\.\w+)*"
_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|\$\{[^}\n]*\}|\[[^\]\n]*\]|-?\d[\w.+-]*|[A-Za-z_./][\w./-]*)"
_PAIR = re.compile(rf"`?(?P<key>{_KEY})`?\s?(?:=|:)\s?`?(?P<value>{_VALUE})`?(?![\w(\[])")
_SET_TO = re.compile(
    rf"`?(?P<key>{_KEY})`?(?: (?:and|/) `?(?P<second>{_KEY})`?)? "
    r"(?:(?:is|are) (?:(?:set|fixed|equal) (?:to|at|as)|(?=`?-?\d))|defaults? to) ?"
    rf"`?(?P<value>{_VALUE})`?(?:(?: and | ?/ ?)`?(?P<other>{_VALUE})`?)?"
)
_SETS = re.compile(rf"\bsets? `?({_KEY})`? to `?({_VALUE})`?")
_RUNS = re.compile(
    r"\brun[- ](?:specific )?(?:config\w*|ya?mls?|files?)\b|\bruns?/\S*ya?ml\b|"
    r"\bconfig files\b|\bconfigs\b|\bconfigurations\b|\byamls?\b"
)
_MAIN = re.compile(
    r"\bbase config|\bconfig/config\.ya?ml\b|\bmain config|(?<![/\w])config\.ya?ml\b"
)
_LISTED = re.compile(r"-\s+`?\w+:|\bgroups?\b|\bdefaults (?:list|entry|section)\b", re.IGNORECASE)
_MAIN_PATH = "config/config.yaml"


@check("config_value")
def config_value(case: Case) -> Answer:
    """True where every file that the claim means and that has the key gives it that value; false
    where none does.
    """
    text = case.claim.text
    paths = list(_paths(case))
    pairs = list(_pairs(text))
    if (
        case.claim.hedged
        or case.denies
        or _LISTED.search(text)
        or not paths
        or not pairs
        or _left(case, text)
    ):
        return None
    shown: list[str] = []
    wrong: list[tuple[str, Span, object]] = []
    where: Span | None = None
    for key, value in pairs:
        has = [
            (path, found)
            for path in paths
            for found in [_value(case.search.config.values.get(path), key)]
            if found is not None
        ]
        if not has or (len(has) < len(paths) and _RUNS.search(case.said)):
            return None
        if any(isinstance(found[0], dict | list) for _, found in has):
            return None
        other = [(path, found) for path, found in has if str(found[0]) != str(value)]
        if other and len(other) < len(has):
            return None
        path, found = (other or has)[0]
        span = case.search.config.line(path, key) or Span(path)
        where = where or span
        if other:
            wrong.append((key, span, found[0]))
        shown.append(
            f"{code(key)} is {found[0]!r} in"
            f" {path if len(has) == 1 else f'each of {len(has)} files, such as {path}'}"
        )
    if wrong:
        return (
            remark(
                f"{wrong[0][1]} gives {code(wrong[0][0])} the value {wrong[0][2]!r}", wrong[0][1]
            )
            if len(pairs) == 1
            else None
        )
    return confirmed(join(shown), where)


def assigned_pairs(text: str) -> tuple[list[tuple[str, object]], str]:
    """The keys that a text gives values, and the text without those words."""
    return list(_pairs(text)), _PAIR.sub(" ", _SET_TO.sub(" ", text))


def _pairs(text: str) -> Iterator[tuple[str, object]]:
    text = _SETS.sub(r" \1 is set to \2", text)
    for match in _SET_TO.finditer(text):
        yield match["key"], _read(match["value"])
        if match["second"]:
            yield match["second"], _read(match["other"] or match["value"])
    if not _SET_TO.search(text):
        yield from ((match["key"], _read(match["value"])) for match in _PAIR.finditer(text))


def _read(value: str) -> object:
    if value.startswith("${"):
        return value
    read = load_yaml(f"value: {value.rstrip('.')}")
    return read.value.get("value") if isinstance(read.value, dict) else value


def _paths(case: Case) -> Iterator[str]:
    """The files that are meant: the one named, the base configuration, else those of the runs."""
    named = [path for path in case.claim.own.files if path.endswith((".yaml", ".yml"))]
    if any(path.endswith(".py") for path in case.claim.own.files):
        return
    runs = [
        run.file.path for run in case.facts.submission.runs if run.run_id in case.claim.own.runs
    ]
    if named or runs:
        yield from named or runs
    elif _MAIN.search(case.said):
        yield _MAIN_PATH
    elif _RUNS.search(case.said):
        yield from case.search.config.runs
    elif _SET_TO.search(case.claim.text) and re.search(r"\$\{", case.claim.text):
        yield from case.search.config.values


def _value(tree: object, key: str) -> tuple[object] | None:
    """The value of a dotted key at any depth, where only one key ends so; in a tuple, since it may
    be None.
    """
    found = list(_ending(tree, key.split("."), (), 0))
    return (found[0],) if len(found) == 1 else None


def _ending(
    tree: object, wanted: list[str], above: tuple[str, ...], depth: int
) -> Iterator[object]:
    if not isinstance(tree, dict) or depth > 12:
        return
    for name, value in tree.items():
        path = (*above, str(name))
        if list(path[-len(wanted) :]) == wanted:
            yield value
        yield from _ending(value, wanted, path, depth + 1)


def _left(case: Case, text: str) -> bool:
    """Whether the claim says more than which key has which value."""
    text = _SET_TO.sub(" ", text)
    text = _PAIR.sub(" ", text)
    for name in (*case.claim.own.runs, *case.claim.own.files):
        text = text.replace(name, " ")
    words = re.findall(r"[a-z][\w'-]*", re.sub(r"\([^()]*\)", " ", text).casefold())
    return any(word not in known().of_config and word not in known().filler for word in words)
