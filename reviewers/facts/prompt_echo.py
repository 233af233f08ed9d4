"""Where code searches for an answer in a language model's whole output, its own prompt included."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from reviewers.facts.local_code import LocalCode
from reviewers.facts.origins import Origins, Placed, Texts
from reviewers.facts.patterns import HOLE, first_match
from reviewers.facts.python_file import PythonFile
from reviewers.facts.python_nodes import argument, method_of
from reviewers.steps import spend

_DEEPEST = 16
_LONGEST = 4_000  # characters of a prompt
# Models that put out only what follows the prompt, and their classes.
_OTHER_MODELS = re.compile(
    r"Seq2Seq|ForConditionalGeneration|EncoderDecoder|\b[mM]?T5|Bart|Pegasus|vllm|openai|anthropic"
)
_DECODER = re.compile(r"(?:ForCausalLM|LMHeadModel)\b")
_SAME_TEXT = frozenset({"lower", "lstrip", "rstrip", "strip", "upper"})
_SAME_TENSOR = frozenset({"cpu", "detach", "numpy", "to", "tolist"})
_TOKENS = ("input_ids", "inputs", "inputs_ids")
_SEARCHES = frozenset({"re.search", "re.findall", "re.finditer"})


@dataclass(frozen=True, slots=True)
class Echo:
    """An answer that is found in the prompt.

    Attributes:
        node: the expression that looks for it.
        generation: the call whose whole output it looks in.
        marker: the pattern or text that it looks for.
        met: the part of the prompt that it finds.
    """

    node: ast.expr
    generation: ast.Call
    marker: str
    met: str


class PromptEchoes:
    """Answers for one submission.

    Args:
        python: its Python files by path.
        code: which functions its calls mean.
    """

    def __init__(self, python: Mapping[str, PythonFile], code: LocalCode) -> None:
        self._python = python
        self._code = code
        self._origins = Origins(python, code)
        self._texts = Texts(self._origins, _LONGEST, HOLE, self._asked)
        texts = [file.text for file in python.values()]
        self._only_decoders = any(map(_DECODER.search, texts)) and not any(
            map(_OTHER_MODELS.search, texts)
        )

    def found(self) -> Iterator[tuple[PythonFile, Echo]]:
        """Yield each place where the prompt's own words are taken for the answer."""
        for file in self._python.values():
            for node, text, marker, is_pattern, any_case in _sinks(file):
                whole = self._whole(Placed(file, text), _DEEPEST)
                prompt = self._prompt(whole) if whole else None
                if whole is None or not prompt:
                    continue
                met = _met(marker, prompt, any_case) if is_pattern else _cut_at(marker, prompt)
                if met:
                    assert isinstance(whole.node, ast.Call)
                    yield file, Echo(node, whole.node, marker, met)

    # What is searched

    def _whole(self, place: Placed, depth: int) -> Placed | None:
        """The call whose whole output, prompt and answer, a text is; None if it may be less."""
        if depth == 0:
            return None
        spend(10)
        file, node = place.file, place.node
        match node:
            case ast.Name():
                given = self._origins.values(file, node)
                found = [self._whole(one, depth - 1) for one in given]
                return found[0] if found and all(found) else None
            case ast.Call(func=ast.Attribute(attr="decode" | "batch_decode"), args=[ids, *_]):
                return self._tokens(Placed(file, ids), depth - 1)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in _SAME_TEXT:
                return self._whole(Placed(file, owner), depth - 1)
            case ast.Subscript(value=owner, slice=ast.Constant(value="generated_text")):
                return self._piped(Placed(file, owner), depth - 1)
            case ast.Subscript(value=owner, slice=ast.Constant(value=int())):
                return self._whole(Placed(file, owner), depth - 1)
            case ast.ListComp(elt=part):
                return self._whole(Placed(file, part), depth - 1)
            case ast.Call():
                given = self._origins.returned(file, node)
                found = [self._whole(one, depth - 1) for one in given]
                return found[0] if found and all(found) else None
        return None

    def _tokens(self, place: Placed, depth: int) -> Placed | None:
        """The call of `generate` whose tokens, none cut off, an expression stands for."""
        if depth == 0:
            return None
        file, node = place.file, place.node
        match node:
            case ast.Name():
                found = [self._tokens(one, depth - 1) for one in self._origins.values(file, node)]
                return found[0] if found and all(found) else None
            case ast.Subscript(slice=ast.Constant(value=int() | "sequences"), value=owner):
                return self._tokens(Placed(file, owner), depth - 1)
            case ast.Attribute(attr="sequences", value=owner):
                return self._tokens(Placed(file, owner), depth - 1)
            case ast.Call(func=ast.Attribute(attr="generate")):
                known = not any(word.arg == "inputs_embeds" for word in node.keywords)
                return place if known and self._only_decoders else None
            case ast.Call(func=ast.Attribute(attr=attr, value=owner)) if attr in _SAME_TENSOR:
                return self._tokens(Placed(file, owner), depth - 1)
        return None

    def _piped(self, place: Placed, depth: int) -> Placed | None:
        """The call of a text-generation pipeline whose result, prompt included, it is."""
        file, node = place.file, place.node
        while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            node = node.value
        if isinstance(node, ast.Name) and depth:
            found = [self._piped(one, depth - 1) for one in self._origins.values(file, node)]
            return found[0] if found and all(found) else None
        if not isinstance(node, ast.Call) or _is_cut(node):
            return None
        made = [
            call
            for other in self._python.values()
            for call in other.calls_of("transformers.pipeline")
        ]
        # All pipelines are such, so that it does not matter which one this is.
        whole = all(
            _task(call.node) == "text-generation" and not _is_cut(call.node) for call in made
        )
        is_own = self._code.target(file, node) is not None
        return Placed(file, node) if made and whole and not is_own else None

    # What the model was asked

    def _prompt(self, generation: Placed) -> str:
        """The text of the prompt, with holes; empty if nothing of it is known."""
        call = generation.node
        assert isinstance(call, ast.Call)
        given = next(
            (word.value for word in call.keywords if word.arg in (*_TOKENS, None)),
            call.args[0] if call.args else ast.Constant(None),
        )
        return self._texts.of(Placed(generation.file, given)).strip(HOLE)

    def _asked(self, place: Placed, text: Callable[[ast.expr], str]) -> str | None:
        """The text of what is a text to a language model alone: messages, and what a tokenizer
        makes of a text.
        """
        match place.node:
            case ast.Subscript(value=value, slice=ast.Constant(value=str() | int())):
                return text(value)
            case ast.Attribute(value=value, attr=attr) if attr in _TOKENS:
                return text(value)
            case ast.List(elts=parts) | ast.Tuple(elts=parts):
                return "\n".join(map(text, parts))
            case ast.ListComp(elt=part) | ast.GeneratorExp(elt=part):
                return text(part)
            case ast.Dict(keys=keys, values=values):
                named = [ast.unparse(key) if key else "" for key in keys]
                return text(values[named.index("'content'")]) if "'content'" in named else HOLE
            case ast.Call() as call if not self._origins.returned(place.file, call):
                return _of_call(call, text)
        return None


def _of_call(call: ast.Call, text: Callable[[ast.expr], str]) -> str | None:
    attr = method_of(call)
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    if attr == "format" and owner is not None:
        return re.sub(r"\{\w*\}", HOLE, text(owner))
    if owner is not None and attr in (*_SAME_TEXT, *_SAME_TENSOR):
        return text(owner)
    first = argument(call, "text", 0)
    is_tokenizer = attr in ("apply_chat_template", "encode", "join") or "token" in ast.unparse(
        call.func
    )
    return text(first) if first and is_tokenizer else None


def _is_cut(call: ast.Call) -> bool:
    """Whether a pipeline leaves the prompt out, or may."""
    return any(word.arg in ("return_full_text", None) for word in call.keywords)


def _task(call: ast.Call) -> str:
    given = argument(call, "task", 0)
    return str(given.value) if isinstance(given, ast.Constant) else ""


def _sinks(file: PythonFile) -> Iterator[tuple[ast.expr, ast.expr, str, bool, bool]]:
    """Each place that looks for the first of something in a text: the place, the text, what it
    looks for, whether that is a pattern, and whether in any case.
    """
    for call in file.calls:
        node = call.node
        if not isinstance(node.func, ast.Attribute):
            continue
        around = file.parents.get(node)
        index = around.slice if isinstance(around, ast.Subscript) else None
        at = index.value if isinstance(index, ast.Constant) else None
        attr, owner = node.func.attr, node.func.value
        if call.name in _SEARCHES and len(node.args) > 1:
            pattern, text, flags = _literal(file, node.args[0]), node.args[1], node.args[2:]
        elif attr in ("search", "findall") and (made := _compiled(file, owner)) and node.args:
            pattern, text, flags = _literal(file, made.args[0]), node.args[0], made.args[1:]
            flags += [word.value for word in made.keywords]
        elif attr in ("split", "partition") and at == (1 if attr == "split" else 2) and node.args:
            if isinstance(around, ast.expr) and (marker := _literal(file, node.args[0])):
                yield around, owner, marker, False, False
            continue
        else:
            continue
        said = " ".join(map(ast.unparse, (*flags, *(word.value for word in node.keywords))))
        is_first = attr == "search" or at == 0
        if pattern and is_first and not re.search(r"MULTI|VERBOSE|\.[MXA]\b|ASCII", said):
            dotted = f"(?s){pattern}" if re.search(r"DOTALL|\.S\b", said) else pattern
            yield node, text, dotted, True, re.search(r"IGNORECASE|\.I\b", said) is not None


def _literal(file: PythonFile, node: ast.expr) -> str:
    if isinstance(node, ast.Name):
        values = file.assigned.get(node.id, [])
        node = values[0] if len(values) == 1 else node
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def _compiled(file: PythonFile, node: ast.expr) -> ast.Call | None:
    values = file.assigned.get(node.id, []) if isinstance(node, ast.Name) else [node]
    made = values[0] if len(values) == 1 else None
    known = isinstance(made, ast.Call) and file.resolve(made.func) == "re.compile" and made.args
    return made if known and isinstance(made, ast.Call) else None


def _met(pattern: str, prompt: str, any_case: bool) -> str:
    """What a pattern finds in a prompt before the answer begins; empty if it may reach it."""
    found = first_match(pattern, prompt, any_case=any_case)
    return prompt[slice(*found)] if found and found[1] < len(prompt) else ""


def _cut_at(marker: str, prompt: str) -> str:
    """What follows a marker in a prompt; empty if the answer does."""
    rest = prompt.partition(marker)[2]
    return marker + rest.partition(marker)[0] if rest.strip(f" \n{HOLE}") else ""
