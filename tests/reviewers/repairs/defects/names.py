# ruff: noqa: E501  a line of code is clearest whole
"""Names that nothing defines, imports that fail, calls that do not fit, and renamed API."""

from functools import partial

from tests.reviewers.repairs.started import Case, sound

_case = partial(Case, "names")
_HEAD = [path for path in sound()["retrieval-head"] if path.startswith("config/runs/")]

CASES = (
    _case(
        "a module of Python is not imported",
        "temperature-mixing",
        "IM02",
        "NameError",
        {"src/train.py": (("import math\nimport random\n", "import random\n"),)},
    ),
    _case(
        "a name of a library is not imported",
        "noise-batch",
        "IM02",
        "NameError",
        {"src/main.py": (("from omegaconf import DictConfig, OmegaConf\n", "from omegaconf import DictConfig\n"),)},
    ),
    _case(
        "a name of an own module is not imported",
        "gated-sam",
        "IM02",
        "NameError",
        {
            "src/train.py": (
                ("from src.model import build_gate, build_model, sharpness_aware_step\n", "from src.model import (\n    build_model,\n    sharpness_aware_step,\n)\n"),
            )
        },
    ),
    _case(
        "an alias that everybody knows",
        "adapters",
        "IM02",
        "NameError",
        {"src/train.py": (("import numpy as np\n", ""),)},
    ),
    _case(
        "a typing name under a docstring and a future import",
        "gated-sam",
        "IM02",
        "NameError",
        {"src/evaluate.py": (("from pathlib import Path\n", ""), ("from __future__ import annotations\n", "from __future__ import annotations  # for 3.9\n"))},
    ),
    _case(
        "a name is spelled otherwise where it is imported",
        "sound_submission",
        "IM04",
        "ImportError",
        {"src/train.py": (("from src.preprocess import build_loaders\n", "from src.preprocess import build_loader\n"), ("build_loaders(cfg)", "build_loader(cfg)"))},
    ),
    _case(
        "a class is called otherwise",
        "retrieval-head",
        "IM04",
        "ImportError",
        {"src/preprocess.py": (("from src.model import TextEncoder\n", "from src.model import TextEncoders\n"), ("TextEncoder(cfg", "TextEncoders(cfg"))},
    ),
    _case(
        "a module in the plural",
        "noise-batch",
        "IM03",
        "ModuleNotFoundError",
        {"src/train.py": (("from src.model import", "from src.models import"),)},
    ),
    _case(
        "a module without its package",
        "temperature-mixing",
        "IM16",
        "ModuleNotFoundError",
        {"src/main.py": (("from src.train import", "from train import"),)},
    ),
    _case(
        "a keyword that has another name",
        "adapters",
        "IM07",
        "TypeError",
        {"src/model.py": (("        longest=settings.model.max_length,\n", "        max_length=settings.model.max_length,\n"),)},
    ),
    _case(
        "an argument is missing",
        "gated-sam",
        "IM07",
        "TypeError",
        {"src/train.py": (("    loaders = build_loaders(cfg, splits, seed)\n", "    loaders = build_loaders(cfg, splits)\n"),)},
    ),
    _case(
        "an argument too many",
        "noise-batch",
        "IM07",
        "TypeError",
        {"src/train.py": (("controller = build_controller(cfg)\n", "controller = build_controller(cfg, device)\n"),)},
    ),
    _case(
        "a method that is called otherwise",
        "noise-batch",
        "IM08",
        "AttributeError",
        {"src/train.py": (("        monitor.update(small_norm_sq,", "        monitor.udpate(small_norm_sq,"),)},
    ),
    _case(
        "an attribute of self that is called otherwise",
        "gated-sam",
        "IM08",
        "AttributeError",
        {"src/model.py": (("        steeper = predicted_rise > self.margin * previous\n", "        steeper = predicted_rise > self.margins * previous\n"),)},
    ),
    _case(
        "an optimizer that transformers no longer has",
        "adapters",
        "IM09",
        "ImportError",
        {
            "src/train.py": (
                ("from transformers import DataCollatorWithPadding, Trainer, TrainingArguments, set_seed\n", "from transformers import AdamW, DataCollatorWithPadding, Trainer, TrainingArguments, set_seed\n"),
                ("    return Trainer(\n        model=make_model(settings),\n", "    model = make_model(settings)\n    optimizer = AdamW(model.parameters(), lr=settings.training.rate)\n    return Trainer(\n        model=model,\n        optimizers=(optimizer, None),\n"),
            )
        },
    ),
    _case(
        "a strategy of evaluation that was renamed",
        "adapters",
        "IM10",
        "TypeError",
        {"src/train.py": (('        eval_strategy="epoch",\n', '        evaluation_strategy="epoch",  # once an epoch\n'),)},
    ),
    _case(
        "a tokenizer that is a processing class now",
        "adapters",
        "IM10",
        "TypeError",
        {"src/train.py": (("        data_collator=DataCollatorWithPadding(tokenizer),\n", "        data_collator=DataCollatorWithPadding(tokenizer),\n        tokenizer=tokenizer,\n"),)},
    ),
    _case(
        "a scheduler that says nothing any more",
        "retrieval-head",
        "IM10",
        "TypeError",
        {
            "src/train.py": (
                ("torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=cfg.training.epochs)", "torch.optim.lr_scheduler.ReduceLROnPlateau(\n        optimiser,\n        mode=\"min\",\n        verbose=True,\n    )"),
                ("        schedule.step()\n", "        schedule.step(total)\n"),
            )
        },
    ),
    _case(
        "a type of NumPy that is gone",
        "noise-batch",
        "IM09",
        "AttributeError",
        {"src/evaluate.py": (('np.array(summary["confusion_matrix"], dtype=int)', 'np.array(summary["confusion_matrix"], dtype=np.int)'),)},
    ),
    _case(
        "a keyword that an optimizer does not take",
        "temperature-mixing",
        "IM10",
        "TypeError",
        {"src/train.py": (("torch.optim.Adam(calibrator.parameters(), lr=", "torch.optim.AdamW(calibrator.parameters(), learning_rate="),)},
    ),
    _case(
        "a constructor that does not keep what it gets",
        "noise-batch",
        "IM08",
        "AttributeError",
        {"src/model.py": (("        self.fraction = fraction\n", ""),)},
        ("src/model.py", "        self.fraction = fraction\n"),
    ),
    _case(
        "a method without self",
        "temperature-mixing",
        "IM07",
        "TypeError",
        {"src/model.py": (("    def temperatures(self) ->", "    def temperatures() ->"),)},
        ("src/model.py", "    def temperatures(self) ->"),
    ),
    _case(
        "a helper asks for what its callers have",
        "sparse-forecast",
        "IM02",
        "NameError",
        {
            "src/train.py": (
                ("def errors(model: Forecaster, loader, device, limit: Optional[int])", "def errors(model: Forecaster, loader, limit: Optional[int])"),
                ("errors(model, val_loader, device, limit)", "errors(model, val_loader, limit)"),
                ('errors(model, test_loader, device, cfg.training.get("batch_limit", None))', 'errors(\n        model,\n        loader=test_loader,\n        limit=cfg.training.get("batch_limit", None),\n    )'),
            )
        },
        ("src/train.py", "limit: Optional[int], device)"),
    ),
    _case(
        "a module that was never written",
        "gated-sam",
        "IM03",
        "ModuleNotFoundError",
        {
            "src/train.py": (
                ("from src.model import build_gate, build_model, sharpness_aware_step\nfrom src.preprocess import Splits, build_loaders, load_splits\n", "from src.utils import Splits, build_gate, build_loaders, build_model, load_splits, sharpness_aware_step\n"),
            )
        },
        ("src/train.py", "\nfrom src.preprocess import Splits, build_loaders, load_splits\n"),
    ),
    _case(
        "a parameter that has to be named",
        "sparse-forecast",
        "IM07",
        "TypeError",
        {"src/train.py": (("def learning_rate_at(step: int, total: int, peak: float)", "def learning_rate_at(step: int, *, total: int, peak: float)"),)},
        ("src/train.py", "learning_rate_at(step, total=total_steps, peak=cfg.training.learning_rate)"),
    ),
    _case(
        "an argument is missing in the middle",
        "temperature-mixing",
        "IM07",
        "TypeError",
        {"src/train.py": (('logits, _, labels = collect(cfg, model, loaders["val"], device)', 'logits, _, labels = collect(cfg, loaders["val"], device)'),)},
        ("src/train.py", 'logits, _, labels = collect(cfg, model, loaders["val"], device)'),
    ),
    _case(
        "a value by its place and by its name",
        "noise-batch",
        "IM07",
        "TypeError",
        {"src/train.py": (("accumulate(model, pending, device)", "accumulate(pending, device, model=model)"),)},
        ("src/train.py", "accumulate(batches=pending, device=device, model=model)"),
    ),
    _case(
        "an attribute without its object",
        "noise-batch",
        "IM02",
        "NameError",
        {"src/model.py": (("        if math.isnan(scale):\n            return self.count\n        wanted = self.fraction * scale", "        if math.isnan(scale):\n            return self.count\n        wanted = fraction * scale"),)},
        ("src/model.py", "wanted = self.fraction * scale"),
    ),
    _case(
        "a word of JSON",
        "gated-sam",
        "IM02",
        "NameError",
        {"src/train.py": (("        nesterov=True,\n", "        nesterov=true,\n"),)},
        ("src/train.py", "        nesterov=True,\n"),
    ),
    _case(
        "the loop's name within what it goes through",
        "adapters",
        "IM02",
        "NameError",
        {"src/train.py": (("        for entry in settings.optuna.space:\n", "        for entry in [e for e in settings.optuna.space if entry.high > 0]:\n"),)},
        ("src/train.py", "        for entry in [e for e in settings.optuna.space if e.high > 0]:\n"),
    ),
    _case(
        "a renamed keyword in a dictionary that is unpacked",
        "adapters",
        "IM10",
        "TypeError",
        {"src/train.py": (('    arguments = TrainingArguments(\n        output_dir=str(folder),\n        eval_strategy="epoch",\n', '    options = {"evaluation_strategy": "epoch", "save_strategy": "no"}\n    arguments = TrainingArguments(\n        **options,\n        output_dir=str(folder),\n'),)},
        ("src/train.py", '{"eval_strategy": "epoch", "save_strategy": "no"}'),
    ),
    _case(
        "a renamed keyword in what dict makes",
        "adapters",
        "IM10",
        "TypeError",
        {
            "src/train.py": (
                ("    arguments = TrainingArguments(\n        output_dir=str(folder),\n        eval_strategy=\"epoch\",\n", "    common = dict(evaluation_strategy=\"epoch\", logging_steps=10)\n    arguments = TrainingArguments(\n        output_dir=str(folder),\n"),
                ("        logging_steps=10,\n", ""),
                ('        report_to="wandb" if report else "none",\n', '        report_to="wandb" if report else "none",\n        **common,\n'),
            )
        },
        ("src/train.py", 'dict(eval_strategy="epoch", logging_steps=10)'),
    ),
    _case(
        "a keyword of another name in a section of the run files",
        "retrieval-head",
        "IM10",
        "TypeError",
        {
            "src/train.py": (("torch.optim.AdamW(trainable, lr=cfg.training.learning_rate, weight_decay=cfg.training.weight_decay)", "torch.optim.AdamW(trainable, **cfg.training.optimizer)"),),
            **dict.fromkeys(_HEAD, (("  weight_decay: 1.0e-2\n", "  weight_decay: 1.0e-2\n  optimizer: {learning_rate: 5.0e-4, weight_decay: 1.0e-2}\n"),)),
        },
        (_HEAD[0], "optimizer: {lr: 5.0e-4, weight_decay: 1.0e-2}"),
    ),
    _case(
        "a name within a lambda",
        "retrieval-head",
        "IM02",
        "NameError",
        {"src/evaluate.py": (("key=lambda run_id: values[run_id]", "key=lambda run_id: value[run_id]"),)},
        ("src/evaluate.py", "key=lambda run_id: values[run_id]"),
    ),
    _case(
        "an attribute of a data class behind another one",
        "gated-sam",
        "IM08",
        "AttributeError",
        {"src/train.py": (("sum(result.test.confusion for", "sum(result.test.confusions for"),)},
        ("src/train.py", "sum(result.test.confusion for"),
    ),
    _case(
        "a shortened attribute of a data class",
        "gated-sam",
        "IM08",
        "AttributeError",
        {"src/train.py": (("if val.error < best_val_error", "if val.err < best_val_error"),)},
        ("src/train.py", "if val.error < best_val_error"),
    ),
    _case(
        "a path is asked for what os has",
        "temperature-mixing",
        "IM19",
        "AttributeError",
        {"src/train.py": (("    output.mkdir(parents=True, exist_ok=True)\n", "    if not output.isdir():\n        output.mkdir(parents=True)\n"),)},
        ("src/train.py", "if not output.is_dir():"),
    ),
    _case(
        "a path is asked for what a file has",
        "retrieval-head",
        "IM19",
        "AttributeError",
        {"src/train.py": (("    run_dir.mkdir(parents=True, exist_ok=True)\n", '    run_dir.mkdir(parents=True, exist_ok=True)\n    (run_dir / "tail.txt").write(str(tail))\n'),)},
        ("src/train.py", '(run_dir / "tail.txt").write_text(str(tail))'),
    ),
    _case(
        "the project's folder is asked for its files",
        "sound_submission",
        "IM19",
        "AttributeError",
        {"src/main.py": (("    subprocess.run(command", "    print(list(root.listdir()))\n    subprocess.run(command"),)},
        ("src/main.py", "print(list(root.iterdir()))"),
    ),
    _case(
        "another verb behind an alias",
        "sound_submission",
        "IM04",
        "ImportError",
        {"src/train.py": (("import build_loaders\n", "import create_loaders as make_loaders\n"), ("build_loaders(cfg)", "make_loaders(cfg)"))},
        ("src/train.py", "import build_loaders as make_loaders\n"),
    ),
)  # fmt: skip
