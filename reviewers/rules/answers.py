"""Rules for criterion 4: how answers are extracted from a language model's output."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.prompt_echo import PromptEchoes
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule

_MOST_SHOWN = 60


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
