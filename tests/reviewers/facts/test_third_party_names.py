"""Guards the shipped index: names of real libraries that exist, never existed or went, calls that
fit or do not, and its cost.
"""

import subprocess
import sys
from pathlib import Path
from time import process_time

import pytest
from packaging.specifiers import SpecifierSet

from reviewers.facts import third_party
from reviewers.facts.third_party import Absent, Index, Known, Unknown, load_index

DATA = Path(third_party.__file__).parent / "data"


@pytest.fixture(scope="module")
def index() -> Index:
    return load_index()


@pytest.mark.parametrize(
    "name",
    [
        "accelerate.Accelerator.backward", "bitsandbytes.optim.AdamW8bit", "botorch.fit.fit_gpytorch_mll",  # noqa: E501
        "botorch.models.SingleTaskGP", "datasets.Dataset.train_test_split", "datasets.DatasetDict",
        "datasets.load_dataset",
        "evaluate.load", "gpytorch.mlls.ExactMarginalLogLikelihood", "hydra.core.global_hydra.GlobalHydra.instance",  # noqa: E501
        "hydra.main", "hydra.utils.get_original_cwd", "hydra.utils.to_absolute_path",
        "matplotlib.pyplot.Figure",
        "matplotlib.pyplot.subplots", "nltk.tokenize.word_tokenize", "numpy.bool_", "numpy.cos",
        "numpy.linalg.norm",
        "numpy.mean", "numpy.random.default_rng", "omegaconf.DictConfig",
        "omegaconf.OmegaConf.set_struct",
        "omegaconf.OmegaConf.to_container", "omegaconf.errors.ConfigAttributeError", "omegaconf.open_dict",  # noqa: E501
        "optuna.create_study", "optuna.samplers.TPESampler", "optuna.trial.Trial.suggest_float",
        "optuna.visualization.plot_optimization_history", "pandas.DataFrame.groupby",
        "pandas.read_csv", "peft.LoraConfig",
        "peft.get_peft_model", "peft.prepare_model_for_kbit_training", "pynvml.nvmlDeviceGetTotalEnergyConsumption",  # noqa: E501
        "rouge_score.rouge_scorer.RougeScorer.score", "scipy.special.expit",
        "scipy.stats.binomtest", "scipy.stats.norm",
        "scipy.stats.ttest_ind", "scipy.stats.wilcoxon", "seaborn.heatmap",
        "sentence_transformers.util.cos_sim",
        "sklearn.linear_model.LogisticRegression.predict_proba", "sklearn.metrics.f1_score",
        "sklearn.model_selection.StratifiedKFold", "timm.create_model", "torch.Tensor.backward",
        "torch.amp.GradScaler",
        "torch.autograd.grad", "torch.backends.cudnn", "torch.cat", "torch.cuda.FloatTensor",
        "torch.cuda.amp.autocast",
        "torch.distributed.group.WORLD", "torch.float32", "torch.nn.Linear.weight",
        "torch.nn.Module.register_buffer",
        "torch.nn.functional.cross_entropy", "torch.nn.utils.clip_grad_norm_",
        "torch.nn.utils.parametrizations.weight_norm", "torch.optim.AdamW", "torch.optim.lr_scheduler.CosineAnnealingLR",  # noqa: E501
        "torch.utils.data.DataLoader", "torch.utils.tensorboard.SummaryWriter", "torchmetrics.Accuracy",  # noqa: E501
        "torchvision.datasets.CIFAR10", "torchvision.models.resnet18", "torchvision.models.ResNet18_Weights.DEFAULT",  # noqa: E501
        "torchvision.transforms.RandomCrop", "torchvision.transforms.v2.Transform",
        "tqdm.auto.tqdm", "tqdm.tqdm.write",
        "transformers.AutoModelForSequenceClassification.from_pretrained", "transformers.AutoTokenizer",  # noqa: E501
        "transformers.BertModel", "transformers.DataCollatorWithPadding", "transformers.Trainer.train",  # noqa: E501
        "transformers.get_linear_schedule_with_warmup", "transformers.modeling_outputs.SequenceClassifierOutput",  # noqa: E501
        "transformers.models.bert.modeling_bert.BertLayer", "transformers.trainer_utils.EvalPrediction",  # noqa: E501
        "transformers.utils.logging", "wandb.Api", "wandb.define_metric", "wandb.init",
        "wandb.sdk.wandb_run.Run.log",
        "wandb.util", "yaml.safe_load",
    ],
)  # fmt: skip
def test_no_real_name_is_called_absent(index: Index, name: str) -> None:
    assert not isinstance(index.lookup(name), Absent)


@pytest.mark.parametrize(
    "name",
    [
        "accelerate.Trainer", "botorch.models.GaussianProcess", "datasets.load_from_hub",
        "evaluate.load_metric",
        "gpytorch.fit_gp", "hydra.compose_config", "hydra.get_config", "hydra.utils.get_cwd",
        "matplotlib.pyplot.barplot",
        "numpy.linalg.softmax", "numpy.random.randn_like", "numpy.softmax",
        "omegaconf.OmegaConf.clone",
        "omegaconf.OmegaConf.deepcopy", "omegaconf.OmegaConf.from_dict",
        "omegaconf.OmegaConf.to_dict", "optuna.Sampler",
        "optuna.samplers.BayesianSampler", "optuna.trial.Trial.suggest_choice",
        "pandas.read_jsonl", "peft.LoRAConfig",
        "peft.load_peft_model", "rouge_score.rouge_scorer.Rouge", "scipy.stats.cohen_d",
        "scipy.stats.paired_ttest",
        "scipy.stats.t_test", "seaborn.confusion_matrix", "sklearn.metrics.confusion_matrix_display",  # noqa: E501
        "sklearn.metrics.perplexity", "sklearn.metrics.ttest_ind", "sklearn.model_selection.train_val_test_split",  # noqa: E501
        "timm.load_model", "torch.nn.CrossEntropy", "torch.nn.FocalLoss",
        "torch.nn.functional.cosine_loss",
        "torch.nn.functional.kl_divergence", "torch.nn.utils.clip_gradients",
        "torch.no_such_function", "torch.optim.LAMB",
        "torch.optim.lr_scheduler.WarmupCosine", "torch.utils.data.TextDataset", "torchvision.datasets.TinyImageNet",  # noqa: E501
        "torchvision.models.resnet20", "torchvision.transforms.Cutout", "torchvision.transforms.Transform",  # noqa: E501
        "transformers.AutoModelForClassification", "transformers.CosineAnnealingLR", "transformers.LoraConfig",  # noqa: E501
        "transformers.get_warmup_scheduler", "wandb.get_run", "wandb.log_metric",
        "wandb.data_types.wandb_table.WandBTable",
    ],
)  # fmt: skip
def test_a_name_that_never_was_is_absent(index: Index, name: str) -> None:
    assert isinstance(index.lookup(name), Absent)
    assert index.existence(name) == ()


@pytest.mark.parametrize(
    ("name", "since", "gone"),
    [
        ("datasets.load_metric", "2.14.7", "3.0.2"),
        ("botorch.fit.fit_gpytorch_model", "0.8.5", "0.12.0"),
        ("scipy.stats.binom_test", "1.10.1", "1.12.0"),
        ("scipy.integrate.trapz", "1.10.1", "1.14.1"),
        ("numpy.Inf", "1.24.4", "2.0.2"),
        ("numpy.float_", "1.24.4", "2.0.2"),
        ("pandas.DataFrame.append", "1.5.3", "2.0.3"),
        ("transformers.AdamW", "4.30.2", "4.51.3"),
        ("hydra.main", "1.1.2", None),
        ("torch.amp.GradScaler", "2.4.1", None),
    ],
)
def test_a_name_is_known_with_its_versions(
    index: Index, name: str, since: str, gone: str | None
) -> None:
    assert [(span.since, span.gone) for span in index.existence(name)] == [(since, gone)]


@pytest.mark.parametrize("name", ["numpy.float", "numpy.int", "numpy.object"])
def test_numpy_aliases_went_before_the_oldest_indexed_version(index: Index, name: str) -> None:
    assert isinstance(index.lookup(name), Absent)


@pytest.mark.parametrize(
    ("name", "allowed", "answer"),
    [
        ("datasets.load_metric", "<3", "every"),
        ("datasets.load_metric", ">=2.14", "some"),
        ("datasets.load_metric", ">=3", "none"),
        ("datasets.load_metric", "==2.18.0", "every"),
        ("datasets.load_metric", "~=3.2", "none"),
        ("omegaconf.OmegaConf.deepcopy", "~=2.3.0", "none"),
        ("torch.no_such_function", ">=2.0", "none"),
        ("keras.Model", None, "unknown"),
    ],
)
def test_a_requirement_narrows_the_answer(
    index: Index, name: str, allowed: str | None, answer: str
) -> None:
    assert index.exists(name, None if allowed is None else SpecifierSet(allowed)).answer == answer


@pytest.mark.parametrize(
    ("owner", "name", "kind"),
    [
        ("wandb.sdk.wandb_run.Run", "mode", Absent),
        ("wandb.sdk.wandb_run.Run", "summary", Known),
        ("wandb.sdk.wandb_run.Run", "url", Known),
        ("optuna.study.Study", "best_trial", Known),
        ("optuna.study.Study", "best_hyperparameters", Absent),
        ("optuna.trial.FrozenTrial", "params", Known),
        ("torch.optim.AdamW", "param_groups", Known),
        ("torch.optim.AdamW", "set_lr", Absent),
        ("torch.nn.Linear", "in_features", Known),
        ("torch.nn.Linear", "hf_device_map", Unknown),
        ("pandas.DataFrame", "any_column", Unknown),
    ],
)
def test_instances_have_the_attributes_of_their_class(
    index: Index, owner: str, name: str, kind: type
) -> None:
    assert isinstance(index.attribute(owner, name), kind)


@pytest.mark.parametrize(
    ("name", "positional", "keywords"),
    [
        ("torch.optim.AdamW", 1, ["lr", "weight_decay", "fused"]),
        ("torch.sum", 1, ["axis", "keepdims"]),
        ("torch.cat", 1, ["dim"]),
        ("torch.utils.data.DataLoader", 1, ["batch_size", "shuffle", "collate_fn"]),
        ("numpy.arange", 4, []),
        ("scipy.stats.ttest_ind", 2, ["equal_var", "nan_policy"]),
        ("scipy.sparse.linalg.LinearOperator", 1, ["matvec"]),
        ("sklearn.metrics.f1_score", 2, ["average"]),
        ("peft.LoraConfig", 0, ["r", "lora_alpha", "target_modules", "task_type"]),
        ("transformers.TrainingArguments", 0, ["output_dir", "eval_strategy"]),
        ("wandb.init", 0, ["project", "entity", "config", "mode"]),
        ("optuna.create_study", 0, ["direction", "sampler", "pruner"]),
        ("matplotlib.pyplot.plot", 2, ["label", "color"]),
        ("torchvision.models.resnet18", 0, ["pretrained"]),
        ("transformers.modeling_outputs.SequenceClassifierOutput", 0, ["loss", "logits"]),
    ],
)
def test_no_fitting_call_is_called_wrong(
    index: Index, name: str, positional: int, keywords: list[str]
) -> None:
    assert index.fits(name, positional, keywords).availability.newest is not False


@pytest.mark.parametrize(
    ("name", "positional", "keywords", "problem"),
    [
        ("omegaconf.OmegaConf.to_container", 1, ["deepcopy"], "takes no keyword 'deepcopy'"),
        ("torch.optim.AdamW", 1, ["learning_rate"], "takes no keyword 'learning_rate'"),
        ("torch.nn.functional.softmax", 1, ["axis"], "takes no keyword 'axis'"),
        ("torch.sum", 1, ["dims"], "takes no keyword 'dims'"),
        ("sklearn.metrics.f1_score", 3, [], "takes at most 2 positional arguments, not 3"),
        ("peft.LoraConfig", 0, ["rank"], "takes no keyword 'rank'"),
        (
            "transformers.TrainingArguments",
            0,
            ["evaluation_strategy"],
            "takes no keyword 'evaluation_strategy'",
        ),
        ("optuna.create_study", 0, ["objective"], "takes no keyword 'objective'"),
        ("scipy.stats.ttest_rel", 1, [], "misses 'b'"),
        ("hydra.main", 0, ["config_dir"], "takes no keyword 'config_dir'"),
        ("wandb.init", 0, ["run_name"], "takes no keyword 'run_name'"),
    ],
)
def test_a_call_that_cannot_fit_is_explained(
    index: Index, name: str, positional: int, keywords: list[str], problem: str
) -> None:
    found = index.fits(name, positional, keywords)
    assert (found.availability.newest, found.problem) == (False, problem)


def test_a_call_of_a_method_is_judged_by_its_class(index: Index) -> None:
    assert (
        index.fits("log", 1, ["commit"], owner="wandb.sdk.wandb_run.Run").availability.newest
        is True
    )
    assert (
        index.fits("log", 1, ["epoch"], owner="wandb.sdk.wandb_run.Run").problem
        == "takes no keyword 'epoch'"
    )


def test_the_layers_of_an_architecture_are_known(index: Index) -> None:
    attention = index.attribute_types("transformers.models.bert.modeling_bert.BertSelfAttention")
    assert {name for name, types in attention.items() if types == ("torch.nn.Linear",)} == {
        "query",
        "key",
        "value",
    }
    assert "BertSelfAttention" in index.names("transformers.models.bert.modeling_bert")


@pytest.mark.parametrize(
    ("imported", "library"),
    [
        ("sklearn", "scikit-learn"),
        ("yaml", "pyyaml"),
        ("hydra.utils", "hydra-core"),
        ("PIL.Image", "pillow"),
        ("os", None),
    ],
)
def test_an_import_names_its_library(index: Index, imported: str, library: str | None) -> None:
    assert index.distribution_of(imported) == library


def test_the_shipped_data_is_small() -> None:
    assert sum(path.stat().st_size for path in DATA.iterdir()) <= 5_000_000


def test_looking_up_again_takes_microseconds(index: Index) -> None:
    names = ["torch.nn.Linear", "sklearn.metrics.ttest_ind", "transformers.AutoModel", "numpy.mean"]
    for name in names:
        index.lookup(name)
    start = process_time()
    for _ in range(1000):
        for name in names:
            index.lookup(name)
    assert (process_time() - start) / 4000 < 100e-6


def test_a_review_never_loads_the_builder() -> None:
    code = (
        "import sys, reviewers.facts.third_party as t; t.Index().lookup('torch.nn.Linear');"
        "print([m for m in sys.modules if 'building' in m])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
