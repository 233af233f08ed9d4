"""Writes bundles for tests: the text of a recorded log in our own words, and trees of files."""

import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

CODE = {
    "train_py": "print('train')\n",
    "main_py": "print('main')\n",
    "config_yaml": "mode: full\n",
    "pyproject_toml": "[project]\nname = 'toy'\n",
    "model_py": "",
}
HYPOTHESIS = """open_problems='Kites drift in "light" wind.' method="Shorten the kite's tail." primary_metric='Minutes aloft.'"""  # noqa: E501
DESIGN = """- Strategy: Fly two kites side by side.
- Proposed Method: A tail that shortens itself.
- Evaluation Metrics: ['Minutes aloft.']"""
CRITERIA = """1. **Whole**: nothing is left out.
2. **Hydra**: parameters come from `config/runs/*.yaml`.

## Output Format
Answer with `is_code_ready` and `code_issue`."""
RUN_YAML = "run_id: proposed-kite\nmethod:\n  name: short-tail\n"
READY = {"is_code_ready": True, "code_issue": ""}


def run_text(
    run_id: str = "proposed-kite",
    yaml: str = RUN_YAML,
    model: str = "kite-2m",
    dataset: str = "None",
) -> str:
    """One run as a log lists it: only the first line of its YAML is indented."""
    return f"""
- Run ID: {run_id}
  Method: proposed
  Model: {model}
  Dataset: {dataset}
  
  Config Content:
  ```yaml
  {yaml}
  ```
  
"""  # noqa: W293


def log_text(
    *,
    model: str | None = "wind-1",
    criteria: str = CRITERIA,
    hypothesis: str | None = HYPOTHESIS,
    method: str = "Shorten the tail.\nRepeat.",
    design: str = DESIGN,
    runs: str | None = None,
    code: Mapping[str, object] | str | None = None,
    answer: Mapping[str, object] | str | None = None,
) -> str:
    """Return a recorded log; a code or an answer that is given as text stands there as it is, an
    empty answer is left out.
    """
    code = CODE if code is None else code
    answer = READY if answer is None else answer
    written = code if isinstance(code, str) else json.dumps(code)
    parts = [
        "" if model is None else f"\nLLM Name: {model}",
        "Input:\nYou look at kite code.\n",
        f"# Instructions\n\n{criteria}\n",
        "" if hypothesis is None else f"# Hypothesis\n{hypothesis}\n",
        f"# Current Research Method\n{method}\n",
        f"# Experimental Design\n{design}\n",
        f"# Experiment Runs\n{run_text() if runs is None else runs}",
        f"\n# Generated Experiment Code (To be validated)\n{written}\n\n\nLook closely.",
    ]
    if answer != "":
        parts.append(
            f"Output:\n{answer if isinstance(answer, str) else json.dumps(answer, indent=4)}"
        )
    return "\n".join(parts)


def write_log(path: Path, text: str | None = None) -> Path:
    path.write_text(log_text() if text is None else text, "utf-8")
    return path


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


TREE: Mapping[str, str | bytes] = {
    "src/train.py": "x = 1\n",
    "config/config.yaml": "mode: full\n",
    "config/runs/a.yaml": "run_id: run-a\n",
    "config/runs/b.yaml": "method: {name: b}\n",
    "pyproject.toml": "[project]\n",
}


def zipped(files: Mapping[str, str | bytes], top: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(top + name, content)
    return out.getvalue()


def tarred(
    files: Mapping[str, str | bytes],
    mode: str = "w",
    top: str = "",
    extra: tuple[tarfile.TarInfo, ...] = (),
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            info = tarfile.TarInfo(top + name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in extra:
            archive.addfile(info)
    return out.getvalue()
