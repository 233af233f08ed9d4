"""What a text names of the code and how it is worded: the last signal, and the only module of the
matcher that reads text. It knows names from words by how they are spelled, never by a sentence.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz import fuzz

from reviewers.matching.thresholds import FEWEST_QUOTED, FEWEST_WORDS

_LONGEST = 2_000
_QUOTED = re.compile(r"(?<!\w)[`'\"“](?P<name>[^`'\"”\n]{1,120})[`'\"”]")
_CODE = re.compile(
    r"\b(?:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|\w*[a-z0-9]_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*)"
)
_DOTTED = re.compile(r"[a-z_]\w*(?:\.[a-z_]\w*)+")
_HUB = re.compile(r"\b[A-Za-z][\w.-]{1,60}/[A-Za-z][\w.-]{1,100}")
_FILE = re.compile(
    r"(?<![\w./{}<>*-])[\w./{}<>*-]*\.(?:py|ya?ml|toml|json|txt|md|csv|pdf)\b"
    r"|\b(?:src|config)/[\w./-]*|\bsrc\.\w+"
)
_HYPHENED = re.compile(r"\b[A-Za-z]\w{1,40}(?:-\w{1,40})+\b")
_PART = re.compile(r"[A-Za-z_][\w-]*")
_WORD = re.compile(r"[^\W\d]\w+")
_ERROR = re.compile(r"\b[A-Z]?\w{0,60}(?:Error|Exception)\b")
_COMMON_WORDS = (
    "and args bool cfg class config data dataset datasets def dict dictconfig error errors"
    " evaluate false file float for from full full_key has huggingface hydra import int json key"
    " keys kwargs line list main mode model module name none not numpy object object_type"
    " omegaconf optuna path preprocess project pyproject python pytorch results_dir return run"
    " run_id run_ids runs self src str struct the toml torch train training transformers trial"
    " true dependencies type uv value values wandb with yaml"
)
"""What is named so often that two texts share nothing by sharing it."""
_FILLING_WORDS = (
    "a an and are as at be because but by for from has have in is it its no not of on or so that"
    " the there therefore this to was which will with would"
)

_COMMON, _FILLING = frozenset(_COMMON_WORDS.split()), frozenset(_FILLING_WORDS.split())


@dataclass(frozen=True)
class Words:
    """A text, as it can be compared.

    Attributes:
        names: what of the code it names, in lower case: dotted names and their parts, what it
            quotes, packages and names on the hub without their owner.
        telling: those of the names that hardly anything else has.
        errors: names of errors, without modules.
        content: its words in lower case without files and words that say nothing.
    """

    names: frozenset[str]
    telling: frozenset[str]
    errors: frozenset[str]
    content: frozenset[str]

    @cached_property
    def line(self) -> str:
        """The content in one line, hyphened words by their parts alone; empty where it is too
        little to be compared.
        """
        parts = {each: set(each.split("_")) for each in self.content}
        words = [each for each in parts if len(parts[each]) == 1 or not parts[each] <= self.content]
        enough = len(words) >= (FEWEST_WORDS - bool(self.names))
        return " ".join(sorted(words)) if enough else ""

    @cached_property
    def subject(self) -> frozenset[str]:
        """Its names; its words without errors where it has no names."""
        return self.names or self.content - {error.lower() for error in self.errors}

    def share_names(self, other: "Words") -> bool | None:
        """Whether both name the same of the code; None where one of them names nothing."""
        mine, its = self.names, other.names
        if mine and not (mine.isdisjoint(its) and mine.isdisjoint(other.content)):
            return True
        if its and not its.isdisjoint(self.content):
            return True
        return False if mine and its else None

    def overlap(self, other: "Words") -> float | None:
        """Which share of the subject of the one with less the other has, too, 0 to 1; None where
        one of them has none.
        """
        fewer = min(len(self.subject), len(other.subject))
        return len(self.subject & other.subject) / fewer if fewer else None

    def named_in(self, other: "Words") -> float:
        """Which share of its subject the other has, 0 to 100; 0 where it has none."""
        shared = self.subject & (other.names | other.content)
        return 100.0 * len(shared) / len(self.subject) if self.subject else 0.0

    def share_telling(self, other: "Words") -> bool:
        """Whether both have a name that hardly anything else has."""
        return bool(self.telling & other.names or other.telling & (self.names | self.content))

    def likeness(self, other: "Words", least: float = 0.0) -> float:
        """How alike the content is, 0 to 100, in whatever order; 0 where one has too little, or
        where it is less than `least`, which is sooner told.
        """
        if not self.line or not other.line:
            return 0.0
        return fuzz.token_set_ratio(self.line, other.line, score_cutoff=least)

    def holds(self, message: "Words") -> float:
        """Which share of a message's content this has, 0 to 100; 0 for one that is too short."""
        if len(message.content) < FEWEST_QUOTED:
            return 0.0
        return 100.0 * len(message.content & self.content) / len(message.content)


@lru_cache(maxsize=20_000)
def words_of(text: str, file: str = "") -> Words:
    """Read a text.

    Args:
        file: the file that it is about; to name that file again says nothing.
    """
    text = text[:_LONGEST]
    hub = {
        name
        for found in _HUB.findall(_FILE.sub(" ", text))
        if (name := _plain(found.rpartition("/")[2])) not in _COMMON
    }
    bare = _FILE.sub(lambda found: f" {_stem(found[0], file)} ", text)
    quoted = [found["name"] for found in _QUOTED.finditer(bare) if found["name"].count(" ") <= 3]
    spelled = frozenset(name for each in (*quoted, *_CODE.findall(bare)) for name in names_of(each))
    words = {word.lower() for word in _WORD.findall(bare)}
    packages = {_plain(found) for found in _HYPHENED.findall(bare)}
    return Words(
        names=spelled | hub,
        telling=frozenset(name for name in spelled if "." in name) | hub,
        errors=frozenset(_ERROR.findall(text)),
        content=frozenset((words | packages) - _FILLING),
    )


def names_of(code: str) -> Iterable[str]:
    """A piece of code as names: the whole where it is a dotted name, and each part that says
    something.
    """
    parts = {_plain(part) for part in _PART.findall(code) if not _ERROR.fullmatch(part)}
    kept = {part for part in parts if len(part) > 1 and part not in _COMMON}
    whole = code.lower()
    if not kept or not _DOTTED.fullmatch(whole):
        return kept
    first, _, rest = whole.partition(".")  # of `cfg.model.width` the key is `model.width`
    return kept | {whole} | ({rest} if first in _COMMON and "." in rest else set())


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _stem(path: str, file: str) -> str:
    """What is left of a file's name that tells something: a data set's script is named after it,
    src/train.py after nothing.
    """
    stem = path.rpartition("/")[2].partition(".")[0]
    return "" if stem.lower() in _COMMON or file.endswith(path) or not stem else f"`{stem}`"
