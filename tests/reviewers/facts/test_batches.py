"""Guards what is known of batches: lengths of rows, collators, formats, lists that share rows."""

import random
from collections.abc import Callable

import pytest

from reviewers.facts import Facts
from reviewers.facts.config_flow import cells
from reviewers.facts.config_flow.cells import Cell, Count, Size
from tests.builders import with_one_run

HEAD = """
import copy
from functools import partial

import hydra
import torch
from datasets import load_dataset
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, default_collate
from transformers import (
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    DataCollatorForSeq2Seq,
    DataCollatorWithPadding,
    DefaultDataCollator,
    default_data_collator,
)

"""
MAIN = """
@hydra.main(version_base="1.3", config_path="../config", config_name="config")
def main(cfg):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    rows = load_dataset("imdb", split="train")
"""
MASKED = """
    def encode(row):
        out = tokenizer(row["text"], truncation=True, max_length=128{})
        out["labels"] = out["input_ids"].copy()
        return out
    rows = rows.map(encode, remove_columns=rows.column_names)
"""
LISTS = """
    def encode(batch):
        out = tokenizer(batch["text"], truncation=True)
        labels = {}
        {}
        out["labels"] = labels
        return out
    rows = rows.map(encode, batched=True, remove_columns=rows.column_names)
"""


def causes(main: str, before: str = "") -> list[tuple[str, bool]]:
    """What goes wrong in an entry function with these lines, and whether that is certain."""
    code = HEAD + before + MAIN + main
    problems = Facts(with_one_run({"src/train.py": code})).data_problems
    return [(problem.cause, problem.certain) for problem in problems]


@pytest.mark.parametrize("seed", range(20))
def test_a_length_that_is_known_is_the_length_that_python_gives(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(50):
        unknown = Size(varies=True)
        given = Cell(cells.LIST, Count(0, ((unknown, 1),)))
        how = _grown(chance, 4)
        found = how(given)
        concrete = [len(how([7] * count)) for count in (3, 5, 11)]
        if isinstance(found, Cell) and found.length is not None:
            sizes = [size for size, _ in found.length.parts]
            if found.is_ragged:
                assert len(set(concrete)) > 1
            if set(sizes) <= {unknown}:
                factor = sum(number for _, number in found.length.parts)
                wanted = [found.length.fixed + factor * count for count in (3, 5, 11)]
                assert concrete == wanted


def _grown(chance: random.Random, depth: int) -> Callable[[object], object]:
    """A way to make a list of a list: padded, joined, repeated or cut."""
    if depth == 0:
        return lambda ids: ids
    one, other = _grown(chance, depth - 1), _grown(chance, depth - 1)
    number = chance.choice([16, 64, 512])
    return chance.choice(
        [
            lambda ids: _joined(one(ids), [0] * chance.randrange(1)),
            lambda ids: _joined(one(ids), other(ids)),
            lambda ids: _joined(ids, _times([0], _less(512, _length(ids)))),
            lambda ids: _joined(_times([-100], _length(ids)), one(ids)),
            lambda ids: _part(ids, slice(None, number)),
            lambda ids: _part(ids, slice(None, -1)),
            one,
        ]
    )


def _joined(left: object, right: object) -> object:
    known = isinstance(left, list) and isinstance(right, list)
    return left + right if known else cells.sum_of(left, right)  # type: ignore[operator]


def _times(items: list[int], count: object) -> object:
    return items * count if isinstance(count, int) else cells.product_of(items, count)


def _less(number: int, other: object) -> object:
    return number - other if isinstance(other, int) else cells.total(number, other, -1)


def _length(items: object) -> object:
    return len(items) if isinstance(items, list) else cells.length_of(items)


def _part(items: object, key: slice) -> object:
    return items[key] if isinstance(items, list) else cells.part_of(items, key)


@pytest.mark.parametrize(
    ("collator", "padding", "found"),
    [
        ("DataCollatorWithPadding(tokenizer)", "", ["ragged"]),
        ("DataCollatorForLanguageModeling(tokenizer, mlm=False)", "", ["ragged"]),
        ("DefaultDataCollator()", "", ["ragged"]),
        ("default_data_collator", "", ["ragged"]),
        ("None", "", ["ragged"]),
        ("default_collate", "", ["ragged"]),
        ("DataCollatorForSeq2Seq(tokenizer)", "", []),
        ("DataCollatorForSeq2Seq(tokenizer, padding=False)", "", ["ragged"]),
        ("unknown()", "", []),
        ("DataCollatorWithPadding(tokenizer)", ', padding="max_length"', []),
        ("default_data_collator", ', padding="max_length"', []),
        ("default_data_collator", ", padding=cfg.nowhere", []),
        ("default_data_collator", ", padding=True", ["ragged"]),
    ],
)
def test_a_collator_pads_what_it_pads_and_no_more(
    collator: str, padding: str, found: list[str]
) -> None:
    loader = f"    DataLoader(rows, batch_size=8, collate_fn={collator})\n"
    assert causes(MASKED.format(padding) + loader) == [(cause, True) for cause in found]


@pytest.mark.parametrize(
    ("size", "found"),
    [
        ("batch_size=1", []),
        ("", []),
        ("batch_size=None", []),
        ("batch_size=unknown()", [("ragged", False)]),
        ("batch_sampler=unknown()", [("ragged", False)]),
        ("16", [("ragged", True)]),
    ],
)
def test_one_row_is_as_long_as_itself(size: str, found: list[tuple[str, bool]]) -> None:
    given = ", ".join(filter(None, ["rows", size, "collate_fn=default_data_collator"]))
    assert causes(f"{MASKED.format('')}    DataLoader({given})\n") == found


@pytest.mark.parametrize(
    "made",
    [
        "rows.map(partial(encode, tokenizer=tokenizer), remove_columns=rows.column_names)",
        "rows.map(lambda r: encode(r, tokenizer), remove_columns=rows.column_names)",
        "rows.map(Encoder(tokenizer), remove_columns=rows.column_names)",
        "rows.map(Encoder(tokenizer).run, remove_columns=rows.column_names)",
        "rows.map(many, fn_kwargs={'tokenizer': tokenizer}, batched=True).select_columns(['ids'])",
    ],
    ids=["partial", "lambda", "object", "method", "batched"],
)
@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("prompt + answer", ["ragged"]),
        ("[-100] * len(prompt) + answer", ["ragged"]),
        ("(prompt + answer)[:256]", ["ragged"]),
        ("prompt + [0] * (512 - len(prompt))", []),
        ("(prompt + [0] * 512)[:512]", []),
        ("pad(prompt + answer, 64)", []),
        ("unknown(prompt)", []),
    ],
)
def test_rows_are_measured_through_helpers(made: str, body: str, found: list[str]) -> None:
    before = f"""
def pad(ids, size):
    ids = ids[:size]
    return ids + [0] * (size - len(ids))

def encode(row, tokenizer):
    text = "Review: {{}}".format(row["text"].strip())
    prompt = tokenizer(text, add_special_tokens=False)["input_ids"]
    answer = tokenizer(f" {{row['label']}}")["input_ids"]
    return {{"ids": {body}}}

def many(batch, tokenizer):
    made = []
    for text, label in zip(batch["text"], batch["label"]):
        made.append(encode({{"text": text, "label": label}}, tokenizer)["ids"])
    return {{"ids": made}}

class Encoder:
    def __init__(self, tokenizer):
        self.tokenizer = tokenizer

    def __call__(self, row):
        return self.run(row)

    def run(self, row):
        return encode(row, self.tokenizer)

"""
    main = f"    rows = {made}\n    DataLoader(rows, batch_size=8, collate_fn=default_collate)\n"
    assert [cause for cause, _ in causes(main, before)] == found


@pytest.mark.parametrize(
    ("collate", "found"),
    [
        ("tokenizer.pad(batch, return_tensors='pt')", ["ragged"]),
        ("tokenizer.pad([{'input_ids': r['input_ids']} for r in batch], return_tensors='pt')", []),
        ("tokenizer.pad({'input_ids': [r['input_ids'] for r in batch]}, return_tensors='pt')", []),
        ("tokenizer.pad(batch)", []),
        ("torch.tensor([row['labels'] for row in batch])", ["ragged"]),
        ("torch.stack([torch.tensor(row['labels']) for row in batch])", ["ragged"]),
        ("pad_sequence([torch.tensor(row['labels']) for row in batch])", []),
        ("pad_sequence([row['labels'] for row in batch])", ["lists"]),
        ("[torch.tensor(row['labels']) for row in batch]", []),
        ("{'n': torch.tensor([len(row['labels']) for row in batch])}", []),
    ],
)
def test_a_collate_function_of_ones_own_is_followed(collate: str, found: list[str]) -> None:
    main = f"""{MASKED.format("")}
    def collate(batch):
        return {collate}
    DataLoader(rows, batch_size=8, collate_fn=collate)
"""
    assert causes(main) == [(cause, True) for cause in found]


def test_a_collator_made_from_another_pads_what_that_one_pads() -> None:
    before = """
class Collator(DataCollatorForLanguageModeling):
    def __call__(self, rows):
        texts = [row.pop("text") for row in rows]
        batch = super().__call__(rows)
        batch["texts"] = texts
        return batch

"""
    encode = MASKED.format("").replace("rows.column_names", "['label']")
    loader = "    DataLoader(rows, batch_size=8, collate_fn=Collator(tokenizer, mlm=False))\n"
    assert causes(encode + loader, before) == [("ragged", True)]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("{'input_ids': torch.tensor(self.encode(text)['input_ids'])}", ["ragged"]),
        ("{'input_ids': self.encode(text)['input_ids']}", ["ragged"]),
        ("self.encode(text, padding='max_length')", []),
        ("{'x': self.encode(text, return_tensors='pt')['input_ids'].squeeze(0)}", ["ragged"]),
        ("self.encode(text)", ["ragged"]),
        ("{'text': text, 'label': torch.tensor(self.rows[index]['label'])}", []),
        ("{'label': torch.tensor(self.rows[int(index)]['lable'])}", ["column"]),
    ],
)
def test_a_data_set_of_ones_own_gives_rows_as_well(row: str, found: list[str]) -> None:
    before = f"""
class Reviews(Dataset):
    def __init__(self, rows, tokenizer):
        self.rows, self.tokenizer = rows, tokenizer

    def __len__(self):
        return len(self.rows)

    def encode(self, text, **how):
        return self.tokenizer(text, truncation=True, max_length=64, **how)

    def __getitem__(self, index):
        text = self.rows[index]["text"]
        return {row}

"""
    main = "    DataLoader(Reviews(rows, tokenizer), batch_size=4)\n"
    assert causes(main, before) == [(cause, True) for cause in found]


def test_rows_that_a_loop_has_gathered_are_rows() -> None:
    before = """
class Reviews(Dataset):
    def __init__(self, rows, tokenizer):
        self.items = []
        for row in rows:
            ids = tokenizer(row["text"])["input_ids"]
            self.items.append({"ids": ids, "label": row["label"]})

    def __getitem__(self, i):
        return self.items[i]

"""
    main = "    DataLoader(Reviews(rows, tokenizer), batch_size=4)\n"
    assert causes(main, before) == [("ragged", True)]


@pytest.mark.parametrize(
    ("labels", "masked", "found"),
    [
        ("out['input_ids'].copy()", "labels[0][:3] = [-100] * 3", ["spoiled"]),
        ("list(out['input_ids'])", "for row in labels: row[0] = -100", ["spoiled"]),
        ("out['input_ids']", "for i, row in enumerate(labels): labels[i][0] = -100", ["spoiled"]),
        ("out['input_ids'][:]", "labels[0][:3] = [-100] * 3", ["spoiled"]),
        ("[row.copy() for row in out['input_ids']]", "labels[0][:3] = [-100] * 3", []),
        ("[row[:] for row in out['input_ids']]", "labels[0][:3] = [-100] * 3", []),
        ("copy.deepcopy(out['input_ids'])", "labels[0][:3] = [-100] * 3", []),
        ("out['input_ids'].copy()", "labels = [[-100] + row[1:] for row in labels]", []),
        ("out['input_ids'].copy()", "labels[0] = [-100]", []),
        ("out['input_ids'].copy()", "labels[0][:3] = [0] * 3", []),
        ("out['input_ids'].copy()", "if unknown(): labels[0][0] = -100", []),
    ],
)
def test_a_shallow_copy_shares_its_rows(labels: str, masked: str, found: list[str]) -> None:
    assert causes(LISTS.format(labels, masked)) == [(cause, True) for cause in found]


@pytest.mark.parametrize(
    ("copied", "found"), [("", [("spoiled", True)]), (".clone()", []), (".long()", [])]
)
def test_a_tensor_is_copied_by_clone_alone(copied: str, found: list[tuple[str, bool]]) -> None:
    main = f"""
    def collate(rows):
        batch = tokenizer([row["text"] for row in rows], padding=True, return_tensors="pt")
        labels = batch["input_ids"]{copied}
        labels[labels == tokenizer.pad_token_id] = -100
        batch["labels"] = labels
        return batch
    DataLoader(rows, batch_size=8, collate_fn=collate)
"""
    assert causes(main) == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("rows.set_format(type='torch', columns=['label'])", ["column"]),
        ("rows.set_format('torch', ['label'])", ["column"]),
        ("rows = rows.with_format('torch', columns=['label'])", ["column"]),
        ("rows.with_format('torch', columns=['label'])", []),
        ("rows.set_format('torch', columns=['label', 'text'])", []),
        ("rows.set_format('torch', columns=['label'], output_all_columns=True)", []),
        ("rows.set_format('torch')", []),
        ("rows.set_format('torch', columns=['label']); rows.reset_format()", []),
        ("rows.set_format('torch', columns=unknown())", []),
        ("rows.set_format('torch', columns=['nowhere'])", ["column"]),
        ("if unknown(): rows.set_format('torch', columns=['label'])", []),
        ("rows.select(range(9)).set_format('torch', columns=['label'])", []),
    ],
)
def test_a_format_hides_the_columns_that_it_leaves_out(line: str, found: list[str]) -> None:
    main = f"""
    {line}
    DataLoader(rows, batch_size=8, collate_fn=lambda batch: [row["text"] for row in batch])
"""
    assert [cause for cause, _ in causes(main)] == found


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("batch['input_ids'].to('cuda')", ["lists"]),
        ("batch = {k: v.to('cuda') for k, v in batch.items()}", ["lists"]),
        ("batch = {k: v.to('cuda') if hasattr(v, 'to') else v for k, v in batch.items()}", []),
        ("batch['label'].to('cuda')", []),
        ("torch.stack(batch['input_ids']).to('cuda')", []),
        ("batch['labels']", ["column"]),
        ("batch['offset_mapping']", ["column"]),
    ],
)
def test_a_batch_has_lists_where_the_rows_have(body: str, found: list[str]) -> None:
    main = f"""
    sized = dict(truncation=True, padding="max_length", max_length=8)
    rows = rows.map(lambda row: tokenizer(row["text"], **sized), remove_columns=["text"])
    for batch in DataLoader(rows, batch_size=8):
        {body}
"""
    assert [cause for cause, _ in causes(main)] == found


def test_a_column_that_cannot_be_renamed_is_told_once() -> None:
    main = """
    rows = rows.remove_columns("label").rename_column("label", "labels")
    print(rows[0]["labels"])
"""
    assert causes(main) == [("column", True)]


def test_a_hidden_column_tells_where_it_was_hidden() -> None:
    main = """
    rows.set_format("torch", columns=["label"])
    rows[0]["text"]
"""
    (problem,) = Facts(with_one_run({"src/train.py": HEAD + MAIN + main})).data_problems
    line = (
        (HEAD + MAIN + main).splitlines().index('    rows.set_format("torch", columns=["label"])')
    )
    assert [place.line for place in problem.further] == [line + 1]


def test_texts_of_different_lengths_are_no_tensor_without_padding() -> None:
    encode = "    rows.map(lambda b: tokenizer(b['text']{}, return_tensors='pt'), batched=True)\n"
    assert causes(encode.format("")) == [("ragged", True)]
    assert causes(encode.format(", padding=True")) == []
    assert causes(encode.format("").replace(", batched=True", "")) == []


def test_a_function_that_no_start_reaches_is_followed_without_certainty() -> None:
    code = f"""{HEAD}
def loaders(cfg):
    tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
    rows = load_dataset("imdb", split="train")
{MASKED.format("")}
    return DataLoader(rows, batch_size=cfg.training.batch_size, collate_fn=default_data_collator)
"""
    found = Facts(with_one_run({"src/preprocess.py": code})).data_problems
    assert [(problem.cause, problem.certain) for problem in found] == [("ragged", False)]
