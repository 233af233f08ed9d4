"""Rules for criterion 4: how answers are extracted from a language model's output."""

import ast
from collections.abc import Callable, Iterator, Mapping

from reviewers.facts import Facts, PythonFile
from reviewers.facts.patterns import gives
from reviewers.facts.prompt_echo import PromptEchoes
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, again, rule
from reviewers.rules.guards import is_guarded

_MOST_SHOWN = 60
_LONGEST_WAY = 12  # from a match to what is made of it
_SIGNS = (".", ",", "-", "...")  # what texts have where a number is looked for
_MATCHING = frozenset({"findall", "finditer", "fullmatch", "match", "search"})
_KEEPING: Mapping[str, Callable[..., str]] = {
    "lstrip": str.lstrip, "replace": str.replace, "rstrip": str.rstrip, "strip": str.strip,
}  # fmt: skip


@rule(
    id="MO19",
    category="fabricated-or-invalid-result",
    severity="major",
    summary="an answer is searched for in the model's whole output and found in its prompt",
    example=r"""
          import re

          from transformers import AutoModelForCausalLM, AutoTokenizer

          tokenizer = AutoTokenizer.from_pretrained("gpt2")
          model = AutoModelForCausalLM.from_pretrained("gpt2")

          def ask(question):
              prompt = f"Q: 2 + 2?\nAnswer: 4\n\nQ: {question}\nAnswer:"
              inputs = tokenizer(prompt, return_tensors="pt")
              output = model.generate(**inputs, max_new_tokens=8)
        -     text = tokenizer.decode(output[0], skip_special_tokens=True)
        -     found = re.search(r"Answer:\s*(\d+)", text)  # flag: MO19
        +     answer = output[0][inputs["input_ids"].shape[1]:]
        +     text = tokenizer.decode(answer, skip_special_tokens=True)
        +     found = re.search(r"\s*(\d+)", text)
              return found[1] if found else None
    """,
)
def answer_from_prompt(facts: Facts) -> Iterator[Flag]:
    """A decoder-only model outputs its prompt before its answer; an example in the prompt is found
    first and counts as the answer to every question.
    """
    for file, echo in PromptEchoes(facts.python, facts.local_code).found():
        met = " ".join(echo.met.split())[:_MOST_SHOWN]
        call = echo.generation.func
        name = getattr(call, "attr", None) or getattr(call, "id", "the pipeline")
        cut = "pass return_full_text=False to it"
        if name == "generate":
            cut = "decode only the tokens behind the prompt's"
        used = facts.local_code.is_used(file, file.scope_at(echo.node.lineno))
        yield Flag(
            Span(file.path, echo.node.lineno, echo.node.end_lineno),
            f"the text that is searched here is all that `{name}` puts out, its prompt first, and"
            f" the prompt itself has `{met}`: that is taken for the answer; {cut}",
            severity=None if used else Severity.MINOR,
            names=(name,),
        )


@rule(
    id="MO20",
    category="tensor-or-runtime",
    severity="major",
    summary="a pattern for numbers also matches a lone sign",
    example=r"""
          import re

        - NUMBER = re.compile(r"answer: (-?[\d,.]+)")
        + NUMBER = re.compile(r"answer: (-?\d[\d,]*(?:\.\d+)?)")

          def parse(text):
              found = NUMBER.search(text)
              return float(found[1].replace(",", "")) if found else None  # flag: MO20
    """,
)
def sign_taken_for_number(facts: Facts) -> Iterator[Flag]:
    """A model's answers contain dots and dashes of their own: the first one that the pattern
    matches alone raises ValueError.
    """
    for path, file in facts.python.items():
        if "re." not in file.text:
            continue
        for call in file.calls_of("float", "int"):
            taken = _taken(file, call.node)
            if taken is None or is_guarded(file, call.node, "ValueError"):
                continue
            pattern, written, is_group, steps = taken
            takes = (one for one in _SIGNS if gives(pattern, one, group=is_group))
            refused = next((one for one in takes if _is_refused(one, steps)), None)
            if refused is not None:
                yield Flag(
                    Span(path, call.line),
                    f"`{pattern[:_MOST_SHOWN]}` takes `{refused}` for a number, and {call.name}"
                    " stops with ValueError: could not convert string to float; ask for a digit,"
                    " or catch the error",
                    severity=None
                    if facts.local_code.is_used(file, file.scope_at(call.line))
                    else Severity.MINOR,
                    places=again([Span(path, written.lineno)]),
                )


_Steps = list[tuple[str, list[object]]]


def _taken(file: PythonFile, call: ast.Call) -> tuple[str, ast.expr, bool, _Steps] | None:
    """The pattern whose match is converted, the expression that has it, whether its first group
    counts, and what is done to the text before; None if that is not all known.
    """
    steps: _Steps = []
    index: object = 0
    node = call.args[0] if len(call.args) == 1 and not call.keywords else None
    for _ in range(_LONGEST_WAY):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=[]) if (
                name in _KEEPING and all(isinstance(one, ast.Constant) for one in args)
            ):
                given: list[object] = [one.value for one in args if isinstance(one, ast.Constant)]
                steps.insert(0, (name, given))
                node = owner
            case (
                ast.Call(
                    func=ast.Attribute(value=owner, attr="group"), args=[ast.Constant(value=index)]
                )
                | ast.Subscript(value=owner, slice=ast.Constant(value=index))
            ):
                node = owner
            case (
                ast.Call(func=ast.Attribute(value=owner, attr="group"), args=[])
                | ast.Subscript(value=owner, slice=ast.UnaryOp())
            ):
                node, index = owner, 0
            case ast.Name() if file.scopes is not None:
                bound = [file.parents.get(one) for one in file.scopes.bindings(node)]
                match bound:
                    case [ast.Assign(targets=[ast.Name()], value=value)] if node is not value:
                        node = value
                    case _:
                        return None
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args) if (
                name in _MATCHING and args
            ):
                resolved = file.resolve(node.func) or ""
                source = args[0] if resolved.startswith("re.") else _compiled(file, owner)
                is_group = name in ("findall", "finditer") or index == 1
                if isinstance(source, ast.Constant) and isinstance(source.value, str):
                    return (
                        (source.value, source, is_group, steps) if is_group or not index else None
                    )
                return None
            case _:
                break
    return None


def _compiled(file: PythonFile, owner: ast.expr) -> ast.expr | None:
    """What a name's one `re.compile` is given, without flags."""
    if not isinstance(owner, ast.Name) or file.scopes is None:
        return None
    match [file.parents.get(one) for one in file.scopes.bindings(owner)]:
        case [ast.Assign(value=ast.Call(args=[source], keywords=[]) as made)] if (
            file.resolve(made.func) == "re.compile"
        ):
            return source
    return None


def _is_refused(text: str, steps: _Steps) -> bool:
    """Whether `float` makes no number of a text that goes through these steps."""
    try:
        for name, given in steps:
            text = _KEEPING[name](text, *given)
        float(text)
    except ValueError:
        return True
    except TypeError:
        return False
    return False
