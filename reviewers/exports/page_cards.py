"""Findings as cards of the HTML page, and the targets of its links."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewers.exports.markup import Markup, cut, element, joined
from reviewers.exports.wording import ToldFinding
from reviewers.records import OFFLINE, Check, Finding, Ruling, Span, moment
from reviewers.rubric import category_title, rubric
from reviewers.rules import registered
from reviewers.store.human_input import Remark, is_own
from reviewers.store.submission import FindingRuling

_LONGEST = 4_000
_CHECKS = {Check.CONFIRMED: "confirmed", Check.REFUTED: "refuted", Check.UNVERIFIED: "not verified"}
_RULINGS = {
    Ruling.CONFIRM: "confirmed",
    Ruling.DISMISS: "dismissed",
    Ruling.WITHDRAWN: "took back the ruling",
}


@dataclass(frozen=True, slots=True)
class PageCard:
    """One finding of one reviewer or person.

    Attributes:
        who: the name of either.
    """

    who: str
    told: ToldFinding

    @property
    def span(self) -> Span | None:
        """Where it is shown."""
        return self.told.finding.span


class Anchors:
    """The names of files and lines within the page.

    Args:
        paths: files in the order of the page.
        shown: number of lines that the page shows of each.
    """

    def __init__(self, paths: Sequence[str], shown: Mapping[str, int]) -> None:
        self._numbers = {path: number for number, path in enumerate(paths, 1)}
        self._shown = shown

    def file(self, path: str) -> str | None:
        """Return a file's name; None if the page has no such file."""
        return f"f{self._numbers[path]}" if path in self._numbers else None

    def link(self, span: Span) -> Markup:
        """Return a place that can be followed; plain words where the page does not show it."""
        words = cut(str(span), 300)
        name = self.file(span.file)
        if name is None:
            return element("span", words, class_="place")
        line = (
            f"l{span.line}"
            if span.line is not None and span.line <= self._shown.get(span.file, 0)
            else ""
        )
        return element("a", words, href=f"#{name}{line}", class_="place")


def card(card: PageCard, anchors: Anchors) -> Markup:
    """Return a card; what is refuted is folded."""
    told = card.told
    finding, refuted = told.finding, told.check is Check.REFUTED
    head = (
        element("b", str(told.severity), class_=f"severity {told.severity}"),
        element("span", _CHECKS[told.check], class_=f"check {told.check}"),
        element("span", card.who, class_="who"),
        element("span", _name(finding), class_="what"),
    )
    body = (
        element("p", cut(finding.claim or finding.message, _LONGEST), class_="said"),
        *_evidence(finding, anchors),
        *_reading(finding, anchors),
        element("p", _belongs(finding), class_="belongs"),
        *([ruling(told.ruling)] if told.ruling else []),
        *(remark(each) for each in told.remarks),
    )
    name = f"card {told.check} {told.severity}"
    if refuted:
        return element("details", element("summary", *head), *body, class_=name)
    return element("div", element("p", *head, class_="head"), *body, class_=name)


def ruling(said: FindingRuling) -> Markup:
    """Return a person's word on a finding."""
    words = (
        f"{_RULINGS[said.ruling]} by {said.author}, {moment(said.at)[:19].replace('T', ' ')} UTC"
    )
    reason = [": ", element("q", cut(said.reason, _LONGEST))] if said.reason else []
    return element("p", words, *reason, class_="ruling")


def remark(said: Remark) -> Markup:
    """Return a person's comment on a finding, or the severity that it was given."""
    deed = f"set to {said.severity}" if said.severity is not None else "remarked on"
    words = f"{deed} by {said.author}, {moment(said.at)[:19].replace('T', ' ')} UTC"
    comment = [": ", element("q", cut(said.comment, _LONGEST))] if said.comment else []
    return element("p", words, *comment, class_="ruling")


def span_list(spans: Iterable[Span], anchors: Anchors) -> Markup:
    """Return places, one after another."""
    links = [anchors.link(span) for span in spans]
    return joined(
        part for number, link in enumerate(links) for part in ((", ", link) if number else (link,))
    )


def _evidence(finding: Finding, anchors: Anchors) -> Iterable[Markup]:
    """What the code says to it; a rule whose message says it already is not repeated, and who saw
    it stands above.
    """
    check = finding.check
    if is_own(finding) or (
        check.evidence == finding.message and check.span in (None, finding.span)
    ):
        return
    shown = [" (", anchors.link(check.span), ")"] if check.span is not None else []
    why = (
        f" The reviewer's mistake: {str(check.misreading).replace('-', ' ')}."
        if check.misreading
        else ""
    )
    yield element("p", cut(check.evidence, _LONGEST), *shown, why, class_="evidence")


def _reading(finding: Finding, anchors: Anchors) -> Iterable[Markup]:
    """How a claim was read, and what the code says to each of its parts."""
    said = finding.understood
    if said is not None and (said.sentence or said.reader != OFFLINE):
        read = f"Understood as: {said.sentence}" if said.sentence else f"Not read: {said.why_not}"
        seen = f"; checked: {', '.join(said.looked_at)}" if said.looked_at else ""
        yield element("p", cut(f"{read} ({said.reader}{seen})", _LONGEST), class_="reading")
        for reader, sentence in said.otherwise:
            words = f"{reader} reads it otherwise: {sentence}"
            yield element("p", cut(words, _LONGEST), class_="reading")
    if finding.parts:
        items = (
            element(
                "li",
                element("span", _CHECKS[part.check.result], class_=f"check {part.check.result}"),
                " ",
                cut(part.claim, _LONGEST),
                *([" (", anchors.link(part.check.span), ")"] if part.check.span else []),
            )
            for part in finding.parts
        )
        yield element("ul", *items, class_="parts")


def _belongs(finding: Finding) -> str:
    known = rubric().criteria.get(finding.criterion) if finding.criterion is not None else None
    criterion = (
        f" · criterion {finding.criterion}" + (f" {known.title}" if known else "")
        if finding.criterion
        else ""
    )
    return f"{category_title(finding.category)}{criterion}"


def _name(finding: Finding) -> str:
    if is_own(finding):
        return "seen by a person"
    if finding.rule is None:
        return "a claim"
    known = registered().get(finding.rule)
    return f"{finding.rule} {known.name.replace('_', ' ')}" if known else finding.rule
