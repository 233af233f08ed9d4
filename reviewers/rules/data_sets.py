"""Rules for criterion 3 about data sets of the Hugging Face Hub: configurations, splits, columns,
streams.
"""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.specifiers import specifier_set
from reviewers.records import Severity
from reviewers.rules.base import Flag, again, rule

# The first release of each line of `datasets` that refuses loading scripts.
_REFUSING = ("4.0.0", "4.4.1", "5.0.0")


@rule(
    id="DA04",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="ValueError",
    summary="a data set is loaded without a configuration name, or with one that it lacks",
    example="""
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset("openai/gsm8k", split="train", cache_dir=".cache/")  # flag: DA04
        +     return load_dataset("openai/gsm8k", "main", split="train", cache_dir=".cache/")
    """,
)
def wrong_configuration(facts: Facts) -> Iterator[Flag]:
    """A data set with several configurations has a default only if its card names one; otherwise
    load_dataset raises ValueError.
    """
    yield from problem_flags(facts, "config")


@rule(
    id="DA05",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="ValueError",
    summary="a split is requested that the data set lacks",
    example="""
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset("openai/gsm8k", "main", split="validation", cache_dir=".cache/")  # flag: DA05
        +     return load_dataset("openai/gsm8k", "main", split="train[90%:]", cache_dir=".cache/")
    """,  # noqa: E501
)
def missing_split(facts: Facts) -> Iterator[Flag]:
    """Many data sets have no validation split; it has to be cut from the training split."""
    yield from problem_flags(facts, "split")


@rule(
    id="DA06",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="RuntimeError",
    summary="the data set is a loading script, which the installed datasets library rejects",
    example="""
        + === pyproject.toml
        + [project]
        + name = "gated-mlp"
        + version = "0.1.0"
        + dependencies = ["torch>=2.2", "datasets>=2.19,<4", "hydra-core", "optuna", "wandb", "scipy", "matplotlib"]
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset("ybisk/piqa", cache_dir=".cache/")  # flag: DA06
        +     return load_dataset("ybisk/piqa", cache_dir=".cache/", trust_remote_code=True)
    """,  # noqa: E501
)
def data_set_by_script(facts: Facts) -> Iterator[Flag]:
    """`datasets` 4 and later load files only, and without an upper bound uv installs the newest
    version.
    """
    bounds = [one.specifier for one in facts.packaging.declared if one.name == "datasets"]
    if any(not _allows(bound, _REFUSING) for bound in bounds):
        return
    remedy = (
        'take a copy of it in Parquet files, or declare "datasets<4" and pass'
        " trust_remote_code=True"
    )
    yield from problem_flags(facts, "script", remedy)


@rule(
    id="DA07",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="DatasetNotFoundError",
    summary="the Hub has no data set of this name",
    example="""
          === src/preprocess.py
          from datasets import load_dataset

          def build_loaders(cfg):
        -     return load_dataset("alpaca-cleaned", cache_dir=".cache/")  # flag: DA07
        +     return load_dataset("yahma/alpaca-cleaned", cache_dir=".cache/")
    """,
)
def unknown_data_set(facts: Facts) -> Iterator[Flag]:
    """Only data sets from the Hub's first years have names without a namespace."""
    yield from problem_flags(facts, "absent")


@rule(
    id="DA08",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="KeyError",
    summary="a column is read that the data set lacks, or that preprocessing has removed",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              rows = load_dataset("uoft-cs/cifar10", split="train", cache_dir=".cache/")
        -     rows = rows.map(lambda row: {"pixels": row["image"]})  # flag: DA08
        +     rows = rows.map(lambda row: {"pixels": row["img"]}).remove_columns(["img"])
        +     return rows.rename_column("label", "labels")["pixels"]
    """,
)
def missing_column(facts: Facts) -> Iterator[Flag]:
    """Column names differ between data sets (`img`, `image`), and a collator passes `label` on as
    `labels`.
    """
    yield from problem_flags(facts, "column")


@rule(
    id="DA09",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="",
    summary="a streaming data set is used like one in memory",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              rows = load_dataset("allenai/c4", "en", split="train", streaming=True, cache_dir=".cache/")
        -     rows = rows.select(range(100))  # flag: DA09
        +     rows = rows.shuffle(seed=1, buffer_size=1000).take(100)
    """,  # noqa: E501
)
def stream_misused(facts: Facts) -> Iterator[Flag]:
    """A stream has no length and no positions; use `take`, `skip`, `filter`, `map` or a loop."""
    yield from problem_flags(facts, "streaming")


@rule(
    id="DA10",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="ValueError",
    summary="a padding collator is given the raw text as well",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset
          from torch.utils.data import DataLoader
          from transformers import AutoTokenizer, DataCollatorWithPadding

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased", cache_dir=".cache/")
              rows = load_dataset("stanfordnlp/imdb", split="train", cache_dir=".cache/")
        -     rows = rows.map(lambda batch: tokenizer(batch["text"], truncation=True), batched=True)  # flag: DA10
        +     rows = rows.map(lambda batch: tokenizer(batch["text"]), batched=True, remove_columns=["text"])
              return DataLoader(rows, batch_size=8, collate_fn=DataCollatorWithPadding(tokenizer))
    """,  # noqa: E501
)
def texts_in_the_batch(facts: Facts) -> Iterator[Flag]:
    """`tokenizer.pad` makes a tensor of every column it receives, and tensors cannot hold strings;
    only Trainer removes such columns itself.
    """
    yield from problem_flags(facts, "texts", "take the column away with remove_columns")


@rule(
    id="DA11",
    category="data-pipeline-incomplete",
    severity="blocker",
    stops="ValueError",
    summary="a tokenizer without a padding token is asked to pad",
    example="""
          === src/train.py
          import hydra
          from transformers import AutoTokenizer

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              tokenizer = AutoTokenizer.from_pretrained("gpt2", cache_dir=".cache/")
        +     if tokenizer.pad_token is None:
        +         tokenizer.pad_token = tokenizer.eos_token
              return tokenizer(["one", "one more"], padding=True, return_tensors="pt")  # flag: DA11
    """,
)
def missing_padding_token(facts: Facts) -> Iterator[Flag]:
    """GPT-2, Pythia, Llama and Mistral were trained without padding, so that their tokenizers have
    no token for it.
    """
    yield from problem_flags(facts, "padding")


@rule(
    id="DA12",
    category="data-pipeline-incomplete",
    severity="major",
    summary="a split is used whose labels are not public",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset
          from torch.utils.data import DataLoader

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              rows = load_dataset("nyu-mll/glue", "sst2", cache_dir=".cache/")
        -     return DataLoader(rows["test"], batch_size=8)  # flag: DA12
        +     return DataLoader(rows["validation"], batch_size=8)
    """,
)
def unlabelled_split(facts: Facts) -> Iterator[Flag]:
    """GLUE does not publish its test labels. They are all -1, so the loss raises an error or the
    accuracy is 0.
    """
    yield from problem_flags(
        facts, "unlabelled", "evaluate on the validation split", Severity.MAJOR
    )


@rule(
    id="DA18",
    category="tensor-or-runtime",
    severity="blocker",
    stops="ValueError",
    summary="rows of different lengths are stacked without padding",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset
          from torch.utils.data import DataLoader
        - from transformers import AutoTokenizer, DataCollatorWithPadding
        + from transformers import AutoTokenizer, DataCollatorForSeq2Seq

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased", cache_dir=".cache/")
              rows = load_dataset("stanfordnlp/imdb", split="train", cache_dir=".cache/")

              def encode(row):
                  out = tokenizer(row["text"], truncation=True, max_length=512)
                  out["labels"] = list(out["input_ids"])
                  return out

              rows = rows.map(encode, remove_columns=["text", "label"])
        -     collator = DataCollatorWithPadding(tokenizer)  # flag: DA18
        -     return DataLoader(rows, batch_size=8, collate_fn=collator)
        +     return DataLoader(rows, batch_size=8, collate_fn=DataCollatorForSeq2Seq(tokenizer))
    """,
)
def unpadded_rows(facts: Facts) -> Iterator[Flag]:
    """`tokenizer.pad` and the collators built on it pad the tokenizer's output, but no labels; the
    default collators pad nothing.
    """
    yield from problem_flags(
        facts, "ragged", "pad them where they are made, or in the collate function"
    )
    yield from problem_flags(facts, "lists", "make tensors of them first")


@rule(
    id="DA19",
    category="tensor-or-runtime",
    severity="blocker",
    stops="IndexError",
    summary="labels that share memory with the input ids are masked in place",
    example="""
          === src/train.py
          import hydra
          from datasets import load_dataset
          from transformers import AutoTokenizer

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased", cache_dir=".cache/")
              rows = load_dataset("stanfordnlp/imdb", split="train", cache_dir=".cache/")

              def encode(batch):
                  out = tokenizer(batch["text"], truncation=True)
        -         labels = out["input_ids"].copy()
        +         labels = [list(ids) for ids in out["input_ids"]]
                  for row in labels:
                      row[:5] = [-100] * 5  # flag: DA19
                  out["labels"] = labels
                  return out

              return rows.map(encode, batched=True)
    """,
)
def masked_inputs(facts: Facts) -> Iterator[Flag]:
    """A copy of a list of lists contains the same lists, and an assignment does not copy a tensor:
    -100 then appears in `input_ids`, and no embedding has a row for it.
    """
    yield from problem_flags(facts, "spoiled", "copy each row of them: copy.deepcopy, or clone()")


def problem_flags(
    facts: Facts, cause: str, remedy: str = "", severity: Severity = Severity.BLOCKER
) -> Iterator[Flag]:
    """The problems of one cause that following the runs has met."""
    for problem in facts.data_problems:
        if problem.cause == cause:
            some = 0 < len(problem.runs) < len(facts.runs)
            runs = f", in {', '.join(problem.runs[:3])}" if some else ""
            tail = f"; {remedy}" if remedy else ""
            message = f"{problem.error}: {problem.message}{tail}{runs}"
            yield Flag(
                problem.spans[0],
                message,
                severity=severity if problem.certain else Severity.MAJOR,
                places=again([*problem.spans, *problem.further]),
                names=(problem.error, problem.message, *problem.names[:1]),
            )


def _allows(specifier: str, versions: tuple[str, ...]) -> bool:
    allowed = specifier_set(specifier)
    return allowed is None or any(allowed.contains(version) for version in versions)
