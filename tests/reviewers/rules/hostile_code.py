# ruff: noqa: E501  a hostile text is clearest on one line
"""Submissions that are made to be slow or to break their reader; each is added to the sound one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.builders import ONE_RUN, SOUND_FILES, SOUND_RUNS

TRAIN, EVALUATE, MODEL, CONFIG = (
    "src/train.py",
    "src/evaluate.py",
    "src/model.py",
    "config/config.yaml",
)


@dataclass(frozen=True, slots=True)
class Hostile:
    """Files over the sound submission, and its runs where they are others."""

    files: Mapping[str, str]
    runs: Mapping[str, str] = field(default_factory=lambda: ONE_RUN)


def _train(text: str) -> Hostile:
    return Hostile({TRAIN: text})


def _below(path: str, text: str) -> Hostile:
    """Text below what the file holds already."""
    return Hostile({path: f"{SOUND_FILES[path]}\n{text}"})


def _entry(body: str) -> str:
    return (
        "import hydra\nimport wandb\nfrom omegaconf import OmegaConf\n\n"
        '@hydra.main(config_path="../config", config_name="config", version_base="1.3")\ndef'
        f" main(cfg):\n{body}\n"
        'if __name__ == "__main__":\n    main()\n'
    )


def hostile(share: float = 1.0) -> Mapping[str, Callable[[], Hostile]]:
    """Submissions by what is odd about them, made when called.

    Args:
        share: how much there is of what the names count; less of it is as telling about crashes, and quicker.
    """

    def each(form: str, count: int, between: str = "\n") -> str:
        """A form once for each number; `{n}` in it is the number, `{m}` the one before."""
        numbers = range(max(int(count * share), 2))
        return between.join(form.replace("{n}", str(n)).replace("{m}", str(n - 1)) for n in numbers)

    def keys(form: str, count: int) -> str:
        return "    metrics = {}\n" + each(f"    {form}", count)

    return {
        # Size
        "one line of 2 MB": lambda: _train("x = [" + each("1, ", 700_000, "") + "]\n"),
        "one line of 100,000 statements": lambda: _train(each("a{n} = b{n}.c", 100_000, "; ")),
        "200,000 lines": lambda: _train(each("x{n} = 1", 200_000)),
        "200,000 comments on unfinished code": lambda: _train(each("# TODO: this", 200_000)),
        "10,000 undefined names": lambda: _train(each("print(absent_{n})", 10_000)),
        "10,000 stubs": lambda: _train(each("def f{n}():\n    raise NotImplementedError", 10_000)),
        "50,000 functions": lambda: _train(each("def f{n}(x):\n    return x", 50_000)),
        "5,000 classes": lambda: _below(MODEL, each("class C{n}:\n    def __init__(self):\n        self.a{n} = 1", 5_000)),
        "20,000 imports": lambda: _train(each("import torch.nn.n{n}\nfrom src.model import name_{n}", 10_000)),
        "a dict literal of 100,000 items": lambda: _train("x = {" + each("'k{n}': {n}", 100_000, ", ") + "}\n"),
        "an f-string of 10,000 values": lambda: _train("x = f'" + "{y}" * 10_000 + "'\n"),
        "500 files": lambda: Hostile({f"src/m{n}.py": f"from src.m{n - 1} import f\n\ndef g():\n    f()\n" for n in range(500)}),
        # Depth
        "5,000 nested brackets": lambda: _train("x = " + "[" * 5_000 + "]" * 5_000 + "\n"),
        "140 nested brackets": lambda: _train("x = " + "[" * 140 + "]" * 140 + "\n"),
        "5,000 nested ifs": lambda: _train("".join(" " * n + "if x:\n" for n in range(5_000)) + " " * 5_000 + "y = 1\n"),
        "95 nested ifs": lambda: _train("x = 1\n" + "".join(" " * n + "if x:\n" for n in range(95)) + " " * 95 + "y = cfg.a\n"),
        "10,000 branches": lambda: _train("if x == 0:\n    pass\n" + each("elif x == {n}:\n    y = {n}", 10_000)),
        "a sum of 10,000": lambda: _train("x = " + each("a{n}", 10_000, " + ") + "\n"),
        "a chain of 10,000 attributes": lambda: _train("x = a" + ".b" * 10_000 + "\n"),
        "a chain of 140 calls": lambda: _train("x = a" + ".b()" * 70 + "\n"),
        "90 nested functions": lambda: _train("".join(" " * n + f"def f{n}(x):\n" for n in range(90)) + " " * 90 + "return x\n"),
        "90 nested lambdas": lambda: _train("f = " + "".join(f"lambda a{n}: " for n in range(90)) + "a0\n"),
        # Circles
        "imports in a circle": lambda: Hostile(
            {
                TRAIN: "from src.model import f\n\ndef g():\n    return f()\n",
                MODEL: "from src.preprocess import f\nfrom src.train import *\n",
                "src/preprocess.py": "from src.train import g as f\nfrom src.model import *\n",
            }
        ),
        "classes in a circle": lambda: _below(
            MODEL, "class A(B):\n    pass\n\nclass B(A):\n    pass\n\nclass C(C):\n    def f(self):\n        return self.g()\n\nA().f()"
        ),
        "2,000 classes, each from the one before": lambda: _below(
            MODEL, "class C0:\n    pass\n" + each("class C1{n}(C1{m}):\n    def f{n}(self):\n        return self.g{n}", 2_000)
        ),
        "functions in a circle": lambda: _train(
            _entry("    f(cfg)") + "def f(c):\n    return g(c) + h(c)\ndef g(c):\n    return f(c)\ndef h(c):\n    return g(c) + f(c.x)\n"
        ),
        "calls that double thirty times": lambda: _train(
            _entry("    f0(cfg)") + each("def f{n}(c):\n    f1{n}(c)\n    f1{n}(c)\ndef f1{n}(c):\n    f2{n}(c)\n    f2{n}(c)", 30)
            + "\n" + each("def f2{n}(c):\n    f0(c)\n    f0(c.run)", 30)
        ),
        "dicts in a circle": lambda: _train(
            _entry("    a = {}\n    b = {**a}\n    a = {**b}\n    b.update(a)\n    a.update(b)\n    wandb.log(a)\n    wandb.log({**a, **b})")
        ),
        "names in a circle": lambda: _train(_entry("    a = b\n    b = a\n    a.x = b.x\n    wandb.log(a)\n    print(a.x, b.x)")),
        # Much of what the rules follow
        "5,000 logged keys, logged 5,000 times": lambda: _train(
            _entry(keys("metrics['k{n}'] = 1", 5_000) + "\n" + each("    wandb.log(metrics)", 5_000))
        ),
        "5,000 keys read by evaluate.py": lambda: _below(EVALUATE, each("def r{n}(run):\n    return run.summary['k{n}']", 5_000)),
        "10,000 settings read": lambda: _train(_entry(each("    print(cfg.a{n}.b)", 10_000))),
        "5,000 settings written": lambda: _train(_entry(each("    cfg.training.a{n} = cfg.model", 5_000))),
        "5,000 merges": lambda: _train(_entry(each("    cfg = OmegaConf.merge(cfg, cfg)", 5_000))),
        "a loop in a loop in a loop": lambda: _train(
            _entry("    for a in range(1000):\n        for b in range(1000):\n            for c in range(1000):\n                print(cfg.x)")
        ),
        "5,000 assignments to one name": lambda: _train(_entry(each("    x = f(x, {n})\n    x.backward()", 5_000))),
        "3,000 layers called with each other": lambda: _below(
            MODEL,
            "class N(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            + each("        self.l{n} = nn.Linear({n}, {n})", 3_000)
            + "\n    def forward(self, x):\n" + each("        x = self.l{n}(x)", 3_000) + "\n        return x",
        ),
        # YAML and TOML
        "deep YAML": lambda: Hostile({CONFIG: "".join(" " * n + "a:\n" for n in range(2_000))}),
        "YAML anchors that multiply": lambda: Hostile(
            {CONFIG: "a0: &a0 [x, x]\n" + each("b{n}: &a1{n} [*a1{m}, *a1{m}]", 60).replace("*a1-1", "*a0")}
        ),
        "3,000 settings": lambda: Hostile({CONFIG: f"{SOUND_FILES[CONFIG]}\n{each('k{n}: ${k{m}}', 3_000)}\n"}),
        "20,000 settings": lambda: Hostile({CONFIG: f"{SOUND_FILES[CONFIG]}\n{each('k{n}: {n}', 20_000)}\n"}),
        "interpolations in a circle": lambda: Hostile({CONFIG: f"{SOUND_FILES[CONFIG]}\np: ${{q}}\nq: ${{p}}\nr: ${{${{p}}}}\n"}),
        "300 runs": lambda: Hostile({}, {f"run-{n}": SOUND_RUNS[next(iter(SOUND_RUNS))] for n in range(300)}),
        "20,000 requirements": lambda: Hostile(
            {"pyproject.toml": "[project]\nname = 'x'\nversion = '1'\ndependencies = [" + each("'p{n}>={n}'", 20_000, ",\n") + "]\n"}
        ),
        "deep TOML": lambda: Hostile({"pyproject.toml": "x = " + "[" * 3_000 + "]" * 3_000 + "\n"}),
        # Odd text
        "odd Unicode": lambda: _train("ﬁ = 1\nprint(fi)\nｘ = ﬁ\nª = 'a\u202eb'\nprint(x, 𝔞, \u0301)\n# TODO \u2028 \x0c \x85\n"),
        "names that only differ before normalisation": lambda: _train("def ﬁt(ｃfg):\n    return cfg.Å + cfg.Å\n\nfit(1)\n"),
        "line ends of all kinds": lambda: _train("x = 1\r\ny = absent\rz = '''\x0c\x85\u2028'''\n# TODO: this\x0bthat\x1c\n"),
        "surrogates": lambda: _train("x = '\\ud800'\ny = b'\\xff'\nprint(f'{x}\\udfff', absent)\n"),
        "no text at all": lambda: Hostile(dict.fromkeys(SOUND_FILES, ""), {"run": ""}),
    }  # fmt: skip
