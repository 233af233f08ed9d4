"""Claims that something is imported and never used."""

import ast
import re

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, remark
from reviewers.records import Span

_UNUSED = re.compile(
    r"\bimport(?:ed|s)?\b.{0,40}\b(?:but|and|yet) (?:is |are |it is )?(?:never|not|un)(?:"
    r" actually)? ?"
    r"(?:used|called|referenced)\b|"
    r"\bunused imports?\b"
)


@check("import_unused")
def import_unused(case: Case) -> Answer:
    """An import is unused where no name in its file is read that it binds."""
    if case.claim.hedged or not _UNUSED.search(case.said):
        return None
    wanted = {name.rpartition(".")[2] for name in (*case.claim.own.names, *case.claim.own.quotes)}
    found = [
        (path, file, item)
        for path, file in case.python() or case.facts.python.items()
        for item in file.imports
        if item.bound is not None and item.bound in wanted
    ]
    if len({item.bound for _, _, item in found}) != 1 or len({path for path, _, _ in found}) != 1:
        return None
    path, file, item = found[0]
    named = [node for node in file.nodes if isinstance(node, ast.Name) and node.id == item.bound]
    read = [node.lineno for node in named if isinstance(node.ctx, ast.Load)]
    if read:
        line = read[0]
        return remark(f"{path}:{line} uses {code(str(item.bound))}", Span(path, line))
    if file.tree is None or re.search(rf"[\"']{re.escape(str(item.bound))}\b", file.text):
        return None
    span = Span(path, item.line)
    return confirmed(
        f"{span} imports {code(str(item.bound))}, and no name in the file reads it", span
    )
