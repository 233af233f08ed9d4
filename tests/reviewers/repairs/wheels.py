"""A package index of empty wheels: uv really resolves what a submission declares, offline."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from zipfile import ZipFile

import uv
from validate_pyproject.api import Validator
from validate_pyproject.errors import ValidationError

from reviewers.records import Submission
from tests.builders import write_folder


@dataclass(frozen=True)
class Distribution:
    """A distribution of the index.

    Attributes:
        versions: each with the oldest Python that it supports.
        modules: the top-level modules that it brings.
    """

    versions: Mapping[str, str]
    modules: Sequence[str]
    requires: Sequence[str] = ()


def _one(version: str, *modules: str, python: str = "3.8", needs: str = "") -> Distribution:
    return Distribution({version: python}, modules, needs.split())


INDEX: Mapping[str, Distribution] = {
    "torch": Distribution({"2.2.0": "3.8", "2.6.0": "3.9", "2.9.0": "3.10"}, ("torch",)),
    "torchvision": _one("0.24.0", "torchvision", needs="torch numpy pillow"),
    "torchmetrics": _one("1.8.0", "torchmetrics", needs="torch numpy"),
    "transformers": Distribution(
        {"4.40.0": "3.8", "4.57.0": "3.9"},
        ("transformers",),
        ["huggingface-hub", "numpy", "requests", "tokenizers", "safetensors", "tqdm"],
    ),
    "tokenizers": _one("0.22.0", "tokenizers"),
    "safetensors": _one("0.6.0", "safetensors"),
    "huggingface-hub": _one("0.36.0", "huggingface_hub", needs="requests tqdm"),
    "accelerate": _one("1.11.0", "accelerate", needs="torch numpy"),
    "peft": _one("0.18.0", "peft", needs="torch transformers accelerate"),
    "datasets": Distribution(
        {"2.19.0": "3.8", "3.6.0": "3.9", "4.4.0": "3.9"},
        ("datasets",),
        ["numpy", "pandas", "requests", "tqdm", "huggingface-hub"],
    ),
    "evaluate": _one("0.4.6", "evaluate", needs="datasets numpy"),
    "hydra-core": _one("1.3.2", "hydra", needs="omegaconf"),
    "omegaconf": _one("2.3.0", "omegaconf", python="3.6", needs="pyyaml"),
    "pyyaml": _one("6.0.3", "yaml", python="3.8"),
    "optuna": Distribution({"3.6.0": "3.7", "4.6.0": "3.8"}, ("optuna",), ("numpy", "tqdm")),
    "wandb": Distribution(
        {"0.16.6": "3.7", "0.17.9": "3.7", "0.22.0": "3.8"}, ("wandb",), ("pyyaml", "requests")
    ),
    "numpy": Distribution({"1.24.4": "3.8", "1.26.4": "3.9", "2.3.0": "3.11"}, ("numpy",)),
    "pandas": Distribution(
        {"2.0.3": "3.8", "2.2.3": "3.9", "2.3.0": "3.9"}, ("pandas",), ("numpy",)
    ),
    "scipy": Distribution(
        {"1.11.4": "3.9", "1.14.0": "3.10", "1.16.0": "3.11"}, ("scipy",), ("numpy",)
    ),
    "scikit-learn": Distribution(
        {"1.4.0": "3.9", "1.7.0": "3.10"}, ("sklearn",), ("numpy", "scipy", "joblib")
    ),
    "joblib": _one("1.5.0", "joblib"),
    "matplotlib": Distribution(
        {"3.7.5": "3.8", "3.10.0": "3.10"}, ("matplotlib",), ("numpy", "pillow")
    ),
    "seaborn": _one("0.13.2", "seaborn", needs="numpy pandas matplotlib"),
    "pillow": _one("12.0.0", "PIL"),
    "tqdm": _one("4.67.0", "tqdm"),
    "requests": _one("2.32.0", "requests"),
    "nltk": _one("3.9.0", "nltk", needs="joblib tqdm"),
    "einops": _one("0.8.0", "einops"),
    "timm": _one("1.0.0", "timm", needs="torch torchvision pyyaml huggingface-hub safetensors"),
    "sentencepiece": _one("0.2.1", "sentencepiece"),
    "networkx": _one("3.5", "networkx"),
    "rouge-score": _one("0.1.2", "rouge_score", needs="numpy nltk"),
}  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What uv says of a project.

    Attributes:
        refused: its error; empty where it accepts the project.
        installed: the versions of the modules that `uv run` would find, as numbers.
    """

    refused: str
    installed: Mapping[str, Sequence[int]]


class Index:
    """Wheels of all distributions in one folder; they have names and needs and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True)
        for name, distribution in INDEX.items():
            for version, python in distribution.versions.items():
                _wheel(folder, name, version, python, distribution.requires)
        self._asked: dict[str, Answer] = {}

    @cached_property
    def _uv(self) -> list[str]:
        flags = "--offline --no-index --no-cache --no-config --no-python-downloads --quiet"
        return [uv.find_uv_bin(), "lock", *flags.split()]

    def ask(self, submission: Submission, folder: Path) -> Answer:
        """Let uv resolve a submission's pyproject.toml in a folder of its own."""
        file = submission.by_path.get("pyproject.toml")
        text = file.text if file else ""
        if text not in self._asked:
            write_folder(folder, submission)
            self._asked[text] = self._answer(folder)
        return self._asked[text]

    def _answer(self, folder: Path) -> Answer:
        words = [*self._uv, "--python", sys.executable, "--find-links", str(self._folder)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60)
        if done.returncode:
            return Answer(" ".join(done.stderr.split()), {})
        locked = tomllib.loads((folder / "uv.lock").read_text("utf-8"))
        if refused := _unbuildable(folder):
            return Answer(refused, {})
        return Answer("", dict(_modules(locked)))


def _modules(locked: Mapping[str, list[dict[str, object]]]) -> Iterator[tuple[str, list[int]]]:
    for package in locked.get("package", ()):
        if package["name"] in INDEX:
            numbers = [int(part) for part in str(package["version"]).split(".")]
            for module in INDEX[str(package["name"])].modules:
                yield module, numbers


def _unbuildable(folder: Path) -> str:
    """What the build backend says with which `uv run` begins; empty where it builds the project, or
    where there is none.
    """
    project = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))
    backend = project.get("build-system", {}).get("build-backend", "")
    tools = project.get("tool", {})
    is_package = tools.get("uv", {}).get("package") is not False
    if not backend or "project" not in project or not is_package:
        return ""
    try:
        Validator()(project)
    except ValidationError as error:
        return f"{backend}: {error}"
    if backend == "setuptools.build_meta":
        return _refused_by_setuptools(folder)
    # Hatchling and Poetry are not installed here; this is what each looks for.
    name = project["project"]["name"].replace("-", "_")
    found = [f"{name}/__init__.py", f"src/{name}/__init__.py", f"{name}.py"]
    told = {
        "hatchling.build": tools.get("hatch", {}).get("build"),
        "poetry.core.masonry.api": tools.get("poetry", {}).get("packages"),
    }[backend]
    if told or any((folder / path).exists() for path in found):
        return ""
    return f"{backend}: it finds nothing of the name {name}"


def _refused_by_setuptools(folder: Path) -> str:
    code = "from setuptools import build_meta; build_meta.get_requires_for_build_wheel()"
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    return f"setuptools: {done.stderr[-400:]}" if done.returncode else ""


def _wheel(folder: Path, name: str, version: str, python: str, needs: Sequence[str]) -> None:
    stem = f"{name.replace('-', '_')}-{version}"
    about = f"{stem}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\nRequires-Python: >={python}\n"
    tags = "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as file:
        file.writestr(
            f"{about}/METADATA", head + "".join(f"Requires-Dist: {one}\n" for one in needs)
        )
        file.writestr(f"{about}/WHEEL", tags)
        file.writestr(f"{about}/RECORD", "")
