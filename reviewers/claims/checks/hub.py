"""Claims about models and data sets of the Hugging Face hub: of what kind they are, and what they
have.
"""

import re
from collections.abc import Iterator

from reviewers.claims.checks.base import Answer, Case, check, code, confirmed, join, remark
from reviewers.facts.hub_datasets import HubDataset, find_dataset, is_absent, name_instead
from reviewers.facts.hub_models import Architecture, architecture_of, is_gated, is_unpadded
from reviewers.records import Span

_IDENTIFIER = re.compile(r"[A-Za-z][\w.-]*\d?[\w.-]*(?:/[\w.-]+)?")
_KIND = re.compile(
    r"\b(?:is|are) (?P<no>not |no )?(?:actually |in fact |only )?(?:an? )?"
    r"(?P<kind>causal(?:[- ](?:lm|language))?|decoder[- ]only|auto-?regressive|encoder[-"
    r" ]only|masked[- ](?:lm|language)|"
    r"encoder[- ]decoder|seq(?:uence)?[- ]?(?:2|to)[- ]?seq(?:uence)?)\b"
)
_CANNOT = re.compile(
    r"\b(?:cannot|can ?not|not|never|n['’]t) (?:be"
    r" )?(?:support|accept|take|load|work|instantiat|used)\w*|\bunsupported\b|"
    r"\b(?:will|would) (?:rais|fail|crash|throw|reject)\w*|\b(?:rais|fail|crash|throw|reject)\w*"
)


@check("model_kind")
def model_kind(case: Case) -> Answer:
    """A model is causal, masked or a sequence-to-sequence model as the classes say that take its
    architecture.
    """
    match = _KIND.search(case.said)
    if match is None or case.claim.hedged or case.claim.own.errors:
        return None
    found = list(_architectures(case.claim.text[: match.start() + 40]))
    if len(found) != 1:
        return None
    name, architecture = found[0]
    is_so = _is_of(architecture, match["kind"])
    if is_so is None:
        return None
    takes = join([f"AutoModelFor{task}" for task in sorted(architecture.auto)])
    evidence = f"{name} is of the architecture {architecture.name}, which {takes} take"
    return confirmed(evidence) if is_so is not bool(match["no"]) else remark(evidence)


def _is_of(architecture: Architecture, kind: str) -> bool | None:
    if kind.startswith(("encoder-decoder", "encoder decoder", "seq")):
        return "Seq2SeqLM" in architecture.auto
    masked = "MaskedLM" in architecture.auto and "Seq2SeqLM" not in architecture.auto
    causal = "CausalLM" in architecture.auto and not {"MaskedLM", "Seq2SeqLM"} & architecture.auto
    if not (masked or causal or "Seq2SeqLM" in architecture.auto):
        return None
    return masked if kind.startswith(("encoder", "masked")) else causal


def _architectures(text: str) -> Iterator[tuple[str, Architecture]]:
    """The models that a text names, one of each architecture."""
    seen = set()
    for match in _IDENTIFIER.finditer(text):
        name = match.group().rstrip(".-")
        found = architecture_of(name) or (
            architecture_of(name.rpartition("/")[2]) if "/" in name else None
        )
        if found is not None and found.name not in seen:
            seen.add(found.name)
            yield name, found


def _named(case: Case, name: str) -> Span | None:
    """Where the submission names a model or data set."""
    wanted = name.casefold()
    for path in sorted(
        case.facts.submission.by_path, key=lambda path: (not path.endswith((".yaml", ".yml")), path)
    ):
        for number, line in enumerate(case.facts.lines(path), 1):
            if wanted in line.casefold() and not path.endswith((".md", ".toml")):
                return Span(path, number)
    return None


_AUTO = re.compile(r"\bAutoModelFor\w+")


@check("auto_class")
def auto_class(case: Case) -> Answer:
    """ "AutoModelForX cannot load Y": true where Y's architecture is not among those that the class
    takes, false where it is.
    """
    classes = list(dict.fromkeys(_AUTO.findall(case.claim.text)))
    if len(classes) != 1 or not _CANNOT.search(case.said) or case.claim.hedged:
        return None
    if {error.casefold() for error in case.claim.own.errors} - {"valueerror"}:
        return None
    found = list(_architectures(case.claim.text)) or list(
        _architectures(" ".join(case.claim.before[-2:]))
    )
    calls = case.search.calls(classes[0], case.facts.python) or [
        Span(path, call.line)
        for path, file in case.facts.python.items()
        for call in file.calls
        if classes[0] in (call.name or "")
    ]
    if len(found) != 1 or not calls:
        return None
    name, architecture = found[0]
    takes = architecture.takes(classes[0])
    evidence = (
        f"{name} is of the architecture {architecture.name}, which {classes[0]}"
        f" {'takes' if takes else 'does not take'}"
    )
    if not takes:
        return confirmed(f"{evidence}: ValueError: Unrecognized configuration class", calls[0])
    return remark(evidence, calls[0]) if not case.claim.points_back else None


_NO_LAYER = re.compile(
    r"\b(?:no|not|never|n['’]t|lacks?|without)\b[^.;]*\b(?:layers?|modules?|projections?|have|exist|called|named|contain|match)\b|"
    r"\b(?:layers?|modules?)\b[^.;]*\b(?:not|n['’]t)\b"
)


@check("layer_names")
def layer_names(case: Case) -> Answer:
    """ "BERT has no q_proj": true where no module of the architecture goes by that name, false
    where one does.
    """
    if (
        case.claim.hedged
        or not _NO_LAYER.search(case.said)
        or {error.casefold() for error in case.claim.own.errors} - {"valueerror"}
    ):
        return None
    found = list(_architectures(case.claim.text))
    words = [
        word
        for each in (*case.claim.own.quotes, *case.claim.own.names)
        for word in re.findall(r"[a-z]+(?:_[a-z\d]+)+", each)
    ]
    words = [word for word in dict.fromkeys(words) if word not in ("target_modules", "model_name")]
    if len(found) != 1 or not words:
        return None
    name, architecture = found[0]
    there = [word for word in words if architecture.has(word)]
    span = next(case.search.word(words[0]), None)
    if not there:
        return confirmed(
            f"no module of {architecture.name} is called"
            f" {join([code(word) for word in words], 'or')}; its layers are"
            f" {join(list(architecture.linear), most=8)}",
            span,
        )
    if len(there) == len(words):
        return remark(
            f"{name} is of the architecture {architecture.name}, which has"
            f" {join([code(word) for word in there])}",
            span,
        )
    return None


_GATED = re.compile(
    r"\bgated\b|\b(?:requires?|needs?)\b[^.;]*\b(?:access|authenticat\w+|token|licen[cs]e|approval|log-?in|permission)\b"
)
_UNPADDED = re.compile(
    r"\b(?:no|without|lacks?|lacking|missing)\b[^.;]*\bpad(?:ding)?[ _]token\b|"
    r"\bpad(?:ding)?[ _]token\b[^.;]*\b(?:not|none|missing)\b"
)


@check("hub_model")
def hub_model(case: Case) -> Answer:
    """Whether a model of the hub is gated, and whether its tokenizer comes without a padding
    token.
    """
    if case.claim.hedged or case.claim.own.errors or len(case.said.split()) > 30:
        return None
    names = [match.group().rstrip(".-") for match in _IDENTIFIER.finditer(case.claim.text)]
    if _GATED.search(case.said) and not case.denies:
        for name in names:
            if gated := _full_name(case, name, is_gated):
                return confirmed(
                    f"{gated} is gated: the hub hands it out to accounts alone that were granted"
                    " access",
                    _named(case, gated),
                )
    if _UNPADDED.search(case.said) and not any(
        "pad_token" in file.text for file in case.facts.python.values()
    ):
        for name in names:
            if unpadded := _full_name(case, name, is_unpadded):
                return confirmed(
                    f"{unpadded} comes without a padding token", _named(case, unpadded)
                )
    return None


def _full_name(case: Case, name: str, holds: object) -> str | None:
    """The identifier, as a claim or a run configuration writes it, of which something holds."""
    known = [name] if architecture_of(name) else []
    for run in case.facts.submission.runs:
        known += [
            each
            for each in _IDENTIFIER.findall(run.file.text)
            if name.casefold() in each.casefold() and len(name) > 4
        ]
    assert callable(holds)
    return next((each for each in known if holds(each)), None)


_NOT_ON_HUB = re.compile(
    r"\b(?:not|n['’]t|never) (?:\w+ )?(?:exist|found|available|on the hub|a valid)\b|"
    r"\b(?:no such|non-?existent|unknown|invalid|wrong)\b[^.;]*\bdata-?sets?\b|"
    r"\bdata-?sets? (?:name|id\w*)\b[^.;]*\b(?:wrong|invalid|incorrect|typo)"
)
_NO_COLUMN = re.compile(
    r"\b(?:no|not|n['’]t|lacks?|without|missing)\b[^.;]*\b(?:columns?|fields?|keys?|features?|splits?)\b"
)


@check("hub_data_set")
def hub_data_set(case: Case) -> Answer:
    """Whether the hub has a data set, and whether that has a column or split; only of data sets
    that are known.
    """
    if case.claim.hedged or {each.casefold() for each in case.claim.own.errors} - {
        "keyerror",
        "valueerror",
        "datasetnotfounderror",
    }:
        return None
    quoted = [*case.claim.own.quotes, *case.claim.own.names]
    words = list(
        dict.fromkeys(
            word
            for each in (*quoted, case.claim.text)
            for word in re.findall(r"[\w.-]+(?:/[\w.-]+)?", each)
        )
    )
    if _NOT_ON_HUB.search(case.said) and not case.said.count("column"):
        gone = [word for word in words if is_absent(word)]
        if len(gone) == 1:
            instead = name_instead(gone[0])
            return confirmed(
                f"the hub has no data set {gone[0]}"
                + (f"; {instead} is mostly meant" if instead else ""),
                _named(case, gone[0]),
            )
        known = [
            (word, found)
            for word in quoted
            if (found := find_dataset(word)) is not None and found.script is None
        ]
        if (
            len(known) == 1
            and not gone
            and re.search(r"\bnot exist\b|\bhub\b|\bhugging ?face\b", case.said)
        ):
            return remark(
                f"the hub has the data set {known[0][1].id}",
                _named(case, known[0][0]),
            )
    return _part_of(case, words, quoted) if _NO_COLUMN.search(case.said) else None


def _part_of(case: Case, words: list[str], quoted: list[str]) -> Answer:
    found = [
        (word, each)
        for word in words
        if (each := find_dataset(word)) is not None and (each.columns or each.splits)
    ]
    if len({each.id for _, each in found}) != 1:
        return None
    name, known = found[0]
    config = next(
        (
            each
            for word in words
            if word in known.configs and (each := find_dataset(name, word)) is not None
        ),
        known,
    )
    is_split = "split" in case.said
    has: tuple[str, ...] = tuple(config.splits if is_split else config.columns)
    asked = [
        word
        for word in quoted
        if re.fullmatch(r"[A-Za-z_]\w*", word) and word not in (name, known.id, *known.configs)
    ]
    if not has or len(asked) != 1 or (not is_split and _needs_configuration(known, config)):
        return None
    sort = "split" if is_split else "column"
    shown = f"{config.id} has the {sort}s {join(list(has), most=8)}"
    return (
        remark(shown, _named(case, asked[0]))
        if asked[0] in has
        else confirmed(f"{shown}, and no {asked[0]}", _named(case, name))
    )


def _needs_configuration(known: HubDataset, chosen: HubDataset) -> bool:
    return known.needs_config and chosen is known
