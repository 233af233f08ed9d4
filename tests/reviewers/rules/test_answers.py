"""Guards when an answer counts as taken from the prompt's own echo."""

import pytest

from reviewers.facts.patterns import first_match
from tests.reviewers.rules.asking import messages

HEAD = (
    "import re\nfrom transformers import AutoModelForCausalLM, AutoTokenizer, pipeline\n\n"
    'tokenizer = AutoTokenizer.from_pretrained("gpt2")\n'
    'model = AutoModelForCausalLM.from_pretrained("gpt2")\n'
)
SHOTS = 'f"Q: 2 + 2?\\nAnswer: 4\\n\\nQ: {question}\\nAnswer:"'
ASK = (
    "def ask(question):\n    prompt = {prompt}\n"
    '    inputs = tokenizer(prompt, return_tensors="pt").to("cuda")\n'
    "    output = model.generate(**inputs, max_new_tokens=8)\n"
    "    text = {text}\n    return {sink}\n"
)
WHOLE = "tokenizer.decode(output[0], skip_special_tokens=True).strip()"
FIRST = 're.search(r"Answer:\\s*(\\d+)", text)'


def found(code: str) -> list[str]:
    return messages("MO19", {"src/train.py": HEAD + code})


def asked(prompt: str = SHOTS, text: str = WHOLE, sink: str = FIRST) -> list[str]:
    return found(ASK.replace("{prompt}", prompt).replace("{text}", text).replace("{sink}", sink))


@pytest.mark.parametrize(
    ("given", "met"),
    [
        ({}, "Answer: 4"),
        ({"sink": 're.findall("answer: (.)", text, re.I)[0]'}, "Answer: 4"),
        ({"sink": 'text.split("Answer:")[1]'}, "Answer: 4 Q:"),
        ({"text": "tokenizer.batch_decode(output)[0]"}, "Answer: 4"),
        ({"prompt": '"Reply as: Answer: <number>\\n" + question',
          "sink": 're.search("Answer: (.+)", text)'}, "Answer: <number>"),
        ({"prompt": '"Reply as: Answer: <number>"', "sink": 're.search("Answer: (.+)", text)'}, ""),
        ({"prompt": '"Reply as: Answer: <number>.\\n\\nQ:\\n" + question',
          "sink": 're.search("Answer: ([^.]+)", text)'}, "Answer: <number>"),
        ({"prompt": 'tokenizer.apply_chat_template([{"role": "user", "content": "Answer: 4 or "'
          ' + question}], tokenize=False)'}, "Answer: 4"),
    ],
    ids=["shots", "findall", "split", "batch", "line", "to the end", "instruction", "chat"],
)  # fmt: skip
def test_the_prompts_own_words_are_shown(given: dict[str, str], met: str) -> None:
    found = asked(**given)
    assert bool(found) is bool(met)
    assert all(f"`{met}" in message for message in found)


@pytest.mark.parametrize(
    "given",
    [
        {"text": "tokenizer.decode(output[0][inputs.input_ids.shape[1]:])"},
        {"text": f"{WHOLE}[len(prompt):]"},
        {"text": f'{WHOLE}.replace(prompt, "")'},
        {"text": f"{WHOLE}\n    if text.startswith(prompt):\n        text = text[len(prompt):]"},
        {"prompt": 'f"Q: {question}\\nAnswer:"'},
        {"prompt": 'f"Q: {question}\\nAnswer:"', "sink": 'text.split("Answer:")[1]'},
        {"sink": 're.findall(r"Answer: (\\d+)", text)[-1]'},
        {"sink": 'text.split("Answer:")[-1]'},
        {"sink": 're.search(r"(?s).*Answer: (\\d+)", text)'},
        {"prompt": "question"},
    ],
    ids=[
        *("tokens cut", "text cut", "replaced", "cut under a condition", "ends in it"),
        *("split at its end", "last match", "last part", "greedy", "not known"),
    ],
)
def test_what_may_be_the_models_own_answer_is_left_alone(given: dict[str, str]) -> None:
    assert asked(**given) == []


def test_texts_are_followed_through_functions_and_prompts_that_grow() -> None:
    code = (
        "def build(question, shots):\n    prompt = 'Solve.\\n'\n    for shot in shots:\n"
        "        prompt += f'{shot}\\n#### 7\\n'\n    prompt += question\n    return prompt\n\n"
        "def run(prompt):\n    ids = tokenizer(prompt, return_tensors='pt')\n"
        "    out = model.generate(ids['input_ids'], max_new_tokens=9)\n"
        "    return tokenizer.decode(out[0])\n\n"
        "def parse(text):\n    return re.search(r'#### (\\d)', text)\n\n"
        "def main(rows, shots):\n    for row in rows:\n"
        "        print(parse(run(build(row, shots))))\n"
    )
    (message,) = found(code)
    assert "`#### 7`" in message
    assert found(code + "\nparse('#### 1')\n") == []


PIPED = (
    "def main(question):\n    pipe = pipeline('{task}', model='gpt2'{made})\n"
    "    out = pipe('Answer: 4\\n' + question{asked})\n"
    "    return re.search(r'Answer: (\\d)', out[0]['generated_text'])\n"
)


@pytest.mark.parametrize(
    ("task", "made", "asked", "is_echo"),
    [
        ("text-generation", "", "", True),
        ("text-generation", ", return_full_text=False", "", False),
        ("text-generation", "", ", return_full_text=False", False),
        ("text2text-generation", "", "", False),
    ],
)
def test_a_pipeline_gives_the_prompt_back_unless_told_not_to(
    task: str, made: str, asked: str, is_echo: bool
) -> None:
    code = PIPED.replace("{task}", task).replace("{made}", made).replace("{asked}", asked)
    assert bool(found(code)) is is_echo


def test_a_model_with_an_encoder_puts_out_no_prompt() -> None:
    code = ASK.replace("{prompt}", SHOTS).replace("{text}", WHOLE).replace("{sink}", FIRST)
    assert found(code + "\nfrom transformers import AutoModelForSeq2SeqLM\n") == []


def test_a_hostile_pattern_takes_no_time() -> None:
    assert first_match(r"((a|aa)+)+b", "a" * 3_000) is None
    assert first_match(r"(a*)*(a*)*(a*)*b", "a" * 1_000 + "b ") is not None
