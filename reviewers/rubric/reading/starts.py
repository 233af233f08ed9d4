"""Which script of a prompt starts which, and which none may start."""

import re
from collections.abc import Mapping
from typing import Any

from reviewers.rubric.contract import script_of
from reviewers.rubric.reading.lines import Line
from reviewers.rubric.reading.outline import Statement
from reviewers.rubric.reading.parts import Part, code_spans, parts
from reviewers.rubric.reading.paths import names_of

ROLES = {
    "main": r"main|__main__|run|runner|launch|launcher|start|cli|app|entry|entrypoint|driver"
    r"|pipeline|run_experiments?|experiments?|execute|orchestrate|go",
    "train": r"train|training|trainer|fit|learn|finetune|fine_tune|run_training|train_model",
    "evaluate": r"evaluate|eval|evaluation|evaluator|assess|score|scoring|analy[sz]e|analysis"
    r"|compare|report|evaluate_runs|run_evaluation",
    "inference": r"inference|infer|predict|prediction|generate",
}
"""The parts of the work by the names that scripts have."""
LABELS = {
    "evaluate": r"\b(?:evaluat|assess|compar|scor|analy[sz]e)\w*",
    "train": r"\b(?:train|fit|finetun|fine-tun)\w*",
    "inference": r"\b(?:infer|predict)\w*",
}
"""The parts of the work by the words that stand before their commands."""

_MARK = "\ue001"  # stands around the part of the work in the place of a script's name
_SCRIPT = rf"{_MARK}\w+{_MARK}"
_AND = (
    r"(?:\s+as\s+an?\s+\w+)?\s*"
    r"(?:,\s*(?:(?:and|or|nor|then)\s+)?|\s(?:and|or|nor|as\s+well\s+as)\s+)"
)
_SCRIPTS = rf"{_SCRIPT}(?:{_AND}(?:by\s+|from\s+)?{_SCRIPT})*"
_ANY = r"(?:an|any|no|the)?\s?other\s+(?:script|file|command|module|program)s?"
_CALLS = (
    r"(?:calls?|starts?|launch(?:es)?|invokes?|runs?|spawns?|executes?|triggers?|dispatch(?:es)?"
    r"|delegates?\s+to|hands?\s+over\s+to)"
)
_CALLED = r"(?:called|started|launched|invoked|run|spawned|executed|triggered)"
_ACTIVE = re.compile(
    rf"(?P<who>{_SCRIPTS}|\b{_ANY})(?:\s+\w+){{0,4}}?\s+{_CALLS}\s+(?:\w+\s+){{0,2}}?"
    rf"(?P<what>{_SCRIPTS})(?=\s*(?:$|[.,;:)]|(?:as|in|for|with|once|when|after|afterwards|then|via|"
    r"through|itself|directly|per|on|using|at|or|and|and\s+waits)\b))",
    re.IGNORECASE,
)
_PASSIVE = re.compile(
    rf"(?P<what>{_SCRIPTS})(?:\s+\w+){{0,5}}?\s+{_CALLED}\s+(?:\w+\s+){{0,3}}?"
    rf"(?:by|from|in|out\s+of|through)\s+(?P<who>{_SCRIPTS}|\b(?:{_ANY}|another|anything|any\b))",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"\bindependent(?:ly)?\b|\bstand[- ]?alone\b|\bon\s+its\s+own\b|\bby\s+itself\b|\bseparately\b"
    r"|\ba\s+(?:separate|second)\s+(?:process|step|command)\b|\ba\s+process\s+of\s+its\s+own\b"
    r"|\bstarted\s+alone\b|\bruns?\s+alone\b",
    re.IGNORECASE,
)
_APART = re.compile(
    rf"({_SCRIPT})(?:\s+\w+){{0,4}}?\s+independent(?:ly)?\s+(?:of|from)\b", re.IGNORECASE
)
_DENIED = re.compile(
    r"\b(?:no|not|never|nor|neither|nothing|nobody|cannot)\b|n['’]t\b", re.IGNORECASE
)
_LEFT_OPEN = re.compile(
    r"\b(?:may|might|can|could|optional\w*|needs?|required|if|whether)\b", re.IGNORECASE
)
_NO_SUBJECT = re.compile(
    r"(?:and\s+)?(?:is|are|never|not|must|independent\w*|stand-?alone|called|run|started|executed|"
    r"launched|a\s+(?:separate|process))\b",
    re.IGNORECASE,
)
_CHILDREN = re.compile(
    r"\b(?:sub-?process(?:es)?|child(?:ren)?(?:\s+process(?:es)?)?)\b", re.IGNORECASE
)


def add_starts(
    commands: dict[str, dict[str, Any]], lines: list[Line], statements: list[Statement]
) -> None:
    """Add to the tables of commands which starts which, and which none may start."""
    said = parts(statements)
    starts: dict[str, set[str]] = {role: set() for role in commands}
    for part in said:
        text = _with_roles(part, lines, commands)
        denied, left_open = _DENIED.search(text), _LEFT_OPEN.search(text)
        for pattern in (_ACTIVE, _PASSIVE):
            for found in pattern.finditer(text):
                for role in _roles(found["what"]):
                    if denied and not re.search(r"\bneed", text):
                        commands[role]["alone"] = True
                    elif not denied and not left_open:
                        for each in _roles(found["who"]):
                            starts[each].add(role)
        apart = re.search(
            rf"({_SCRIPT})(?:\s+\w+){{0,4}}?\s+independent(?:ly)?\s+(?:of|from)\b", text
        )
        named = _roles(apart[1] if apart else text) or _of_statement(
            part.statement, lines, commands
        )
        if len(named) == 1 and _ALONE.search(text) and not denied and not left_open:
            commands[named.pop()]["alone"] = True
    _add_children(commands, lines, said, starts)
    for role, begun in starts.items():
        whole = [
            each
            for each in ROLES
            if each in begun and not commands[each].get("alone") and role not in starts[each]
        ]
        if whole:
            commands[role]["starts"] = whole


def _roles(text: str) -> set[str]:
    return set(re.findall(rf"{_MARK}(\w+){_MARK}", text))


def _of_statement(
    statement: Statement, lines: list[Line], commands: Mapping[str, dict[str, Any]]
) -> set[str]:
    """The parts whose commands stand in a statement."""
    files = {line.file for line in lines if line.statement is statement}
    return {role for role, command in commands.items() if command["file"] in files}


def _with_roles(part: Part, lines: list[Line], commands: Mapping[str, dict[str, Any]]) -> str:
    """The text of a part with scripts and their commands as parts of the work; `it` is the script
    that is named last before, else the one that its statement starts.
    """
    text = _marked(part.text, commands)
    if part.text != part.whole and _NO_SUBJECT.match(text):
        text = f"it {text}"
    elif re.match(r"(?:and\s+)?(?:not|never)\s+(?:\w+\s+)?by\b", text):
        text = f"it is not called {text}"
    if not re.search(r"\b[Ii]t\b", text):
        return text
    whole = " ".join(part.statement.text.split())
    at = whole.find(part.text[:30])
    before = re.findall(_SCRIPT, _marked(whole[: max(at, 0)], commands))
    started = _of_statement(part.statement, lines, commands)
    meant = before[-1] if before else f"{_MARK}{started.pop()}{_MARK}" if len(started) == 1 else ""
    return re.sub(r"\b[Ii]t\b", meant, text, count=1) if meant else text


def _marked(text: str, commands: Mapping[str, dict[str, Any]]) -> str:
    roles = {command["file"]: role for role, command in commands.items()}
    for span in code_spans(text):
        if " " in span and (role := roles.get(script_of(span))):
            text = text.replace(span, f"{_MARK}{role}{_MARK}")
    text = re.sub(r"\s[\w.+-]+=\S+", " ", text.replace("`", ""))
    for file, role in roles.items():
        text = re.sub(names_of(file), f"{_MARK}{role}{_MARK}", text)
    return text


def _add_children(
    commands: Mapping[str, dict[str, Any]],
    lines: list[Line],
    said: list[Part],
    starts: dict[str, set[str]],
) -> None:
    """What the main script starts where its command is called by another part of the work, or where
    its children are spoken of without their names.
    """
    main = commands.get("main")
    if main is None:
        return
    begun = {role for role in commands if role != "main" and not commands[role].get("line")}
    labels = " ".join(line.label for line in lines if line.file == main["file"])
    for role in begun & set(LABELS):
        if re.search(LABELS[role], labels, re.IGNORECASE):
            starts["main"].add(role)
    if any(
        _CHILDREN.search(part.text)
        and not part.denied
        and _roles(_marked(part.text, commands)) == {"main"}
        for part in said
    ):
        starts["main"] |= begun


def by_role(text: str, commands: Mapping[str, Mapping[str, Any]]) -> str:
    """Return a prompt with its scripts called by their parts in the work: `evaluate.py`."""
    for role, command in commands.items():
        text = re.sub(names_of(command["file"]), f"{role}.py", text)
    return "\n".join(map(_named_again, text.split("\n")))


def _named_again(line: str) -> str:
    """A line with the script that was named last in the place of an `it` that begins a sentence."""
    last = ""
    sentences = re.split(r"((?:[.;]|\*\*)\s+)", line)
    for at, sentence in enumerate(sentences):
        if last:
            sentences[at] = re.sub(r"^(?:and\s+)?[Ii]t\b", last, sentence)
        named = re.findall(rf"(?<![\w/])(?:{'|'.join(ROLES)})\.py\b", sentence)
        last = named[0] if named else last
    return "".join(sentences)
