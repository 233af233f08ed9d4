"""Claims about imports: local modules that are not there, packages without `__init__.py`, names
that nothing defines.
"""

import ast
import builtins
import re
from collections.abc import Collection, Iterator

from reviewers.claims.certificates import Certificate
from reviewers.claims.checks.base import (
    Answer,
    Case,
    check,
    code,
    confirmed,
    join,
    partly,
    refuted,
    remark,
)
from reviewers.claims.checks.files import subject_is_file, there
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import Import, UndefinedName
from reviewers.records import Span

_FROM = re.compile(r"\bfrom\s+(\.*[\w.]*)\s+import\b")
_IMPORT_ERROR = re.compile(
    r"importerror|modulenotfound|\bimport\w* (?:will )?fail|\bfails? to import\b|cannot (?:be"
    r" )?import"
)
_NOT_THERE = re.compile(
    r"\b(?:no|not|missing|absent|never|nowhere|without|lacks?|does not exist|doesn't"
    r" exist)\b|importerror|modulenotfound"
)


@check("missing_module")
def missing_module(case: Case) -> Answer:
    """An import of a local module is right exactly where the submission has a file for it."""
    if not _NOT_THERE.search(case.said) and not _imports_local(case):
        return None
    for module in _local_modules(case):
        path = f"src/{module}.py"
        if path in case.facts.submission.by_path:
            if _NOT_THERE.search(case.said) and subject_is_file(case.said, path):
                return there(case, path)
            continue
        importer = next(_importers(case, module), None)
        if importer is not None:
            where, item = importer
            return confirmed(
                f"{where}:{item.line} imports {'.' * item.level}{item.module or item.name}, and the"
                f" submission has no {path}",
                Span(where, item.line),
            )
    return _follows(case)


def _follows(case: Case) -> Answer:
    """ "This causes an ImportError" is true where the import before it is known to fail."""
    if not _IMPORT_ERROR.search(case.said):
        return None
    answer = next(
        (
            answer
            for claim, answer in case.grounds
            if claim.kind.id == "missing-module" and answer.span is not None
        ),
        None,
    )
    if answer is None:
        return None
    return confirmed(
        f"{answer.evidence}, so the import ends in ModuleNotFoundError, which is an ImportError",
        answer.span,
    )


def _imports_local(case: Case) -> bool:
    return any(match[1].startswith(".") for match in _FROM.finditer(case.claim.text))


def _local_modules(case: Case) -> Iterator[str]:
    """Modules of the submission that the claim names, present or not."""
    for text in (case.claim.text, *case.claim.before[-1:]):
        for match in _FROM.finditer(text):
            module = match[1].lstrip(".").removeprefix("src.")
            if match[1].startswith((".", "src.")) and module and "." not in module:
                yield module
    for name in case.claim.own.absent_files:
        module = name.rpartition("/")[2]
        if module.endswith(".py") and module != "__init__.py":
            yield module.removesuffix(".py")


def _importers(case: Case, module: str) -> Iterator[tuple[str, Import]]:
    for path, file in case.facts.python.items():
        for item in file.imports:
            named = item.module == module or (not item.module and item.name == module)
            if (item.level and named) or item.module in (f"src.{module}", module):
                yield path, item


_FAILS = re.compile(
    r"importerror|modulenotfound|no module named|\bfails?\b|cannot|can't|\brequires? (?:an?"
    r" )?(?:empty "
    r")?`?(?:src/)?__init__|not (?:be )?(?:importable|resolv\w+)|\braises?\b|\bcrash|attempted"
    r" relative"
)
_INIT = re.compile(
    r"__init__|relative[- ]import|\bas a package|parent package|namespace package|\bno module named"
    r" .?src|\bnot "
    r"a package|to be a package|cannot resolve (?:these|the) modules"
)
_CHILD = re.compile(
    r"python3? (?:-u )?src/|\bas a (?:plain )?script\b|\bexecuted directly\b|child"
    r" process|subprocess|pythonpath|"
    r"working directory|\bcwd\b|run directory|chdir"
)
_ONLY_INSIDE = re.compile(r"\bonly (?:be )?(?:work|valid|allowed|possible|function|used)\w*\b")
_USES_RELATIVE = re.compile(
    r"\b(?:uses?|used|using|contains?|are|with)\b.*\brelative[- ]import|\brelative[-"
    r" ]import\w*\b.*\b(?:used|present)\b"
)


@check("relative_import")
def relative_import(case: Case) -> Answer:
    """`python -m src.train` treats `src` as a namespace package (PEP 420), and relative imports
    work in one.
    """
    if not _INIT.search(case.said) and not _INIT.search(
        " ".join(case.claim.before[-1:]).casefold()
    ):
        return None
    if _CHILD.search(case.said):
        return None
    files = [path for path in case.facts.python if path.startswith("src/")]
    if not files:
        return None
    has_init = "src/__init__.py" in case.facts.submission.by_path
    own = [(path, item) for path, file in case.facts.python.items() for item in file.imports]
    relative = [(path, item) for path, item in own if item.level]
    named = [(path, item) for path, item in own if item.module.partition(".")[0] == "src"]
    meant = (
        [each for each in (*relative, *named) if each[0] in case.claim.own.files]
        or relative
        or named
    )
    span = Span(meant[0][0], meant[0][1].line) if meant else None
    works = (
        "`python -m src.train` runs without src/__init__.py: Python takes src as a namespace"
        " package, and relative imports work in one (PEP 420)"
    )
    if _USES_RELATIVE.search(case.said) and not re.search(
        r"\b(?:fails?|importerror|cannot|raises?)\b", case.said
    ):
        return _use_of_relative(case, relative, works if _ONLY_INSIDE.search(case.said) else "")
    if _ONLY_INSIDE.search(case.said):
        return partly(f"That is so, but src is a package: {works}", span)
    if _FAILS.search(case.said):
        if any(dots.level > 1 for _, dots in relative):
            return None
        if has_init:
            return remark("src/__init__.py is part of the submission", Span("src/__init__.py"))
        if any(next(case.decided_by(kind), None) for kind in _LOCAL_IMPORTS):
            return remark(works, span)  # an import does fail, though for another reason
        if started := _started_by_path(case, {path for path, _ in relative}):
            return remark(f"{works}, but {started.file}:{started.line} names a file to run", span)
        return refuted(
            case, Certificate.NAMESPACE_PACKAGE, works, span, files=files, covers=_of_package
        )
    if has_init:
        return (
            remark("src/__init__.py is part of the submission", Span("src/__init__.py"))
            if re.search(r"\b(?:missing|no|absent|without)\b", case.said)
            else None
        )
    if re.search(r"\brequires? src to be a package|\bto be a package", case.said):
        return partly(f"That is so, but src is a package: {works}", span)
    if "__init__" in case.said:
        return partly(f"There is no src/__init__.py, and none is needed: {works}", span)
    return None


def _started_by_path(case: Case, files: Collection[str]) -> Span | None:
    """Where code names a file with relative imports, as who runs it by its path would."""
    names = {path.rpartition("/")[2] for path in files}
    return next(
        (
            Span(path, node.lineno)
            for path, file in case.facts.python.items()
            for node in file.nodes
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and any(re.search(rf"(?<![\w.]){re.escape(name)}\b", node.value) for name in names)
        ),
        None,
    )


_LOCAL_IMPORTS = ("missing-module", "missing-name")
_OF_PACKAGE = re.compile(
    r"python3? (?:-u )?-m src(?:\.[\w*]+)?|src(?:\.\*)?/?|(?:src/)?__init__(?:\.py)?|python|"
    r"(?:from|import) \.*[\w. ,*…]+|no module named '?src(?:\.\w+)?'?|"
    r"attempted relative import with no known parent package|\.\w+",
    re.IGNORECASE,
)


def _of_package(piece: str) -> bool:
    """Whether a quote is about how the modules of `src` are started and imported."""
    return _OF_PACKAGE.fullmatch(piece.strip()) is not None


def _use_of_relative(case: Case, relative: list[tuple[str, Import]], works: str) -> Answer:
    users = dict(relative)
    named = [path for path in case.claim.own.files if path in case.facts.python] or [
        path for path in case.claim.files if path in case.facts.python
    ]
    using = [path for path in named if path in users]
    if not named:
        return None
    if not using:
        return remark(
            f"{join(named)} {'has' if len(named) == 1 else 'have'} no relative import",
            Span(named[0]) if len(named) == 1 else None,
        )
    span = Span(using[0], users[using[0]].line)
    without = [path for path in named if path not in users]
    note = f"; {works}" if works else ""
    if without:
        return partly(
            f"{join(using)} {'has' if len(using) == 1 else 'have'} relative imports,"
            f" {join(without)} {'has' if len(without) == 1 else 'have'} none{note}",
            span,
        )
    what = f"{using[0]}:{span.line} is a relative import"
    return partly(f"{what}{note}", span) if works else confirmed(what, span)


_NEVER_EVALUATED = "but only in an annotation that is never evaluated"
_UNDEFINED = re.compile(
    r"name ?error|unboundlocal|\bundefined\b|\bnot defined\b|\bnever defined\b|\bnot"
    r" imported\b|\b(?:never|not|"
    r"n't|without|forgets? to|fails?"
    r" to|missing|misses|lacks?)\b[^.;]{0,25}\bimport|\bimport\w*\b[^.;]{0,"
    r"15}\b(?:missing|absent|forgotten)\b|\bmissing import\b"
    r"|\bbefore (?:it|they|\S+) (?:is|are|was) (?:imported|defined|assigned|declared|bound)\b"
)
_BEFORE = re.compile(r"\bbefore\b|unboundlocal|\blocal\b")
_WHAT = (
    re.compile(r"\bimport(?:s|ing|ed)? `?([A-Za-z_]\w*)`?"),
    re.compile(
        r"(?<![\w.])([A-Za-z_]\w*)`? (?:is|are) (?:\w+ )?(?:used|referenced|undefined|not|never)\b"
    ),
    re.compile(r"\b(?:uses?|references?|undefined (?:name|variable)|name) `?([A-Za-z_]\w*)`?"),
)
_FROM_IMPORT = re.compile(r"from\s+[\w.]+\s+import\s+([\w, ]+)")
_NO_NAME = frozenset(
    [
        "the",
        "a",
        "an",
        "it",
        "is",
        "not",
        "in",
        "of",
        "used",
        "only",
        "from",
        "statement",
        "statements",
        "and",
        "any",
        "src",
        "missing",
        "import",
        "imports",
        "which",
        "that",
        "name",
        "variable",
        "error",
        "time",
        "module",
        "modules",
    ]
)


@check("undefined_name")
def undefined_name(case: Case) -> Answer:
    """A name is undefined where neither the file nor Python defines it; a name that is imported at
    the top is not.
    """
    before = case.earlier[0][1] if case.earlier and "annotation" in case.said else None
    if before is not None and _NEVER_EVALUATED in before.evidence:
        return remark(before.evidence, before.span)
    crashed = _crash_follows(case)
    if crashed is not None or not _UNDEFINED.search(case.said):
        return crashed
    files = case.python()
    candidates = list(dict.fromkeys(_candidates(case)))
    for path, file in files or case.facts.python.items():
        undefined = {found.name: found for found in file.undefined_names}
        for name in candidates:
            if name in undefined:
                return _undefined(path, file, undefined[name], case.said)
    if not files or _BEFORE.search(case.said):
        return None
    return _defined(case, files, [name for name in candidates if not hasattr(builtins, name)])


def _undefined(path: str, file: PythonFile, found: UndefinedName, said: str) -> Answer:
    name, line = code(found.name), found.line
    if not found.evaluated:
        what = f"{path}:{line} uses {name} undefined, {_NEVER_EVALUATED}"
        only_crash = _CRASH.search(said) and not _NOT_IMPORTED.search(said)
        return (remark if only_crash else partly)(what, Span(path, line))
    bound = _bindings(file, found.name)
    if bound:
        return confirmed(
            f"{path}:{line} uses {name} before anything binds it there (line {bound[0]} does)",
            Span(path, line),
        )
    return confirmed(f"{path}:{line} uses {name}, {_NOTHING_BINDS}", Span(path, line))


_NOTHING_BINDS = "which the file neither defines nor imports"


def _bindings(file: PythonFile, name: str) -> list[int]:
    imported = [item.line for item in file.imports if item.bound == name]
    return sorted(
        imported
        + [
            node.lineno
            for node in file.nodes
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Store)
        ]
    )


def _defined(case: Case, files: list[tuple[str, PythonFile]], candidates: list[str]) -> Answer:
    """Refute only what the import statements themselves show: every name asked about is imported at
    the file's top.
    """
    if len(files) != 1 or not candidates:
        return None
    path, file = files[0]
    if file.tree is None or any(item.name == "*" for item in file.imports):
        return None
    asked = [
        name for name in candidates if _occurs(case, name, path) or name in _bound(file)
    ] or candidates[:1]
    bound = _bound(file)
    if all(name in bound for name in asked):
        told = f"{path}:{bound[asked[0]]} imports {join([code(name) for name in asked])}"
        span = Span(path, bound[asked[0]])
        if any(_stored(file, name) for name in asked):
            return remark(told, span)

        known = {name.casefold() for name in asked}
        modules = {item.module or item.name for item in file.imports}

        def covers(piece: str) -> bool:
            first = re.split(r"[.(\[]", piece.removeprefix("import ").strip(), maxsplit=1)[0]
            if piece in modules or piece in file.functions or piece in file.classes:
                return True
            # `import scipy` is no import of `scipy.stats`.
            is_use = first == piece or _says_alone(first, case.said)
            return first.casefold() in known and is_use and not _says_import_of(piece, case.said)

        return refuted(
            case, Certificate.IMPORTED, told, span, files=(path,), covers=covers, named=asked
        )
    if len(asked) == 1 and not _occurs(case, asked[0], path):
        return partly(f"{path} neither imports nor uses {code(asked[0])}", Span(path))
    return None


def _says_alone(name: str, said: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(name.casefold())}(?![\w.]*\w)", said) is not None


def _says_import_of(piece: str, said: str) -> bool:
    """Whether a dotted name is what the claim wants imported."""
    dotted = re.escape(piece.casefold())
    return "." in piece and (
        re.search(
            rf"{dotted}\W*(?:is|was|be|being)?\W*(?:never|not|n't|un)?\W*(?:import|defined)|"
            rf"import\w*\W+(?:of\W+|for\W+)?{dotted}",
            said,
        )
        is not None
    )


def _stored(file: PythonFile, name: str) -> bool:
    """Whether a file gives a name another value, or takes it away, so that the import may not be
    what counts.
    """
    return any(
        (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        or (isinstance(node, ast.ExceptHandler) and node.name == name)
        for node in file.nodes
    )


def _occurs(case: Case, name: str, path: str) -> bool:
    return next(case.search.word(name, (path,)), None) is not None


def _bound(file: PythonFile) -> dict[str, int]:
    """Names that the file imports whatever happens: no condition and no `try` stands around it."""
    always = {node.lineno for node in (file.tree.body if file.tree else ())}
    return {item.bound: item.line for item in file.imports if item.bound and item.line in always}


def _candidates(case: Case) -> Iterator[str]:
    texts = (
        [case.claim.text, *case.claim.before[-1:]]
        if case.claim.lead or case.claim.points_back
        else [case.claim.text]
    )
    for text in texts:
        for match in _FROM_IMPORT.finditer(text):
            yield from (name.strip() for name in match[1].split(",") if name.strip().isidentifier())
        for pattern in _WHAT:
            for match in pattern.finditer(text):
                if match[1] == "Any" or match[1].casefold() not in _NO_NAME:
                    yield match[1]
    for name in (*case.claim.own.names, *case.claim.own.quotes):
        first = name.partition(".")[0].partition("(")[0].strip()
        if (
            first.isidentifier()
            and first not in case.claim.own.errors
            and first not in ("src", "typing")
        ):
            yield first


_CRASH = re.compile(
    r"\bcrash\w*|annotations are evaluated|\bfails?\b|\bname ?error\b|cannot be imported|\bon"
    r" import\b|import time"
)


_NOT_IMPORTED = re.compile(
    r"\bmissing\b.*\bimport|\bmiss(?:es|ing) import|\b(?:not|never|n't) (?:been )?import|\bwithout"
    r" import"
)


def _crash_follows(case: Case) -> Answer:
    """ "So the module crashes on import" is true where the undefined name is evaluated while the
    module is imported.
    """
    if not _CRASH.search(case.said):
        return None
    answer = next((answer for _, answer in case.grounds if _NOTHING_BINDS in answer.evidence), None)
    span = answer.span if answer else None
    if answer is None or span is None:
        return None
    file = case.facts.python[span.file]
    names = [node for node in file.nodes if isinstance(node, ast.Name) and node.lineno == span.line]
    undefined = {found.name for found in file.undefined_names}
    if any(node.id in undefined and _at_import(file, node) for node in names):
        return confirmed(
            f"{answer.evidence}; the line is evaluated when the module is imported, so the import"
            " ends in NameError",
            span,
        )
    return (
        confirmed(f"{answer.evidence}, so that line raises NameError when it is reached", span)
        if re.search(r"name ?error", case.said)
        else None
    )


def _at_import(file: PythonFile, node: ast.AST) -> bool:
    child = node
    for parent in file.ancestors(node):
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and child in (
            parent.body if isinstance(parent.body, list) else [parent.body]
        ):
            return False
        child = parent
    return True


_BREAKS = re.compile(
    r"\bbreaks?\b|\bstops?\b|\bcrash\w*|\bfails?\b|\bimport ?error\b|\bimport error\b|cannot (?:be"
    r" )?(?:run|"
    r"imported|start\w*|execute\w*)|\babort\w*|\bimpossible\b|\bmalfunction\w*"
)


@check("follows")
def follows(case: Case) -> Answer:
    """A file that cannot be imported breaks what is in it: true where the claim before it proved
    just that.
    """
    if not _BREAKS.search(case.said) or case.claim.hedged:
        return None
    for claim, answer in case.grounds:
        span = answer.span
        if (
            span is None
            or claim.kind.id not in _STOPPING
            or case.facts.python.get(span.file) is None
        ):
            continue
        if any(path != span.file for path in case.claim.own.files):
            return None
        if claim.kind.id != "syntax" and not _runs_at_import(
            case.facts.python[span.file], span.line or 0
        ):
            return None
        return confirmed(
            f"{answer.evidence}; so {span.file} cannot be imported, and nothing in it runs", span
        )
    return None


_STOPPING = frozenset(["missing-module", "undefined-name", "syntax", "dependency-missing"])


def _runs_at_import(file: PythonFile, line: int) -> bool:
    statements = [node for node in file.nodes if getattr(node, "lineno", None) == line]
    return bool(statements) and all(_at_import(file, node) for node in statements)
