"""Claims in plain words that a setting is ignored, or that data land elsewhere than in the cache
directory.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_MAIN = "config/config.yaml"
_IGNORED = re.compile(
    r"\b(?:(?:is|are|gets?|being)? ?(?:completely |silently |entirely )?ignored|(?:is|are)"
    r" (?:never|not) (?:used|"
    r"read|applied|honou?red|consumed)|unused)\b"
)
_SETTING = re.compile(
    r"^(?:the |a |an )?(?P<what>[\w -]{3,60}?)"
    r" (?:flag|option|setting|parameter|switch|field|key)\b(?P<rest>.*)$"
)
_REQUESTED = re.compile(
    r"^(?:the |a |an )?(?P<what>[\w -]{3,60}?) (?:that is |which is"
    r" )?(?:requested|specified|defined|declared|set|"
    r"configured|given|asked for|required) "
    r"(?:in|by)(?: the| all| some)? (?:run[- ]?)?(?:specific )?(?:config\w*|ya?mls?)\b"
)
_FILLER = frozenset(
    [
        "flag",
        "option",
        "setting",
        "parameter",
        "switch",
        "field",
        "key",
        "in",
        "the",
        "of",
        "for",
        "config",
        "configs",
        "configuration",
        "run",
        "runs",
        "yaml",
        "yamls",
        "file",
        "files",
        "a",
        "an",
        "is",
        "are",
    ]
)
_LEAST = 4


@check("ignored_words")
def ignored_words(case: Case) -> Answer:
    """A setting named in plain words is ignored where the one key, or the one value, that it means
    occurs in no Python file.
    """
    said = re.sub(r"[`*\"]", "", case.said)
    ignored = _IGNORED.search(said)
    if ignored is None or case.claim.hedged:
        return None
    before = said[: ignored.start()]
    match = _REQUESTED.search(before) or _SETTING.search(before)
    if match is None or "," in match["what"] or " and " in match["what"]:
        return None
    words = [word for word in re.findall(r"[a-z][a-z0-9]+", match["what"]) if word not in _FILLER]
    found = [hit for hit in _settings(case) if _means(words, hit)]
    names = {name for name, _, _ in found}
    if not found or len(names) != 1:
        return None
    name, value, _ = found[0]
    span = case.search.config.line(found[0][2], name) or Span(found[0][2])
    asked_for = isinstance(value, str) and any(
        _stem(word) in {_stem(part) for part in re.split(r"[_\W]+", value.casefold())}
        for word in words
    )
    if (
        _is_read(case, name)
        if asked_for and not _occurs(case, str(value))
        else _occurs(case, name.rpartition(".")[2])
    ):
        return None
    told = f"the value {value!r}, nor reads that key" if asked_for else "that name"
    return confirmed(f"{span} sets {code(name)}, and no Python file has {told}", span)


def _settings(case: Case) -> Iterator[tuple[str, object, str]]:
    """Key, value and path of every setting of the run files and of config.yaml outside search
    spaces.
    """
    for path, tree in case.search.config.values.items():
        for key, value in _leaves(tree, "", 0):
            if "search_space" not in key:
                yield key, value, path


def _leaves(tree: object, above: str, depth: int) -> Iterator[tuple[str, object]]:
    if isinstance(tree, dict) and depth < 12:
        for name, value in tree.items():
            path = f"{above}.{name}" if above else str(name)
            yield path, value
            yield from _leaves(value, path, depth + 1)


def _means(words: list[str], setting: tuple[str, object, str]) -> bool:
    """Whether every word is one of the key's last name, or the value's and the rest the key's."""
    name, value, _ = setting
    key = {_stem(part) for part in re.split(r"[_.\W]+", name.rpartition(".")[2].casefold()) if part}
    if "lr" in key:
        key |= {"learn", "rate"}
    given = (
        {_stem(part) for part in re.split(r"[_\W]+", value.casefold())}
        if isinstance(value, str)
        else set()
    )
    stems = {_stem(word) for word in words if len(word) >= _LEAST}
    return bool(stems) and (
        stems <= key or (bool(stems & given) and stems <= key | given and bool(stems & key))
    )


def _stem(word: str) -> str:
    """The part of a word that British and American spelling, and its noun and verb, have in
    common.
    """
    word = word.replace("isation", "ization").replace("ise", "ize")
    return re.sub(r"(?:ization|izers?|ized?|izing|ations?|ing|s)$", "", word)


def _occurs(case: Case, word: str) -> bool:
    """Whether code, comments and docstrings left out, has a word, in British or American
    spelling.
    """
    either = re.compile(
        rf"(?<![a-z]){re.sub('i[sz](?=ation|e|ing)', 'i[sz]', re.escape(word.casefold()))}(?![a-z])"
    )
    return any(
        either.search(text) for file in case.facts.python.values() for text in _code_words(file)
    )


def _code_words(file: PythonFile) -> Iterator[str]:
    if file.tree is None:
        yield file.text.casefold()
    for node in file.nodes:
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                yield name.casefold()
    yield from (literal.value.casefold() for literal in file.strings if not literal.is_docstring)


def _is_read(case: Case, key: str) -> bool:
    """Whether some file reads a key of that section: `cfg.dataset.tokenizer`, or the name as a
    string.
    """
    section, _, last = key.rpartition(".")
    above = section.rpartition(".")[2]
    read = re.compile(rf"\b{re.escape(above)}\w*\.{re.escape(last)}\b|[\"']{re.escape(last)}[\"']")
    return any(read.search(file.text) for file in case.facts.python.values())


_OUTSIDE = re.compile(
    r"\b(?:outside|not (?:be |guaranteed to be"
    r" )?(?:stored|placed|kept|cached|located|saved|written|follow\w*)|"
    r"does not follow|instead of|violat\w+|bypass\w*)\b"
    r"[^;]*\.cache|\.cache\b[^;]*\b(?:not"
    r" (?:used|honou?red|respected|followed|enforced)|ignored|violated|bypassed)"
)
_DATA = re.compile(r"\bdata-?sets?\b|\bdata\b|\bdownloads?\b|\bcifar\b|\bcached?\b")
_FOLDER_KEY = re.compile(r"^(?:data|dataset|download|cache)_?(?:dir|root|path|folder)$|^root$")


@check("cache_folder")
def cache_folder(case: Case) -> Answer:
    """Data land outside `.cache/` where every run names another folder and the loading code takes
    it as it stands.
    """
    if (
        not _OUTSIDE.search(case.said)
        or not _DATA.search(case.said)
        or re.search(r"\bwandb\b|\bmodels? (?:are|is)\b", case.said)
    ):
        return None
    keys = case.search.config
    per_run: list[tuple[str, str, str]] = []
    for path, tree in keys.runs.items():
        hit = next(
            (
                (path, key, value)
                for key, value in _leaves(tree, "", 0)
                if _FOLDER_KEY.match(key.rpartition(".")[2])
                and isinstance(value, str)
                and ".cache" not in value
                and "${" not in value
            ),
            None,
        )
        if hit is None:
            return None
        per_run.append(hit)
    if not per_run:
        return None
    path, key, value = per_run[0]
    last = key.rpartition(".")[2]
    for source in ("src/preprocess.py", "src/train.py"):
        number = (
            _taken_as_it_stands(case.facts.python[source], last)
            if source in case.facts.python
            else None
        )
        if number is not None:
            told = (
                f"{source}:{number} takes the folder from the configuration, and"
                f" {keys.line(path, key)} gives {value!r}"
            )
            return confirmed(told, Span(source, number))
    return None


def _taken_as_it_stands(file: PythonFile, key: str) -> int | None:
    """The line that reads a folder from the configuration and joins it to no other."""
    for node in file.nodes:
        read = isinstance(node, ast.Attribute) and node.attr == key and "cfg" in ast.unparse(node)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and node.args
        ):
            first = node.args[0]
            read = (
                isinstance(first, ast.Constant)
                and first.value == key
                and "cfg" in ast.unparse(node.func)
            )
        if not read:
            continue
        around = [
            above
            for above in file.ancestors(node)
            if isinstance(above, ast.BinOp | ast.Call | ast.JoinedStr)
        ]
        if not any(
            isinstance(above, ast.BinOp | ast.JoinedStr) or "join" in ast.unparse(above)
            for above in around
        ):
            return int(getattr(node, "lineno", 0))
    return None


_PREVENTS = re.compile(
    r"\b(?:interface|cli|argument|command[-"
    r" ]line|signature|contract)\b[^.;]{0,20}\b(?:mismatch|violation|deviation|"
    r"difference)\b[^.;]*"
    r"\b(?:prevents?|blocks?|stops?|breaks?|makes? [^.;]*impossible|rules?"
    r" out)\b[^.;]*\b(?:execution|evaluation|"
    r"run|running|stage|step|phase)\b"
)


@check("cli_mismatch")
def cli_mismatch(case: Case) -> Answer:
    """ "This interface mismatch prevents the evaluation" is true where the documented command stops
    in evaluate.py.
    """
    if (
        not _PREVENTS.search(case.said)
        or case.claim.hedged
        or re.search(r"\bsrc[./](?:main|train)\b|\btraining\b", case.said)
    ):
        return None
    finding = next(case.decided_by("cli-contract"), None)
    return confirmed(finding.check.evidence, finding.span) if finding is not None else None


_IS_HARD_CODED = re.compile(
    r"^\W*(?:the |its |an? )?(?P<what>[\w. -]{3,60}?) (?:is|are) (?:all )?hard-?coded\b(?!"
    r" (?:to|as|nowhere|anywhere)\b)"
    r"(?:,? (?:instead|rather|and|but)\b.*|,? in `?\S+\.py`?)?\W*$"
)


@check("hard_coded")
def hard_coded(case: Case) -> Answer:
    """A setting is hard-coded where the one thing given to it is a number; it is not where the code
    takes it from cfg.
    """
    match = _IS_HARD_CODED.search(re.sub(r"[`*\"]", "", case.said))
    if (
        match is None
        or case.claim.hedged
        or re.search(r"\bwandb\b|\bentity\b|\bproject\b|\bevaluate\.py\b|\bmetric\b", case.said)
    ):
        return None
    words = [
        word
        for word in re.findall(
            r"[a-z][a-z0-9]+", match["what"].rpartition(".")[2].replace("_", " ")
        )
        if word not in _FILLER
    ]
    if any(name in case.search.defined for name in case.claim.own.names):
        return None
    names = {name for name, value, path in _settings(case) if _means(words, (name, None, path))}
    if len(names) != 1:
        return None
    name = names.pop()
    files = [path for path in case.claim.own.files if path in case.facts.python] or [
        path for path in case.facts.python if "evaluate" not in path
    ]
    for path in files:
        file = case.facts.python[path]
        for node in file.nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
                continue
            if re.fullmatch(rf"\w*(?:cfg|config)\.{re.escape(name)}", ast.unparse(node)):
                line = code(case.facts.code(Span(path, node.lineno)).strip(), 90)
                told = f"{path}:{node.lineno} takes it from the configuration: {line}"
                return (
                    None if _given_as_number(file, name) else remark(told, Span(path, node.lineno))
                )
    return None


def _given_as_number(file: PythonFile, name: str) -> bool:
    """Whether a call is also given the setting, or its usual short name, as a number."""
    last = name.rpartition(".")[2]
    names = (last, "lr" if last == "learning_rate" else last)
    for node in file.nodes:
        if (
            isinstance(node, ast.keyword)
            and node.arg in names
            and isinstance(node.value, ast.Constant)
        ):
            return True
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Constant)
            and ast.unparse(node.targets[0]) in names
        ):
            return True
    return False
