"""Reads SARIF 2.1.0 of any tool into plain values; damaged files are refused, unusual ones are
read.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from reviewers.bundles.json_text import JsonProblem, parse_json
from reviewers.bundles.sarif_paths import UriBases
from reviewers.errors import BundleError

MAX_BYTES = 50_000_000
MAX_RUNS = 100
MAX_RESULTS = 20_000
"""Results of one file."""
_MAX_PLACES = 4
_MAX_TEXT = 4_000  # characters of a message or a snippet
_MAX_NAME = 150
_FAIL, _LEVELS = "fail", ("none", "note", "warning", "error")
_KINDS = (_FAIL, "pass", "review", "open", "informational", "notApplicable")
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d{1,3})\}")
_LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)*)\]\([^()\s]*\)")
_ESCAPED = re.compile(r"\\([\\\[\]])")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPlace:
    """Where a tool says that something is.

    Attributes:
        path: with forward slashes, absolute or relative as the tool wrote it; empty if it names
            no file.
        line, end_line: 1-based, both included; None if it names none.
        offset, length: of a region given in characters from the file's start; None if it is not.
        snippet: the code that it shows.
    """

    path: str
    line: int | None = None
    end_line: int | None = None
    offset: int | None = None
    length: int | None = None
    snippet: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """One result of a tool.

    Attributes:
        rule: as the tool calls it; None if it does not.
        name: the rule's readable name; None if there is none.
        kind, level: in SARIF's words, defaults filled in; only what fails has a level other than
            `none`.
        rank: 0 to 100, the higher the more important; None if the tool gives none.
        message: plain text, arguments filled in.
        places: the first is what the result is about; at most four.
        suppressed: whether somebody took it off the list.
        absent: whether it is a result of an earlier run that is gone.
    """

    rule: str | None
    name: str | None
    kind: str
    level: str
    rank: float | None
    message: str
    places: tuple[ToolPlace, ...]
    suppressed: bool
    absent: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One run of a tool.

    Attributes:
        failure: why it did not finish; None if it did.
        files: SHA-256 in hexadecimal by path, of the files that it lists; None if it gives no
            such hash.
    """

    tool: str
    version: str | None
    results: tuple[ToolResult, ...]
    failure: str | None
    source: str
    files: Mapping[str, str | None] = field(default_factory=dict)


def read_sarif(data: bytes, source: str) -> tuple[ToolRun, ...]:
    """Read a SARIF file.

    Args:
        source: the path as the user gave it, for the text of errors.

    Raises:
        BundleError: it is no SARIF 2.1.0, it is damaged, or it contains more than the limits allow.
    """
    root = _Node(_parsed(data, source), "its content", source)
    if not str(root.text("version") or "").startswith("2.1"):
        raise BundleError(
            source,
            "it is not SARIF 2.1.0 according to its `version`; let the tool write that version",
        )
    runs = root.nodes("runs", required=True)
    if len(runs) > MAX_RUNS:
        raise BundleError(source, f"it contains more than {MAX_RUNS} runs; split the file")
    if sum(len(run.items("results")) for run in runs) > MAX_RESULTS:
        raise BundleError(
            source,
            f"it contains more than {MAX_RESULTS:,} results; let the tool report less at once",
        )
    return tuple(_run(run) for run in runs)


def _parsed(data: bytes, source: str) -> object:
    if len(data) > MAX_BYTES:
        raise BundleError(
            source,
            f"it is larger than {MAX_BYTES // 1_000_000} MB; let the tool report less at once",
        )
    encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8-sig")
    try:
        return parse_json(data.decode(encoding))
    except UnicodeDecodeError as error:
        raise BundleError(
            source, f"byte {error.start} is not {encoding.removesuffix('-sig').upper()}"
        ) from None
    except JsonProblem as problem:
        raise BundleError(source, f"it is not valid JSON: {problem}") from None


class _Node:
    """One object of the file; each field is asked for by its kind, and the error names where it
    stands.
    """

    def __init__(self, value: object, place: str, source: str) -> None:
        if not isinstance(value, Mapping):
            raise BundleError(source, f"{place} must be an object")
        self._value, self._place, self.source = value, place, source

    def _wrong(self, name: str, problem: str) -> BundleError:
        return BundleError(self.source, f"`{name}` of {self._place} {problem}")

    def __contains__(self, name: str) -> bool:
        return self._value.get(name) is not None

    def text(self, name: str, longest: int = _MAX_TEXT) -> str | None:
        value = self._value.get(name)
        if value is not None and not isinstance(value, str):
            raise self._wrong(name, "must be a text")
        return None if value is None else value[:longest]

    def whole(self, name: str) -> int | None:
        value = self._value.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self._wrong(name, "must be a whole number")
        return value

    def number(self, name: str) -> float | None:
        value = self._value.get(name)
        if value is not None and (not isinstance(value, int | float) or isinstance(value, bool)):
            raise self._wrong(name, "must be a number")
        return None if value is None else float(value)

    def items(self, name: str) -> list[object]:
        value = self._value.get(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, "must be a list")
        return value or []

    def nodes(self, name: str, *, required: bool = False) -> list["_Node"]:
        if required and name not in self:
            raise self._wrong(name, "is missing")
        return [
            _Node(each, f"{name}[{number}]", self.source)
            for number, each in enumerate(self.items(name))
        ]

    def node(self, name: str) -> "_Node":
        return _Node(self._value.get(name) or {}, name, self.source)

    def named(self, name: str) -> dict[str, "_Node"]:
        value = self._value.get(name) or {}
        if not isinstance(value, Mapping):
            raise self._wrong(name, "must be an object")
        return {key: _Node(each, f"{name}.{key[:100]}", self.source) for key, each in value.items()}

    def is_false(self, name: str) -> bool:
        return self._value.get(name) is False


def _run(run: _Node) -> ToolRun:
    tool = run.node("tool")
    driver = tool.node("driver")
    if not (driver.text("name") or "").strip():
        raise BundleError(run.source, "a run does not name its tool: `tool.driver.name` is missing")
    components = [_Component(driver), *(_Component(each) for each in tool.nodes("extensions"))]
    bases = UriBases(
        {
            name: (each.text("uri"), each.text("uriBaseId"))
            for name, each in run.named("originalUriBaseIds").items()
        }
    )
    listed = run.nodes("artifacts")
    locator = _Locator(bases, [each.node("location") for each in listed])
    return ToolRun(
        tool=" ".join(str(driver.text("name", _MAX_NAME)).split()),
        version=driver.text("semanticVersion", _MAX_NAME) or driver.text("version", _MAX_NAME),
        results=tuple(_result(each, components, locator) for each in run.nodes("results")),
        failure=_failure(run),
        source=run.source,
        files={
            path: _sha256(each) for each in listed if (path := locator.path(each.node("location")))
        },
    )


def _sha256(artifact: _Node) -> str | None:
    hashes = artifact.node("hashes")
    found = hashes.text("sha-256") or hashes.text("sha256")
    return found.lower() if found else None


def _failure(run: _Node) -> str | None:
    """Why the tool did not finish, in its own words where it has some."""
    for call in run.nodes("invocations"):
        if not call.is_false("executionSuccessful"):
            continue
        notes = [
            *call.nodes("toolExecutionNotifications"),
            *call.nodes("toolConfigurationNotifications"),
        ]
        notes.sort(key=lambda note: note.text("level") != "error")
        said = [words for note in notes if (words := note.node("message").text("text"))]
        said += [
            words
            for name in ("processStartFailureMessage", "exitCodeDescription")
            if (words := call.text(name))
        ]
        return (
            said[0].strip()
            if said and said[0].strip()
            else "the tool says that it failed, and not why"
        )
    return (
        None if "results" in run else "the run has no list of results, so the tool checked nothing"
    )


class _Component:
    """A tool or one of its plug-ins, with the rules that it describes."""

    def __init__(self, node: _Node) -> None:
        self.rules = node.nodes("rules")
        self.words = node.named("globalMessageStrings")
        self.name, self.guid = node.text("name"), node.text("guid")
        self._by_id = {id: rule for rule in reversed(self.rules) if (id := rule.text("id"))}

    def find(self, id: str | None, index: int | None) -> _Node | None:
        if index is not None and 0 <= index < len(self.rules):
            return self.rules[index]
        while id:  # CA1000/1 is described as CA1000
            if id in self._by_id:
                return self._by_id[id]
            id = id.rpartition("/")[0]
        return None


def _described(
    result: _Node, components: Sequence[_Component]
) -> tuple[str | None, _Node | None, _Component]:
    """The id of a result's rule, what the tool says of that rule, and the component that says
    it.
    """
    reference = result.node("rule")
    id = result.text("ruleId") or reference.text("id")
    index = reference.whole("index") if "index" in reference else result.whole("ruleIndex")
    wanted = reference.node("toolComponent")
    number = wanted.whole("index")
    asked = list(components)
    if number is not None and 0 <= number < len(components) - 1:
        asked = [components[number + 1]]
    elif names := {each for each in (wanted.text("guid"), wanted.text("name")) if each}:
        asked = [each for each in components if names & {each.guid, each.name}] or asked
    first = asked[0]
    for place, component in enumerate(asked):
        # An index counts in one component; further ones are asked for the id alone.
        rule = component.find(id, index if place == 0 else None)
        if rule is not None:
            return id or rule.text("id"), rule, component
    return id, None, first


def _result(result: _Node, components: Sequence[_Component], where: "_Locator") -> ToolResult:
    id, rule, component = _described(result, components)
    kind = result.text("kind") or _FAIL
    level = (
        result.text("level")
        or (rule.node("defaultConfiguration").text("level") if rule else None)
        or "warning"
    )
    suppressions = result.nodes("suppressions")
    places = [
        where.place(each.node("physicalLocation"))
        for each in result.nodes("locations")[:_MAX_PLACES]
    ]
    if not any(place.path for place in places) and "analysisTarget" in result:
        places = [ToolPlace(path=where.path(result.node("analysisTarget")))]
    return ToolResult(
        rule=id[:_MAX_NAME] if id else None,
        name=rule.text("name", _MAX_NAME) if rule else None,
        kind=kind if kind in _KINDS else _FAIL,
        level=(
            "none" if kind in _KINDS and kind != _FAIL else level if level in _LEVELS else "warning"
        ),
        rank=None if (rank := result.number("rank")) is None or rank < 0 else min(rank, 100.0),
        message=_message(result.node("message"), rule, component),
        places=tuple(dict.fromkeys(place for place in places if place.path or place.snippet)),
        suppressed=bool(suppressions)
        and all(each.text("status") in (None, "accepted") for each in suppressions),
        absent=result.text("baselineState") == "absent",
    )


def _message(message: _Node, rule: _Node | None, component: _Component) -> str:
    """The plain text; Markdown is beside it only for programs that show it."""
    words = message.text("text")
    if words is None and (id := message.text("id")):
        strings = rule.named("messageStrings") if rule else {}
        found = strings.get(id) or component.words.get(id)
        words = found.text("text") if found else None
    words = _filled(words or "", [str(each)[:_MAX_TEXT] for each in message.items("arguments")])
    if not words.strip() and rule is not None:
        words = (
            rule.node("shortDescription").text("text")
            or rule.node("fullDescription").text("text")
            or ""
        )
    return words.strip()[:_MAX_TEXT]


def _filled(words: str, arguments: Sequence[str]) -> str:
    """The text with its arguments in it and its links as plain words."""

    def put(found: re.Match[str]) -> str:
        if found[1] is None:
            return found[0][0]
        return arguments[int(found[1])] if int(found[1]) < len(arguments) else found[0]

    if arguments:
        words = "".join(_bounded(_pieces(words, put)))
    return _ESCAPED.sub(r"\1", _LINK.sub(r"\1", words))


def _pieces(words: str, put: Callable[[re.Match[str]], str]) -> Iterator[str]:
    end = 0
    for found in _PLACEHOLDER.finditer(words):
        yield words[end : found.start()]
        yield put(found)
        end = found.end()
    yield words[end:]


def _bounded(pieces: Iterator[str]) -> Iterator[str]:
    """Pieces until there is enough: a thousand placeholders for one long argument are no
    message.
    """
    left = _MAX_TEXT
    for piece in pieces:
        yield piece[:left]
        left -= len(piece)
        if left <= 0:
            return


class _Locator:
    """Finds paths: by a URI of their own, or by the number of the file in the run's list."""

    def __init__(self, bases: UriBases, artifacts: Sequence[_Node]) -> None:
        self._bases, self._artifacts = bases, artifacts

    def path(self, location: _Node) -> str:
        uri, base = location.text("uri"), location.text("uriBaseId")
        number = location.whole("index")
        if uri is None and number is not None and 0 <= number < len(self._artifacts):
            listed = self._artifacts[number]
            uri, base = listed.text("uri"), listed.text("uriBaseId")
        return "" if uri is None else self._bases.path(uri, base)

    def place(self, physical: _Node) -> ToolPlace:
        region = physical.node("region")
        line = _line(region.whole("startLine"))
        end = _line(region.whole("endLine"))
        # A region that ends before the first column of a line ends with the line before it.
        if line is not None and end is not None and end > line and region.whole("endColumn") == 1:
            end -= 1
        offset = region.whole("charOffset")
        return ToolPlace(
            path=self.path(physical.node("artifactLocation")),
            line=line,
            end_line=None if line is None else max(line, end or line),
            offset=offset if line is None and offset is not None and offset >= 0 else None,
            length=region.whole("charLength") if line is None else None,
            snippet=region.node("snippet").text("text"),
        )


def _line(number: int | None) -> int | None:
    return number if number is not None and 1 <= number <= 10_000_000 else None
