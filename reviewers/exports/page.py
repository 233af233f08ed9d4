"""One submission as one HTML page without network access or scripts: code with cards, verdicts,
decisions, context.
"""

import hashlib
from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files

from reviewers.exports.markup import Markup, cut, element, joined
from reviewers.exports.page_cards import (
    Anchors,
    PageCard,
    card,
    remark,
    ruling,
    span_list,
)
from reviewers.exports.page_code import code_lines
from reviewers.exports.wording import Voice, attempt_words, date_words, told_of, voices
from reviewers.matching.rows import MergedFinding, merged
from reviewers.outcomes.masking import without_keys
from reviewers.records import Check, Finding, SourceFile, Verdict, lines_of, moment
from reviewers.rubric import category_title
from reviewers.store.human_input import PEOPLE
from reviewers.store.submission import Decision, SubmissionRecord

MOST_CODE = 8_000_000
"""Characters of markup that code may take; files that do not fit are named, and not shown."""
MOST_COLOURED = 600_000
"""Characters of code that are coloured, which takes a second or two; the files after them are shown
plain.
"""
MOST_CARDS = 2_000
_LONGEST = 8_000
_WORDS = {Verdict.READY: "ready", Verdict.NOT_READY: "not ready", None: "failed"}


def html_page(record: SubmissionRecord) -> str:
    """Return the page; the same record gives the same one, and it may be opened anywhere.

    Nothing of the submission is markup in it: its policy forbids scripts and every request,
    whatever a browser would make of the text. Findings are under the lines that they are about,
    refuted ones folded.
    """
    submission = record.submission
    everyone = tuple(voices(record))
    cards = [PageCard(voice.name, told) for voice in everyone for told in voice.told]
    seen = told_of(record, (own.finding for own in record.own))
    cards += [PageCard(str(own.author), told) for own, told in zip(record.own, seen, strict=True)]
    ordered = sorted(submission.by_path.values(), key=_reading_order)
    code = dict(_shown(ordered))
    anchors = Anchors(
        [file.path for file in ordered], {path: len(lines) for path, lines in code.items()}
    )
    body = (
        _head(record),
        _section(
            "Verdicts", element("div", *(_column(voice) for voice in everyone), class_="columns")
        ),
        _section("Findings", _merged(everyone, record, anchors)),
        _section("People", _people(record)),
        _section("Code", *_files(ordered, code, cards[:MOST_CARDS], anchors)),
        _left_over(cards),
        _section("Research context", *_context(record)),
    )
    title = element("title", f"{cut(submission.name, 200)} · areachair")
    head = (
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_policy()),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        title,
        Markup(f"<style>{_style()}</style>"),
    )
    page = element(
        "html", element("head", *head), element("body", element("main", *body)), lang="en"
    )
    return without_keys(f"<!doctype html>\n{page}\n")


@cache
def _style() -> str:
    return files(__package__).joinpath("page.css").read_text("utf-8")


@cache
def _policy() -> str:
    digest = b64encode(hashlib.sha256(_style().encode()).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _section(title: str, *children: str) -> Markup:
    return element("section", element("h2", title), *children) if any(children) else Markup("")


def _head(record: SubmissionRecord) -> Markup:
    submission = record.submission
    attempt = (
        f"{submission.lineage}, {attempt_words(submission.attempt)}"
        if submission.lineage and submission.attempt is not None
        else ""
    )
    facts = (
        ("Submission", submission.id),
        ("Lineage", attempt),
        ("Bundle", cut(submission.source, 500)),
        ("Generated", date_words(submission.generated)),
        ("Imported", _time(moment(record.imported_at))),
        ("Primary metric", cut(submission.context.primary_metric or "", 500)),
    )
    decided = record.decision
    verdict = "undecided" if decided is None else f"decided: {_WORDS[decided.verdict]}"
    mark = "open" if decided is None else str(decided.verdict)
    rows = [
        part
        for name, value in facts
        if value
        for part in (element("dt", name), element("dd", value))
    ]
    heading = element(
        "h1", cut(submission.name, 200), " ", element("span", verdict, class_=f"verdict {mark}")
    )
    return element("header", heading, element("dl", *rows))


def _column(voice: Voice) -> Markup:
    review = voice.stored.review
    counts = Counter(told.check for told in voice.told)
    counted = (
        " · ".join(f"{counts[check]} {words}" for check, words in _COUNTED if counts[check])
        or "no findings"
    )
    took = [] if review.seconds is None else [f"{review.seconds:.1f} s"]
    took += [] if review.cost_usd is None else [f"${review.cost_usd:.4f}"]
    facts = " · ".join([review.model or "", *took, _time(moment(voice.stored.at))]).strip(" ·")
    children = [
        element("h3", voice.name),
        element("p", _WORDS[review.verdict], class_=f"verdict {review.verdict or 'failed'}"),
        element("p", counted, class_="counts"),
        element("p", facts, class_="belongs"),
    ]
    if review.partial and not review.failure:
        children.append(element("p", cut(review.partial_words, _LONGEST), class_="evidence"))
    if review.failure:
        children.append(element("p", cut(review.failure, _LONGEST), class_="evidence"))
    said = review.text or (review.raw if review.failure else None)
    if said:
        children.append(
            element("details", element("summary", "its words"), element("pre", cut(said, _LONGEST)))
        )
    return element("div", *children, class_="column")


_COUNTED = (
    (Check.CONFIRMED, "confirmed"),
    (Check.REFUTED, "refuted"),
    (Check.UNVERIFIED, "not verified"),
)


def _merged(everyone: Sequence[Voice], record: SubmissionRecord, anchors: Anchors) -> Markup:
    """Every defect once, the worst that stands first; what is refuted is folded."""
    said: dict[str, Sequence[Finding]] = {
        voice.name: record.said.ruled(voice.stored.review).findings for voice in everyone
    }
    if record.own:
        said[PEOPLE] = [record.said.counted(own.finding) for own in record.own]
    rows = sorted(
        merged(said),
        key=lambda row: (row.severity.rank, row.state is not Check.CONFIRMED),
    )
    standing = [row for row in rows if row.state is not Check.REFUTED]
    refuted = [row for row in rows if row.state is Check.REFUTED]
    parts = (
        [_table(standing[:MOST_CARDS], anchors)] if standing else [element("p", "Nothing stands.")]
    )
    if refuted:
        words = f"{len(refuted)} refuted"
        parts.append(
            element("details", element("summary", words), _table(refuted[:MOST_CARDS], anchors))
        )
    return joined(parts) if rows else Markup("")


def _table(rows: Sequence[MergedFinding], anchors: Anchors) -> Markup:
    heads = element(
        "tr",
        *(element("th", name) for name in ("Severity", "Check", "Finding", "Place", "Named by")),
    )
    return element(
        "table",
        element("thead", heads),
        element("tbody", *(_row(row, anchors) for row in rows)),
        class_="merged",
    )


def _row(row: MergedFinding, anchors: Anchors) -> Markup:
    words = dict(_COUNTED)[row.state]
    title = (cut(row.title, 1_000), element("small", category_title(row.category)))
    return element(
        "tr",
        element("td", element("b", str(row.severity), class_=f"severity {row.severity}")),
        element("td", element("span", words, class_=f"check {row.state}")),
        element("td", *title),
        element("td", span_list([row.span] if row.span else [], anchors)),
        element("td", ", ".join(row.mentions)),
    )


def _people(record: SubmissionRecord) -> Markup:
    decisions = [element("li", _decided(decision)) for decision in record.decisions]
    messages = {finding.id: finding.message for finding in record.findings}

    def on(id: str, word: Markup) -> Markup:
        return element("li", element("span", cut(messages.get(id, id), 300)), word)

    said = [on(each.finding_id, ruling(each)) for each in record.rulings]
    remarked = [on(each.finding_id, remark(each)) for each in record.remarks]
    parts = [element("h3", "Decisions"), element("ul", *decisions)] if decisions else []
    parts += [element("h3", "Rulings on findings"), element("ul", *said)] if said else []
    parts += (
        [element("h3", "Severities and comments"), element("ul", *remarked)] if remarked else []
    )
    return joined(parts) if parts else element("p", "Nobody has decided yet.")


def _decided(decision: Decision) -> Markup:
    verdict = "withdrawn" if decision.verdict is None else _WORDS[decision.verdict]
    mark = element("span", verdict, class_=f"verdict {decision.verdict or 'open'}")
    reason = [": ", element("q", cut(decision.reason, _LONGEST))] if decision.reason else []
    return joined([mark, f" by {decision.author}, {_time(moment(decision.at))}", *reason])


def _shown(ordered: Sequence[SourceFile]) -> Iterator[tuple[str, list[Markup]]]:
    """The lines of each file while there is room."""
    left, room = MOST_CODE, MOST_COLOURED
    for file in ordered:
        lines = []
        coloured = code_lines(file, room)
        room -= len(file.reading)
        for line in coloured:
            left -= len(line) + _FRAME
            if left < 0:
                break
            lines.append(line)
        yield file.path, lines


_FRAME = 60
"""Characters of markup around a line."""


def _files(
    ordered: Sequence[SourceFile],
    code: dict[str, list[Markup]],
    cards: Sequence[PageCard],
    anchors: Anchors,
) -> Iterator[Markup]:
    by_file: dict[str, list[PageCard]] = defaultdict(list)
    for each in cards:
        by_file[each.span.file if each.span else ""].append(each)
    for file in ordered:
        yield _file(file, code[file.path], by_file.pop(file.path, []), anchors)
    unplaced = by_file.pop("", [])
    for path, absent in by_file.items():
        yield element(
            "article",
            element("h3", f"{cut(path, 300)} (absent)"),
            *(card(each, anchors) for each in absent),
        )
    if unplaced:
        yield element(
            "article", element("h3", "Without a place"), *(card(each, anchors) for each in unplaced)
        )


def _file(
    file: SourceFile, lines: Sequence[Markup], cards: Sequence[PageCard], anchors: Anchors
) -> Markup:
    name = anchors.file(file.path) or ""
    under: dict[int, list[PageCard]] = defaultdict(list)
    for each in cards:
        line = each.span.end_line if each.span and each.span.end_line else 0
        under[line if line <= len(lines) else len(lines)].append(each)
    marked = {
        line
        for each in cards
        if each.told.check is not Check.REFUTED
        and each.span
        and each.span.line
        and each.span.end_line
        for line in range(each.span.line, min(each.span.end_line, len(lines)) + 1)
    }
    rows = [card(each, anchors) for each in under[0]]
    for number, code in enumerate(lines, 1):
        rows.append(_line(name, number, code, number in marked))
        rows += [card(each, anchors) for each in under.get(number, ())]
    total = len(lines_of(file.reading))
    if len(lines) < total:
        rows.append(
            element("p", f"{total - len(lines):,} further lines are not shown.", class_="belongs")
        )
    note = (
        [element("p", "Decoded wrongly once; shown as it was meant.", class_="belongs")]
        if file.repaired
        else []
    )
    return element(
        "article",
        element("h3", cut(file.path, 300), id=name),
        *note,
        element("div", *rows, class_="code"),
    )


def _line(name: str, number: int, code: Markup, marked: bool) -> Markup:
    # Written out: there may be twenty thousand of them.
    hit = ' class="hit"' if marked else ""
    return Markup(f'<div id="{name}l{number}"{hit}><b>{number}</b><code>{code}</code></div>')


def _left_over(cards: Sequence[PageCard]) -> Markup:
    more = len(cards) - MOST_CARDS
    return (
        element("p", f"{more:,} further findings are not shown.", class_="belongs")
        if more > 0
        else Markup("")
    )


def _context(record: SubmissionRecord) -> Iterator[Markup]:
    context = record.submission.context
    named = [
        (name.replace("_", " "), words)
        for part in (context.hypothesis, context.design)
        for name, words in part.items()
    ]
    fields = [("Primary metric", context.primary_metric), ("Method", context.method), *named]
    for title, words in fields:
        if words and words.strip():
            yield element("h3", cut(f"{title[:1].upper()}{title[1:]}", 200))
            yield element("p", cut(words, 20_000), class_="prose")
    if context.criteria and context.criteria.strip():
        summary = element("summary", "Criteria given to the recorded reviewer")
        yield element(
            "details", summary, element("p", cut(context.criteria, 40_000), class_="prose")
        )


def _reading_order(file: SourceFile) -> tuple[int, tuple[str, str, str]]:
    """Code first, run configs last."""
    rank = (
        0
        if file.path.startswith("src/")
        else 2
        if file.path.startswith(("config/runs/", "config/run/"))
        else 1
    )
    return rank, file.path.rpartition("/")


def _time(at: str) -> str:
    return f"{at[:19].replace('T', ' ')} UTC"
