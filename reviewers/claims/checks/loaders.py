"""Claims about what preprocessing makes: loaders for which data, and a tokenizer with a padding
token.
"""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.facts.python_file import PythonFile
from reviewers.records import Span

_DEFAULT = "src/preprocess.py"
_ONLY_LOADERS = re.compile(
    r"\bonly\b[^.;]{0,30}?(?P<kinds>\b(?:train\w*|val\w*|eval\w*|test)\b(?:\s*(?:,|and|&|/|\+)\s*\b(?:train\w*|val\w*|eval\w*|test)\b)*)"
    r"[^.;]{0,15}\b(?:data-?)?loaders?\b"
)
_NO_LOADER = re.compile(
    r"\b(?:no|without|missing|lacks?|never (?:creates?|builds?))(?: an?| the| any)?"
    r" (?P<kind>test|val\w*|train\w*|eval\w*)[ _-]"
    r"(?:data-?)?loaders?\b|"
    r"\b(?P<other>test|val\w*|train\w*|eval\w*)[ _-](?:data-?)?loaders? (?:is|are)"
    r" (?:missing|absent|never|not)\b"
)
_STEMS = ("train", "val", "test")


@check("loaders")
def loaders(case: Case) -> Answer:
    """Which loaders are made is read off the names that the DataLoader calls are given."""
    only, without = _ONLY_LOADERS.search(case.said), _NO_LOADER.search(case.said)
    only = (
        only
        if re.search(
            r"\b(?:creat|build|built|mak|return|defin|provid|construct|prepar)\w*", case.said
        )
        else None
    )
    if case.claim.hedged or case.claim.own.errors or not (only or without):
        return None
    for path, file in case.python(_DEFAULT):
        calls = [
            call for call in file.calls if (call.name or "").rpartition(".")[2] == "DataLoader"
        ]
        kinds = [_kind(file, call.node) for call in calls]
        if not calls or None in kinds or file.tree is None:
            return None
        made = {kind for kind in kinds if kind}
        span = Span(path, calls[0].line, calls[-1].line)
        shown = join(
            [f"{kind} on line {call.line}" for kind, call in zip(kinds, calls, strict=True) if kind]
        )
        if only:
            said = {_stem(word) for word in re.findall(r"[a-z]+", only["kinds"])}
            return (
                confirmed(f"{path} makes loaders for {shown}, and no others", span)
                if said - {None} == made
                else None
            )
        wanted = _stem((without["kind"] or without["other"]) if without else "")
        if wanted is not None and wanted not in made:
            return confirmed(f"{path} makes loaders for {shown}, and none for {wanted}", span)
        line = next(
            (call.line for kind, call in zip(kinds, calls, strict=True) if kind == wanted), None
        )
        return (
            remark(f"{path}:{line} makes the loader for {wanted}", Span(path, line))
            if line
            else None
        )
    return None


def _stem(word: str) -> str | None:
    return (
        "val"
        if word.startswith("eval")
        else next((stem for stem in _STEMS if word.startswith(stem)), None)
    )


def _kind(file: PythonFile, call: ast.Call) -> str | None:
    """What a loader is for, by the name of the variable that gets it."""
    outer = file.parents.get(call)
    target = outer.targets[0] if isinstance(outer, ast.Assign) else None
    name = target.id if isinstance(target, ast.Name) else ""
    found = {stem for stem in _STEMS if re.search(rf"(?:^|_){stem}", name.casefold())}
    found |= {"val"} if re.search(r"(?:^|_)(?:eval|dev)", name.casefold()) else set()
    return found.pop() if len(found) == 1 else None


_PADDING = re.compile(
    r"\b(?:no|never|not|without|lacks?|missing|n['’]t)\b[^.;]*\bpad(?:ding)?[ _]token\b|"
    r"\bpad(?:ding)?[ _]token\b[^.;]*\b(?:never|not|missing)\b"
)


@check("padding_token")
def padding_token(case: Case) -> Answer:
    """ "The tokenizer has no padding token" is false where the code gives it one."""
    if (
        case.claim.hedged
        or not _PADDING.search(case.said)
        or re.search(r"\b(?:embedding|resiz\w*|config|model)\b", case.said)
    ):
        return None
    for path, file in case.python() or case.facts.python.items():
        for node in file.nodes:
            if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Store):
                continue
            if node.attr in ("pad_token", "pad_token_id") and "tokeni" in ast.unparse(node.value):
                return remark(
                    f"{path}:{node.lineno} has {code(file.lines[node.lineno - 1])}",
                    Span(path, node.lineno),
                )
    return None


_GONE = re.compile(
    r"\b(?:columns?|fields?|keys?)\b[^.;]*\b(?:missing|absent|not (?:\w+"
    r" )?(?:exist|present|there|in|available)|no longer)\b|"
    r"\b(?:no|lacks?|without|not have|n['’]t have|missing)\b[^.;]*\b(?:columns?|fields?|keys?)\b"
)
_ASKED = re.compile(r"(?:KeyError: '|[Cc]olumn name )(\w+)")


@check("column_gone")
def column_gone(case: Case) -> Answer:
    """ "The data set has no x column": true where a rule found that just this one is read and is
    not there.
    """
    if case.claim.hedged or not _GONE.search(case.said):
        return None
    if {error.casefold() for error in case.claim.own.errors} - {"keyerror", "valueerror"}:
        return None
    words = {
        word
        for each in (*case.claim.own.quotes, *case.claim.own.names)
        for word in re.findall(r"\w+", each)
    }
    for finding in case.found:
        if (
            finding.rule == "DA08"
            and (asked := _ASKED.search(finding.message))
            and asked[1] in words
        ):
            return confirmed(finding.message, finding.span)
    return None
