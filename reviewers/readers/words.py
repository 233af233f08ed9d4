"""A claim's words: cut, and brought to a form in which two of one stem are equal."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

_MOST_CHARACTERS = 2_000  # of a claim; a longer one says too much to be one proposition
ENDINGS = (
    "py|ipynb|ya?ml|toml|json|jsonl|ini|lock|md|txt|html|csv|tsv|parquet|pkl|npy|npz|h5|pt|pth|ckpt"
    "|safetensors|pdf|png|svg|jpe?g"
)
"""Of the names of files."""
_PLACES = r"[\w.*$<>{}\-]"
_TOKEN = re.compile(
    rf"""
    (?P<quoted>`[^`\n]{{1,200}}`|"[^"\n]{{1,200}}"|(?<!\w)'[^'\n]{{1,200}}'(?!\w))
  | (?P<path>(?:\./)?(?:{_PLACES}{{1,80}}/){{1,8}}{_PLACES}{{0,80}}(?<![.])
      |[\w\-*{{}}]{{1,80}}\.(?:{ENDINGS})\b)
  | (?P<call>\.?[A-Za-z_][\w.]{{0,80}}\([^()\n]{{1,120}}\))
  | (?P<pair>-{{0,2}}[A-Za-z_][\w.]{{0,60}}=[^\s,;)]{{1,80}})
  | (?P<flag>(?<!\w)--?[A-Za-z][\w-]{{0,40}})
  | (?P<dotted>\.?[A-Za-z_]\w{{0,60}}(?:\.(?:[A-Za-z_]\w{{0,60}}\*?|\*)){{1,8}}(?:\(\.{{0,3}}\))?)
  | (?P<relative>(?<![\w.])\.[A-Za-z_]\w{{0,60}})
  | (?P<name>[A-Za-z_]\w{{0,80}}\(\.{{0,3}}\)|[A-Za-z]\w{{0,60}}_\w{{0,60}}|_\w{{1,60}}
      |[a-z]+[A-Z]\w{{0,60}})
  | (?P<number>(?:(?<=\s)-)?\d+(?:\.\d+)?)
  | (?P<word>[A-Za-z][A-Za-z0-9]{{0,80}}(?:[-'][A-Za-z0-9.]*[A-Za-z0-9]){{0,14}}|→|⇒|=>|->)
  | (?P<stop>[;:,./()\[\]–—])
    """,
    re.VERBOSE,
)
_PLAIN = str.maketrans("‘’“”‐‑‒", "''\"\"---")
_TRACKER = re.compile(r"\b(?:weights (?:&|and) biases|W&B)(?!\w)", re.IGNORECASE)
_STARTED = re.compile(r"\b(?:uv run )?python3? (?:-\w )*-m (?=\w)")  # before a module's name
_EXAMPLE = re.compile(r"\be\.g\.?,?(?!\w)")
_THAT_IS = re.compile(r",? *(?<![\w(])i\.e\.?,?(?!\w)")
_LISTED = re.compile(r"[A-Za-z]\w*(?:/[A-Za-z]\w*)+")  # alternatives, as in `y_true/y_pred`
_SHORTENED = {"ca": "can", "wo": "will"}
_VOWELS = set("aeiouy")
_WHOLE = ("ss", "eed")  # with which stems end
IRREGULAR = {
    "is": "be", "are": "be", "was": "be", "were": "be", "been": "be", "has": "have", "had": "have",
    "does": "do", "did": "do", "done": "do", "drawn": "draw", "drew": "draw", "written": "write",
    "overwritten": "overwrite",
    "wrote": "write", "made": "make", "built": "build", "sent": "send", "taken": "take",
    "took": "take", "ran": "run", "found": "find", "given": "give", "gave": "give", "lies": "lie",
    "thrown": "throw", "threw": "throw", "died": "die", "dies": "die", "broke": "break",
    "broken": "break", "held": "hold", "shown": "show", "got": "get", "chosen": "choose",
    "left": "leave", "matrices": "matrix", "absence": "absent", "dependencies": "dependency",
    "epochs": "epoch", "caught": "catch", "seeding": "seeding",
    "note": "notice", "notes": "notice", "noted": "notice",
}  # fmt: skip


"""Forms of words that no rule makes, with what they are forms of."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a name or a sign of a claim.

    Attributes:
        kind: `quoted`, `path`, `pair`, `flag`, `dotted`, `name`, `number`, `word` or `stop`.
        stem: of a word; the text itself of anything else.
    """

    text: str
    kind: str
    stem: str


def tokens(text: str) -> list[Token]:
    """A claim's words in their order; of a very long text only the first ones."""
    return list(_tokens(text[:_MOST_CHARACTERS]))


def _tokens(text: str) -> Iterator[Token]:
    plain = _TRACKER.sub("wandb", _STARTED.sub("", text.translate(_PLAIN)))
    plain = _THAT_IS.sub(": ", _EXAMPLE.sub("such as", plain))
    for match in _TOKEN.finditer(plain):
        kind, said = str(match.lastgroup), match[0]
        if kind == "word" and said.lower().endswith("n't"):
            helper = _SHORTENED.get(said[:-3].lower(), said[:-3])
            yield Token(helper, "word", stem(helper))
            yield Token("not", "word", "not")
            continue
        if kind == "word" and said.lower() in ("there's", "it's", "that's"):
            yield Token(said[:-2], "word", stem(said[:-2]))
            yield Token("is", "word", "be")
            continue
        if kind == "quoted":
            said = said[1:-1].strip()
        if kind == "word" and said.lower() == "zero":
            said, kind = "0", "number"
        if kind == "pair":
            said = said.rstrip(".:!?")
        if kind == "path":
            said = said.rstrip(".,")
        yield Token(said, kind, stem(said) if kind == "word" else said)


def unfolded(found: Iterable[Token], folders: frozenset[str]) -> Iterator[Token]:
    """The words with alternatives as `y_true/y_pred` taken apart, which are no path here."""
    for token in found:
        first = token.text.partition("/")[0]
        if token.kind != "path" or first in folders or not _LISTED.fullmatch(token.text):
            yield token
            continue
        for at, each in enumerate(token.text.split("/")):
            if at:
                yield Token("/", "stop", "/")
            yield Token(each, "name" if "_" in each else "word", stem(each))


@lru_cache(maxsize=10_000)
def stem(word: str) -> str:
    """A rough stem: enough for the forms of one word to meet, which is all it is for."""
    word = word.lower().removesuffix("'s")
    if word in IRREGULAR:
        word = IRREGULAR[word]
        return word.removesuffix("e") if len(word) > 2 else word
    for ending, instead in (
        ("ies", "y"),
        ("ied", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        is_root = ending == "ing" and not _VOWELS & set(word[:-3])  # "string"
        is_longer = len(word) - len(ending) > 1 and not word.endswith(_WHOLE)
        if word.endswith(ending) and is_longer and not is_root:
            word = word[: len(word) - len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "sl":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 2 else word
