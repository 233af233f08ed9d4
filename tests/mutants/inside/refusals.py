"""What the real libraries refuse, by full name, so that a stub refuses it too.

`()` stands for what a call returns. Only what our own submissions do wrong is here.
"""

# Names that a module no longer has, or never had.
ABSENT = frozenset(
    (
        "transformers.AdamW", "datasets.load_metric", "numpy.float", "numpy.int", "numpy.bool",
        "scipy.integrate.simps", "scipy.integrate.trapz", "sklearn.externals",
    )
)  # fmt: skip

# Keyword arguments that a callable does not take.
UNEXPECTED = {
    "transformers.TrainingArguments": {"evaluation_strategy", "no_cuda"},
    "transformers.Trainer": {"tokenizer"},
    "torch.optim.lr_scheduler.ReduceLROnPlateau": {"verbose"},
    "torch.optim.AdamW": {"learning_rate"},
}

# Data sets without a default configuration.
CONFIGURED = {
    "openai/gsm8k": ("main", "socratic"),
    "gsm8k": ("main", "socratic"),
    "glue": ("cola", "sst2", "mrpc", "qqp", "stsb", "mnli", "qnli", "rte", "wnli", "ax"),
    "nyu-mll/glue": ("cola", "sst2", "mrpc", "qqp", "stsb", "mnli", "qnli", "rte", "wnli", "ax"),
    "super_glue": ("boolq", "cb", "copa", "multirc", "record", "rte", "wic", "wsc"),
    "cardiffnlp/tweet_eval": ("emoji", "emotion", "hate", "irony", "offensive", "sentiment"),
    "allenai/ai2_arc": ("ARC-Challenge", "ARC-Easy"),
    "ai2_arc": ("ARC-Challenge", "ARC-Easy"),
}  # fmt: skip

# Data sets that are loading scripts, which `datasets` 4 refuses.
SCRIPTS = frozenset(("ybisk/piqa", "piqa", "PolyAI/banking77"))

# Modules that a call imports only then.
SILENT = {
    ("transformers.TrainingArguments", None): "accelerate",
    ("transformers.Trainer", None): "accelerate",
    ("transformers.AutoModelForCausalLM.from_pretrained", "device_map"): "accelerate",
    ("transformers.AutoModelForSequenceClassification.from_pretrained", "device_map"): "accelerate",
    ("transformers.AutoModel.from_pretrained", "device_map"): "accelerate",
}


def refuse_call(path, args, kwargs, installed):
    """Raise what the real library raises for a call.

    Args:
        installed: versions of the modules that are installed, each a list of numbers; None if all
            are.
    """
    path = path.replace("transformers.training_args.", "transformers.")
    for name in UNEXPECTED.get(path, set()) & kwargs.keys():
        function = path.rpartition(".")[2]
        raise TypeError(f"{function}.__init__() got an unexpected keyword argument {name!r}")
    for (function, keyword), module in SILENT.items():
        asked = path == function and (keyword is None or kwargs.get(keyword) is not None)
        if asked and installed is not None and module not in installed:
            raise ImportError(f"Using `{function}` requires `{module}`: pip install {module}")
    if path == "datasets.load_dataset":
        _load_dataset(*args, **kwargs, installed=installed)


def _load_dataset(path, name=None, *_, installed=None, **kwargs):
    configured = CONFIGURED.get(path)
    if configured and name is None:
        raise ValueError(f"Config name is missing.\nPlease pick one among: {list(configured)}")
    if configured and name not in configured:
        raise ValueError(f"BuilderConfig {name!r} not found. Available: {list(configured)}")
    if path in SCRIPTS and kwargs.get("revision") != "refs/convert/parquet":
        major = installed["datasets"][0] if installed else 4
        if major >= 4:
            file = path.rpartition("/")[2]
            raise RuntimeError(f"Dataset scripts are no longer supported, but found {file}.py")
        if not kwargs.get("trust_remote_code"):
            raise ValueError(f"Loading {path} requires you to execute the dataset script")
