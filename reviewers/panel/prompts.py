"""What a model is asked: the contract, and the submission as plain numbered text that cannot leave
its place.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from reviewers.backends.base import AnswerForm, Message
from reviewers.backends.configured import Form
from reviewers.bundles.secrets import is_secret
from reviewers.errors import TooLong
from reviewers.outcomes.masking import without_keys
from reviewers.panel.asked import in_submission, in_system
from reviewers.panel.fencing import as_written, fence_of, numbered, prefixed, shown_path, visible
from reviewers.panel.forms import answer_form, categories
from reviewers.panel.tokens import estimate
from reviewers.records import Finding, ResearchContext, Review, SourceFile, Submission, lines_of
from reviewers.rubric.choice import contract_of
from reviewers.rubric.contract import Contract

VERSIONS: Mapping[Form, int] = {"findings": 5, "recorded": 3}
_REBUTTAL = 1
"""Of the templates; a released one is never edited."""
_FOR_EACH_MESSAGE = 4  # tokens that servers add around a message
_TEXTS = (".py", ".toml", ".yaml", ".yml", ".md", ".txt", ".json", ".cfg", ".ini", ".sh")
_LONGEST_ANSWER = 100_000
_MOST_CHECKED = 40


@dataclass(frozen=True, slots=True)
class PromptPart:
    """A part of the prompt by its name on screen, with its estimated size."""

    title: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """What is sent.

    Attributes:
        template: form and version, such as `findings/3`.
        form: of the answer that is asked for.
        parts: what it is made of, in order.
        tokens: estimated size of all messages.
    """

    template: str
    messages: tuple[Message, ...]
    form: AnswerForm
    parts: tuple[PromptPart, ...]
    tokens: int


def build_prompt(submission: Submission, form: Form, only: Sequence[str] | None = None) -> Prompt:
    """Return the question about a submission.

    The first message is the same for every submission of a contract, the second one the same for
    both forms up to its last line. The text for reading is shown, as on screen: what a logger
    damaged is no defect of the code.

    Args:
        only: paths of the files to show, run configs included; the others are listed by name and
            length. None for all.
    """
    contract = contract_of(submission).contract
    system = _system(form, contract)
    fence = fence_of(submission)
    sections = list(_sections(submission, contract, fence, only))
    last = _template(f"{form}_{VERSIONS[form]}_last").strip()
    end = f"=== {fence} end of the submission\n{last}"
    parts = tuple(
        PromptPart(title, estimate(text)) for title, text in [("system", system), *sections]
    )
    tokens = (
        sum(part.tokens for part in parts) + estimate(end) + len(sections) + 2 * _FOR_EACH_MESSAGE
    )
    messages = (
        Message("system", system),
        Message("user", without_keys("\n".join([*(text for _, text in sections), end]))),
    )
    return Prompt(f"{form}/{VERSIONS[form]}", messages, answer_form(form, contract), parts, tokens)


def split_prompts(submission: Submission, form: Form, room: int) -> list[Prompt]:
    """Return as few prompts as show every file with the research context and fit, each, into so
    many tokens.

    Raises:
        TooLong: one file alone does not fit.
    """
    whole = build_prompt(submission, form)
    if whole.tokens <= room:
        return [whole]
    bare = build_prompt(submission, form, only=()).tokens
    sizes = {
        path: estimate(_file(file, "")) + _HEADING for path, file in submission.by_path.items()
    }
    loads: list[list[str]] = []
    for path in sorted(sizes, key=lambda path: -sizes[path]):
        if bare + sizes[path] > room:
            raise TooLong(
                f"about {bare + sizes[path]:,} tokens of {path} with the research context do not"
                f" fit into {room:,}; choose a model with a larger window"
            )
        load = next(
            (load for load in loads if bare + sum(sizes[one] for one in [*load, path]) <= room),
            None,
        )
        if load is None:
            loads.append([path])
        else:
            load.append(path)
    return [build_prompt(submission, form, only=load) for load in loads]


def rebuttal_prompt(
    prompt: Prompt, before: Review, refuted: Sequence[Finding], missed: Sequence[Finding]
) -> Prompt:
    """Return the same question, the answer that was given, and what the code says to it.

    Args:
        refuted: findings of the answer that the code refutes.
        missed: blockers that are proven and that it does not name.
    """
    answer = "\n".join(
        visible(as_written(line))
        for line in lines_of((before.raw or before.text or "")[:_LONGEST_ANSWER])
    )
    checked = "\n".join(
        [
            *_list("Refuted by the code:", refuted),
            *_list("Proven by static checks, and not named:", missed),
        ]
    )
    question = _template(f"rebuttal_{_REBUTTAL}").strip().replace("{checked}", checked)
    said = (Message("assistant", without_keys(answer)), Message("user", without_keys(question)))
    messages = (*prompt.messages, *said)
    added = (
        PromptPart("answer before", estimate(answer)),
        PromptPart("rebuttal", estimate(question)),
    )
    return replace(
        prompt,
        template=f"{prompt.template}+rebuttal/{_REBUTTAL}",
        messages=messages,
        parts=(*prompt.parts, *added),
        tokens=prompt.tokens + sum(part.tokens + _FOR_EACH_MESSAGE for part in added),
    )


_HEADING = 60
"""Tokens that a heading has at most."""


@cache
def _template(name: str) -> str:
    return resources.files(__package__).joinpath("templates", f"{name}.txt").read_text("utf-8")


def _system(form: Form, contract: Contract) -> str:
    text = _template(f"{form}_{VERSIONS[form]}").strip()
    said = {"{categories}": ", ".join(categories()), "{contract}": in_system(contract)}
    if "{vocabulary}" in text:
        # It loads all facts, which who only reads answers does without.
        from reviewers.panel.short_vocabulary import short_vocabulary

        said["{vocabulary}"] = short_vocabulary()
    for name, words in said.items():
        text = text.replace(name, words)
    return text


def _sections(
    submission: Submission, contract: Contract, fence: str, only: Sequence[str] | None
) -> Iterator[tuple[str, str]]:
    """Title and text of each part: what is asked, the context, run configs, files, and the names of
    what is not shown.
    """
    if (asked := in_submission(contract)) is not None:
        yield "contract", f"=== {fence} what was asked of this submission\n{asked}"
    yield "context", "\n".join([f"=== {fence} research context", *_context(submission.context)])
    runs = {run.file.path: run.file for run in submission.runs}
    for path, file in {**runs, **{file.path: file for file in submission.files}}.items():
        if only is None or path in only:
            yield path, _file(file, fence)
    if only is not None and (
        others := [file for path, file in submission.by_path.items() if path not in only]
    ):
        names = (f"> {shown_path(file.path)}, {len(lines_of(file.text))} lines" for file in others)
        yield (
            "files not shown",
            "\n".join([f"=== {fence} files that are there but not shown here", *names]),
        )


def _file(file: SourceFile, fence: str) -> str:
    path = shown_path(file.path)
    if is_secret(file.path):
        return f"=== {fence} file left out, since by its name it holds secrets, {path}"
    if not file.data:
        return f"=== {fence} empty file {path}"
    if b"\0" in file.data and not file.path.endswith(_TEXTS):
        return f"=== {fence} binary file of {len(file.data):,} bytes, not shown, {path}"
    return f"=== {fence} file {path}\n{numbered(without_keys(file.reading))}"


def _context(context: ResearchContext) -> Iterator[str]:
    """Each field once: bundles repeat the method and the metric under several names."""
    told: set[str] = set()
    fields = [
        *_named("hypothesis", context.hypothesis),
        ("method", context.method or ""),
        *_named("experiment design", context.design),
        ("primary metric", context.primary_metric or ""),
    ]
    for name, text in fields:
        if text.strip() and text.strip() not in told:
            told.add(text.strip())
            yield f"> [{shown_path(name)}]"
            yield prefixed(text)
    if not told:
        yield "> none given"


def _named(source: str, fields: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((f"{source}: {name}", text) for name, text in fields.items())


def _list(heading: str, findings: Sequence[Finding]) -> Iterator[str]:
    if not findings:
        return
    yield heading
    for finding in findings[:_MOST_CHECKED]:
        said, evidence = finding.claim or finding.message, finding.check.evidence
        place = shown_path(str(finding.check.span or finding.span or "no place"))
        yield prefixed(
            f"- {said}\nEvidence ({place}): {evidence}"
            if evidence not in said
            else f"- {said} ({place})"
        )
    if len(findings) > _MOST_CHECKED:
        yield f"and {len(findings) - _MOST_CHECKED} more"
