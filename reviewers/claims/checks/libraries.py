"""Claims about what third-party libraries have: names, attributes and parameters, and since when
they are gone.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.version import Version

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, partly, remark
from reviewers.facts.python_file import PythonFile
from reviewers.facts.specifiers import version_of
from reviewers.facts.third_party import Availability, Signature
from reviewers.records import Span
from reviewers.rules.library_names import known_change

_GONE = re.compile(
    r"\b(?:was|were|been|is|are|got|being) (?:\w+ly )?(?:removed|dropped|deleted)\b|"
    r"\bno longer (?:exist|availab|provid|part|support|has|have)|"
    r"\b(?:does|do|did) ?n(?:o|['’])t (?:actually |even )?exist|\bnon-?exist(?:ent|ing)\b|"
    r"\bno such (?:attribute|method|function|name|class)\b|\bremoved (?:in|from|since)\b|"
    r"\bis(?: not|n['’]t) (?:an? |the )?(?:\w+"
    r" ){0,2}(?:attribute|method|function|member|class|part) (?:of|in|on)\b|"
    r"\b(?:has|have|with) no (?:such |public )?(?:attribute|method|function|member)\b|"
    r"\bcannot be imported (?:from|in)\b|"
    r"\bnot (?:available|provided|present|found) (?:in|by) (?:the )?(?:\w+"
    r" )?(?:library|package|version|module|release)"
)
_KEYWORD = re.compile(
    r"\b(?:un(?:supported|known|expected|recogni[sz]ed)|invalid|non-?existent|illegal|no(?: such)?)"
    r" (?:\S+ )?"
    r"(?:keyword|argument|kwarg|parameter|option)s?\b|"
    r"\b(?:does|do) ?n(?:o|['’])t (?:accept|take|support|have|recogni[sz]e|expect|allow)\b|"
    r"\bno longer (?:accepts?|takes?|supports?)\b|"
    r"\bhas no\b[^.;]*\b(?:keyword|argument|kwarg|parameter)\b|\b(?:takes|accepts) no\b"
)
_REQUIRES = re.compile(
    r"\b(?:requires?|needs?|mandatory|must (?:be given|be passed|get|receive)|"
    r"missing (?:the |its )?(?:required |mandatory )?\S* ?(?:argument|parameter)|"
    r"(?:required|mandatory) (?:argument|parameter))\b"
)
_OWN_FILE = re.compile(
    r"\b(?:config\w*|ya?mls?)\b|\bnot (?:\w+ )?(?:in|on|by) (?:the"
    r" )?(?:src|train|evaluate|model|main|preprocess)\b"
)
_ARGUMENT = re.compile(r"\b(?:argument|parameter|keyword|kwarg)s?\b")
_CONDITION = re.compile(
    r"\b(?:if|when|for|with|unless|because|since|while|although|to|so|in order)\b|[=<>]"
)
_VERSION = re.compile(r"(?<![\w.])v?(\d{1,3}(?:\.\d{1,4}){1,2})\b")
_PROVEN = frozenset(["attributeerror", "importerror", "modulenotfounderror", "typeerror"])
_MOST_USES = 40


@dataclass(frozen=True, slots=True)
class Use:
    """A place where the code asks a library for a name.

    Attributes:
        dotted: the name from the library's root on; with an owner, the last part alone.
        owner: the class of the object that has it, where it is an attribute of one.
        node: the name as it stands in the code.
    """

    path: str
    file: PythonFile
    dotted: str
    owner: str | None
    node: ast.expr

    @property
    def shown(self) -> str:
        return f"{self.owner}.{self.dotted}" if self.owner else self.dotted

    @property
    def span(self) -> Span:
        return Span(self.path, self.node.lineno)


@check("library_name")
def library_name(case: Case) -> Answer:
    """A library has a name or not in the versions that pyproject.toml allows; the index of its
    wheels says which.
    """
    if case.claim.hedged or not _GONE.search(case.said) or _KEYWORD.search(case.said):
        return None
    if {error.casefold() for error in case.claim.own.errors} - _PROVEN or _OWN_FILE.search(
        case.said
    ):
        return None
    verdicts: dict[str, Answer] = {}
    for use in _uses(case):
        if use.shown not in verdicts:
            verdicts[use.shown] = _existence(case, use)
    found = [verdict for verdict in verdicts.values() if verdict is not None]
    decided = [verdict for verdict in found if not verdict.speaks_against]
    if len(decided) == 1:
        return decided[0]
    return found[0] if not decided and len(found) == 1 and len(verdicts) == 1 else None


def _existence(case: Case, use: Use) -> Answer:
    index, allowed = case.facts.third_party, case.facts.allowed_versions(use.owner or use.dotted)
    has = (
        index.attribute_exists(use.owner, use.dotted, allowed)
        if use.owner
        else index.exists(use.dotted, allowed)
    )
    presence, library = has.presence, has.presence.library
    since = _since(case)
    if since is not None:
        later = [
            (version, state)
            for version, state in zip(presence.versions, presence.states, strict=True)
            if _from(version, since)
        ]
        still = [version for version, state in later if state]
        if still:
            lost = presence.within(None).change
            told = f"{library} {still[-1]} still has {code(use.shown)}, which {use.span} uses" + (
                f"; {known_change(lost)}" if lost else ""
            )
            known = (
                has.newest is True
            )  # else the version is wrong, and what follows from it may be right
            return remark(told, use.span) if known else partly(told, use.span)
        if not later or any(state is None for _, state in later):
            return None
    if has.newest is False:
        return confirmed(f"{code(use.shown)}, which {use.span} uses, {_history(has)}", use.span)
    if _is_sure(has) and not case.claim.own.errors:
        return remark(
            f"{library} has {code(use.shown)} in {presence.versions[-1]} too, and {use.span}"
            " uses it",
            use.span,
        )
    return None


def _is_sure(has: Availability) -> bool:
    return has.answer == "every" and has.presence.newest is True


def _since(case: Case) -> Version | None:
    """The one version from which on a claim says something is gone."""
    found = {match[1] for match in _VERSION.finditer(case.claim.text)}
    return version_of(found.pop()) if len(found) == 1 else None


def _from(version: str, since: Version) -> bool:
    return Version(version) >= since


def _history(has: Availability) -> str:
    if has.change is None:
        return f"is in no released version of {has.presence.library} that areachair knows"
    return f"is not in the {has.presence.library} that gets installed: {known_change(has.change)}"


@check("library_keyword")
def library_keyword(case: Case) -> Answer:
    """A library's function takes a keyword or not, and needs it or not, as its signature says."""
    refuses, requires = _KEYWORD.search(case.said), _REQUIRES.search(case.said)
    others = {error.casefold() for error in case.claim.own.errors} - {"typeerror"}
    if case.claim.hedged or "deprecated" in case.said or others or not (refuses or requires):
        return None
    words = [
        word
        for each in (*case.claim.own.names, *case.claim.own.quotes)
        for word in re.findall(r"[A-Za-z_]\w*", each)
    ]
    words += re.findall(r"\b([a-z_]\w*) ?=(?!=)", case.claim.text)
    words += re.findall(r"\b([a-z]\w*) (?:argument|parameter|keyword)", case.said)
    words += re.findall(r"\b(?:requires?|needs?) (?:an? |the )?([a-z_]\w*)\b", case.said)
    requires = (
        requires if _ARGUMENT.search(case.said) and not _CONDITION.search(case.said) else None
    )
    for use in _uses(case):
        call = use.file.parents.get(use.node)
        if not isinstance(call, ast.Call) or call.func is not use.node:
            continue
        answer = (
            _refused(case, use, call, words)
            if refuses
            else _required(case, use, call, words)
            if requires
            else None
        )
        if answer is not None:
            return answer
    return None


def _refused(case: Case, use: Use, call: ast.Call, words: list[str]) -> Answer:
    named = [keyword.arg for keyword in call.keywords if keyword.arg in words]
    if len(named) != 1 or named[0] is None:
        return None
    keyword, root = named[0], use.owner or use.dotted
    allowed = case.facts.allowed_versions(root)
    fit = case.facts.third_party.fits(
        use.dotted, 0, (keyword,), allowed, owner=use.owner, star_args=True, star_kwargs=True
    )
    library = fit.availability.presence.library
    if fit.availability.newest is False and fit.problem and keyword in fit.problem:
        return confirmed(
            f"{use.span}: {code(use.shown)} {fit.problem}, and that is a TypeError", use.span
        )
    signature = _signature(case, use)
    if (
        fit.availability.answer == "every"
        and signature
        and all(
            any(parameter.name == keyword for parameter in each) for each in signature.alternatives
        )
    ):
        return remark(
            f"{code(use.shown)} takes {code(keyword)} in every {library} that is allowed;"
            f" {use.span} passes it",
            use.span,
        )
    return None


def _required(case: Case, use: Use, call: ast.Call, words: list[str]) -> Answer:
    """What a call must give and what it may leave out."""
    signature = _signature(case, use)
    if (
        signature is None
        or len(signature.alternatives) != 1
        or any(keyword.arg is None for keyword in call.keywords)
    ):
        return None
    given = {keyword.arg for keyword in call.keywords}
    for parameter in signature.alternatives[0]:
        if (
            parameter.name in words
            and parameter.name not in given
            and parameter.optional
            and parameter.kind in ("keyword", "either")
        ):
            place = [
                each.name
                for each in signature.alternatives[0]
                if each.kind in ("either", "positional")
            ]
            if parameter.name in place[: len(call.args)]:
                return None
            return remark(
                f"{code(use.shown)} may be called without {code(parameter.name)}, as {use.span}"
                " does: it has a default",
                use.span,
            )
    return None


def _signature(case: Case, use: Use) -> Signature | None:
    index, allowed = case.facts.third_party, case.facts.allowed_versions(use.owner or use.dotted)
    return (
        index.method(use.owner, use.dotted, allowed)
        if use.owner
        else index.signature(use.dotted, allowed)
    )


def _uses(case: Case) -> Iterator[Use]:
    """Where the code has the library names that a claim speaks of, or those before it for "it was
    removed".
    """
    names = [*case.claim.own.names, *case.claim.own.quotes]
    code_names = [name for name in names if name not in case.claim.own.errors]
    if not code_names and case.claim.points_back and case.claim.around:
        code_names = [*case.claim.around[0].names, *case.claim.around[0].quotes]
    wanted = {
        match
        for name in code_names
        for match in re.findall(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", name)
    }
    dotted = {name for name in wanted if "." in name}
    last = {name.rpartition(".")[2] for name in wanted}
    last -= {
        part for name in dotted for part in name.split(".")[:-1]
    }  # the owner in `datasets.load_metric` is not meant itself
    number = 0
    for path, file in case.python() or case.facts.python.items():
        for node in file.nodes:
            named = (
                node.attr
                if isinstance(node, ast.Attribute)
                else node.id
                if isinstance(node, ast.Name)
                else None
            )
            if named is None or not isinstance(node, ast.Attribute | ast.Name):
                continue
            resolved = file.resolve(node)
            if named not in last and not (resolved and resolved.rpartition(".")[2] in last):
                continue
            if not isinstance(node.ctx, ast.Load):
                continue
            if use := _use(case, path, file, node, resolved):
                yield use
                number += 1
            if number > _MOST_USES:
                return


def _use(
    case: Case, path: str, file: PythonFile, node: ast.Attribute | ast.Name, resolved: str | None
) -> Use | None:
    index = case.facts.third_party
    root = node
    while isinstance(root, ast.Attribute) and isinstance(root.value, ast.Attribute | ast.Name):
        root = root.value
    if (
        resolved
        and isinstance(root, ast.Name)
        and root.id in file.aliases
        and index.distribution_of(resolved)
    ):
        return Use(path, file, resolved, None, node)
    if isinstance(node, ast.Attribute):
        kinds = case.facts.library_types.of(file, node.value)
        if len(kinds) == 1 and not case.facts.library_types.may_have(file, node.value, node.attr):
            return Use(path, file, node.attr, next(iter(kinds)), node)
        if (
            not kinds
            and _TOKENIZER.search(ast.unparse(node.value))
            and any(item.module.startswith("transformers") for item in file.imports)
        ):
            return Use(path, file, node.attr, "transformers.PreTrainedTokenizerBase", node)
    return None


_TOKENIZER = re.compile(r"(?:^|[._])tokeni[sz]er$")
