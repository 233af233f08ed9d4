# ruff: noqa: E501  a line of code is clearest whole
"""Evaluations that do not take the documented key=value words."""

from functools import partial

from tests.reviewers.repairs.started import Case

_case = partial(Case, "evaluations")
_FILE = "src/evaluate.py"
_WORDS = (
    '    words = dict(word.split("=", 1) for word in sys.argv[1:])\n'
    '    results_dir = Path(words["results_dir"])\n'
    '    run_ids = json.loads(words["run_ids"])\n'
)
_READ = (
    "def read_arguments() -> Dict[str, str]:\n"
    "    arguments = {}\n"
    "    for word in sys.argv[1:]:\n"
    '        if "=" not in word:\n'
    "            sys.exit(f\"Expected key=value, got '{word}'\")\n"
    '        key, value = word.split("=", 1)\n'
    '        arguments[key.lstrip("-")] = value\n'
    '    for key in ("results_dir", "run_ids"):\n'
    "        if key not in arguments:\n"
    '            sys.exit(f"Missing argument {key}=...")\n'
    "    return arguments\n"
)
_ADAPTERS = ("    cli = OmegaConf.from_cli()\n    results_dir = Path(cli.results_dir)\n",)

CASES = (
    _case(
        "positionals of argparse",
        "sound_submission",
        "EV01",
        "JSONDecodeError",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    _WORDS,
                    "    parser = argparse.ArgumentParser(description=__doc__)\n"
                    '    parser.add_argument("results_dir", type=Path)\n'
                    '    parser.add_argument("run_ids", help="a JSON list")\n'
                    "    args = parser.parse_args()\n"
                    "    results_dir = args.results_dir\n"
                    "    run_ids = json.loads(args.run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "positionals over several lines, parsed in a helper",
        "retrieval-head",
        "EV01",
        "JSONDecodeError",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    "def main() -> None:\n" + _WORDS,
                    "def parse():\n"
                    "    parser = argparse.ArgumentParser()\n"
                    "    parser.add_argument(\n"
                    '        "results_dir",\n'
                    "        type=str,\n"
                    '        help="where the runs lie",  # made by main.py\n'
                    "    )\n"
                    "    parser.add_argument(\n"
                    '        "run_ids",\n'
                    "        type=str,\n"
                    "    )\n"
                    "    return parser.parse_args()\n\n\n"
                    "def main() -> None:\n"
                    "    given = parse()\n"
                    "    results_dir = Path(given.results_dir)\n"
                    "    run_ids = json.loads(given.run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "options of argparse",
        "noise-batch",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    _READ,
                    "def read_arguments() -> Dict[str, str]:\n"
                    "    parser = argparse.ArgumentParser()\n"
                    '    parser.add_argument("--results_dir", required=True)\n'
                    '    parser.add_argument("--run_ids", type=str, required=True)\n'
                    "    return vars(parser.parse_args())\n",
                ),
            )
        },
    ),
    _case(
        "options with dashes and a reader of JSON",
        "gated-sam",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    "    results_dir, run_ids = parse_words(sys.argv[1:])\n",
                    '    parser = argparse.ArgumentParser("evaluate")\n'
                    '    parser.add_argument("--results-dir", dest="results_dir", type=Path, required=True)\n'
                    '    parser.add_argument("--run-ids", dest="run_ids", type=json.loads, required=True)\n'
                    "    args = parser.parse_args()\n"
                    "    results_dir, run_ids = args.results_dir, args.run_ids\n",
                ),
            )
        },
    ),
    _case(
        "a positional and an option",
        "sparse-forecast",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    "    arguments = parse_key_values(sys.argv[1:])\n"
                    '    results_dir = Path(arguments["results_dir"])\n'
                    '    run_ids: List[str] = json.loads(arguments["run_ids"])\n',
                    "    parser = argparse.ArgumentParser()\n"
                    '    parser.add_argument("results_dir", type=str)\n'
                    '    parser.add_argument("--run_ids", type=str, default="[]")\n'
                    "    arguments = parser.parse_args()\n"
                    "    results_dir = Path(arguments.results_dir)\n"
                    "    run_ids: List[str] = json.loads(arguments.run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "a list that is parsed once more",
        "temperature-mixing",
        "EV10",
        "TypeError",
        {
            _FILE: (
                (
                    "    run_ids = json.loads(words.run_ids) if isinstance(words.run_ids, str) else list(words.run_ids)\n",
                    "    run_ids = json.loads(words.run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "a list that is parsed once more, in a comprehension",
        "adapters",
        "EV10",
        "TypeError",
        {_FILE: (("for run_id in cli.run_ids}", 'for run_id in json.loads(cli["run_ids"])}'),)},
    ),
    _case(
        "the evaluation is one of Hydra's",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            _FILE: (
                ("import matplotlib.pyplot as plt\n", "import hydra\nimport matplotlib.pyplot as plt\n"),
                (
                    "def main():\n    cli = OmegaConf.from_cli()\n",
                    '@hydra.main(version_base=None, config_path="../config", config_name="config")\n'
                    "def main(cli):\n",
                ),
            )
        },
    ),
    _case(
        "words by their place",
        "sparse-forecast",
        "EV01",
        "JSONDecodeError",
        {
            _FILE: (
                (
                    "    arguments = parse_key_values(sys.argv[1:])\n"
                    '    results_dir = Path(arguments["results_dir"])\n'
                    '    run_ids: List[str] = json.loads(arguments["run_ids"])\n',
                    "    results_dir = Path(sys.argv[1])\n    run_ids: List[str] = json.loads(sys.argv[2])\n",
                ),
            )
        },
    ),
    _case(
        "several run ids as words of their own",
        "adapters",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\n", "import json\nfrom argparse import ArgumentParser\n"),
                (
                    "    cli = OmegaConf.from_cli()\n",
                    "    parser = ArgumentParser()\n"
                    '    parser.add_argument("--results_dir", required=True)\n'
                    '    parser.add_argument("--run_ids", nargs="+", required=True)\n'
                    "    cli = parser.parse_args()\n",
                ),
            )
        },
    ),
    _case(
        "a parser that is handed its words, with short names",
        "sound_submission",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\nfrom collections.abc import Sequence\n"),
                (
                    "def main() -> None:\n" + _WORDS,
                    "def get_args(argv: Sequence[str] | None = None) -> argparse.Namespace:\n"
                    "    cli = argparse.ArgumentParser(prog='evaluate', description='Aggregate and plot.')\n"
                    "    cli.add_argument('-o', '--results-dir', type=Path, required=True, help='root of the runs')\n"
                    "    cli.add_argument('-r', '--run-ids', type=str, required=True, help='JSON list')\n"
                    "    return cli.parse_args(argv)\n\n\n"
                    "def main(argv: Sequence[str] | None = None) -> None:\n"
                    "    opts = get_args(argv)\n"
                    "    results_dir, run_ids = opts.results_dir, json.loads(opts.run_ids)\n",
                ),
            )
        },
        (_FILE, "def get_args(argv: Sequence[str] | None = None)"),
    ),
    _case(
        "run ids with commas between them",
        "gated-sam",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    "    results_dir, run_ids = parse_words(sys.argv[1:])\n",
                    "    ap = argparse.ArgumentParser()\n"
                    '    ap.add_argument("--results_dir", required=True)\n'
                    '    ap.add_argument("--run_ids", required=True, help="comma separated")\n'
                    "    ns = ap.parse_args()\n"
                    "    results_dir = Path(ns.results_dir)\n"
                    '    run_ids = [part.strip() for part in ns.run_ids.split(",") if part.strip()]\n',
                ),
            )
        },
        (_FILE, "for part in json.loads(ns.run_ids) if"),
    ),
    _case(
        "options that are looked for by hand",
        "temperature-mixing",
        "EV01",
        "ValueError",
        {
            _FILE: (
                ("import json\n", "import json\nimport sys\n"),
                (
                    "    words = OmegaConf.from_cli()\n"
                    '    for name in ("results_dir", "run_ids"):\n'
                    "        if name not in words:\n"
                    '            raise SystemExit(f"{name}=... is required")\n'
                    "    run_ids = json.loads(words.run_ids) if isinstance(words.run_ids, str) else list(words.run_ids)\n"
                    "    return Path(words.results_dir), run_ids\n",
                    "    given = sys.argv[1:]\n"
                    '    root = Path(given[given.index("--results_dir") + 1])\n'
                    '    return root, json.loads(given[given.index("--run_ids") + 1])\n',
                ),
            )
        },
    ),
    _case(
        "the command line is unpacked",
        "retrieval-head",
        "EV01",
        "JSONDecodeError",
        {_FILE: ((_WORDS, "    _, out, ids = sys.argv\n    results_dir, run_ids = Path(out), json.loads(ids)\n"),)},
        (_FILE, 'split("=", 1)'),
    ),
    _case(
        "positionals under other names",
        "noise-batch",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\n"),
                (
                    _READ,
                    "def read_arguments() -> Dict[str, str]:\n"
                    "    parser = argparse.ArgumentParser()\n"
                    '    parser.add_argument("output_root", metavar="DIR")\n'
                    '    parser.add_argument("ids", type=json.loads, metavar="JSON")\n'
                    "    parsed = parser.parse_args()\n"
                    '    return {"results_dir": parsed.output_root, "run_ids": json.dumps(parsed.ids)}\n',
                ),
            )
        },
    ),
    _case(
        "an evaluation of Hydra's that reads the settings",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            _FILE: (
                ("import matplotlib.pyplot as plt\n", "import hydra\nimport matplotlib.pyplot as plt\n"),
                ("from omegaconf import OmegaConf\n", "from omegaconf import DictConfig\n"),
                ('CONFIG = Path(__file__).resolve().parent.parent / "config" / "config.yaml"\n', ""),
                (
                    "def main():\n    cli = OmegaConf.from_cli()\n    results_dir = Path(cli.results_dir)\n"
                    "    tracked = OmegaConf.load(CONFIG).wandb\n",
                    '@hydra.main(config_path="../config", config_name="config", version_base=None)\n'
                    "def main(cfg: DictConfig) -> None:\n"
                    '    """Export each run, then compare."""\n'
                    "    results_dir = Path(cfg.results_dir)\n    tracked = cfg.wandb\n",
                ),
                ("for run_id in cli.run_ids}", "for run_id in cfg.run_ids}"),
            )
        },
    ),
    _case(
        "a list that is parsed as Python",
        "adapters",
        "EV10",
        "ValueError",
        {
            _FILE: (
                ("import json\n", "import ast\nimport json\n"),
                ("for run_id in cli.run_ids}", "for run_id in ast.literal_eval(cli.run_ids)}"),
            )
        },
    ),
    _case(
        "pairs of an option and a value by hand",
        "retrieval-head",
        "EV01",
        "KeyError",
        {
            _FILE: (
                (
                    _WORDS,
                    "    given = iter(sys.argv[1:])\n"
                    '    opts = {flag[2:]: next(given) for flag in given if flag.startswith("--")}\n'
                    '    results_dir = Path(opts["results_dir"])\n'
                    '    run_ids = json.loads(opts["run_ids"])\n',
                ),
            )
        },
    ),
    _case(
        "options by quite other names, for a data class",
        "sound_submission",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import argparse\nimport json\nfrom dataclasses import dataclass\n"),
                (
                    "def main() -> None:\n" + _WORDS,
                    "@dataclass(frozen=True)\n"
                    "class Options:\n"
                    "    output: Path\n"
                    "    experiments: list[str]\n\n\n"
                    "def options() -> Options:\n"
                    "    parser = argparse.ArgumentParser(allow_abbrev=False)\n"
                    '    parser.add_argument("--output", type=Path, required=True)\n'
                    '    parser.add_argument("--experiments", nargs="+", required=True, metavar="RUN")\n'
                    "    return Options(**vars(parser.parse_args()))\n\n\n"
                    "def main() -> None:\n"
                    "    given = options()\n"
                    "    results_dir, run_ids = given.output, given.experiments\n",
                ),
            )
        },
        (_FILE, "type=json.loads"),
    ),
    _case(
        "the words are merged into a struct configuration",
        "adapters",
        "EV01",
        "ConfigKeyError",
        {
            _FILE: (
                (
                    "    cli = OmegaConf.from_cli()\n",
                    "    cli = OmegaConf.load(CONFIG)\n    OmegaConf.set_struct(cli, True)\n"
                    "    cli = OmegaConf.merge(cli, OmegaConf.from_cli())\n",
                ),
            )
        },
    ),
    _case(
        "the folder of a start that was none of Hydra's",
        "gated-sam",
        "EV01",
        "ValueError",
        {
            _FILE: (
                ("from omegaconf import OmegaConf\n", "from hydra.utils import get_original_cwd\nfrom omegaconf import OmegaConf\n"),
                ("parse_words(sys.argv[1:])\n", "parse_words(sys.argv[1:])\n    results_dir = Path(get_original_cwd()) / results_dir\n"),
            )
        },
    ),
    _case(
        "an evaluation of Hydra's whose run is a plain word",
        "retrieval-head",
        "HY03",
        "ConfigCompositionException",
        {
            _FILE: (
                ("import json\nimport sys\n", "import json\n"),
                ("from pathlib import Path\n", "from pathlib import Path\n\nimport hydra\n"),
                (
                    "def main() -> None:\n" + _WORDS,
                    '@hydra.main(version_base="1.3", config_path="../config", config_name="config")\n'
                    "def main(config) -> None:\n"
                    "    results_dir, run_ids = Path(config.results_dir), list(config.run_ids)\n",
                ),
                ('    config = OmegaConf.load(Path(__file__).resolve().parent.parent / "config" / "config.yaml")\n', ""),
            )
        },
    ),
    _case(
        "known arguments alone",
        "temperature-mixing",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\n", "import argparse\nimport json\n"),
                (
                    "    words = OmegaConf.from_cli()\n"
                    '    for name in ("results_dir", "run_ids"):\n'
                    "        if name not in words:\n"
                    '            raise SystemExit(f"{name}=... is required")\n'
                    "    run_ids = json.loads(words.run_ids) if isinstance(words.run_ids, str) else list(words.run_ids)\n"
                    "    return Path(words.results_dir), run_ids\n",
                    "    cli = argparse.ArgumentParser()\n"
                    '    group = cli.add_argument_group("what to compare")\n'
                    '    group.add_argument("--run_ids", "--runs", required=True)\n'
                    '    cli.add_argument("--results_dir", required=True)\n'
                    "    known, _ = cli.parse_known_args()\n"
                    "    return Path(known.results_dir), json.loads(known.run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "a slice of the command line, behind a usage",
        "gated-sam",
        "EV01",
        "JSONDecodeError",
        {
            _FILE: (
                (
                    "    results_dir, run_ids = parse_words(sys.argv[1:])\n",
                    "    if len(sys.argv) != 3:\n"
                    '        raise SystemExit("usage: evaluate RESULTS_DIR RUN_IDS")\n'
                    "    results_dir, run_ids = sys.argv[1:3]\n"
                    "    results_dir, run_ids = Path(results_dir), json.loads(run_ids)\n",
                ),
            )
        },
    ),
    _case(
        "a parser at the top of the module",
        "retrieval-head",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                ("import json\nimport sys\n", "import json\nimport argparse as ap\n"),
                (
                    "def main() -> None:\n" + _WORDS,
                    "PARSER = ap.ArgumentParser(formatter_class=ap.ArgumentDefaultsHelpFormatter)\n"
                    'PARSER.add_argument("results_dir", type=Path, help="folder")\n'
                    'PARSER.add_argument("--run-ids", dest="ids", action="append", default=[], help="one run")\n\n\n'
                    "def main() -> None:\n"
                    "    args = PARSER.parse_args()\n"
                    "    results_dir, run_ids = args.results_dir, args.ids\n",
                ),
            )
        },
    ),
    _case(
        "an evaluation of Hydra's without a configuration",
        "adapters",
        "HY03",
        "ConfigCompositionException",
        {
            _FILE: (
                ("import matplotlib.pyplot as plt\n", "import hydra\nimport matplotlib.pyplot as plt\n"),
                (
                    "def main():\n    cli = OmegaConf.from_cli()\n",
                    "@hydra.main(version_base=None, config_path=None)\ndef main(cli):\n",
                ),
            )
        },
    ),
    _case(
        "a parser of its own that knows other words",
        "noise-batch",
        "EV01",
        "SystemExit",
        {
            _FILE: (
                (
                    _READ,
                    "KNOWN = {\"root\", \"experiments\"}\n\n\n"
                    "def read_arguments() -> Dict[str, str]:\n"
                    "    pairs = dict(item.split(\"=\", 1) for item in sys.argv[1:])\n"
                    "    if unknown := set(pairs) - KNOWN:\n"
                    "        raise SystemExit(f\"unknown words: {sorted(unknown)}\")\n"
                    "    return pairs\n",
                ),
                ('arguments["results_dir"]', 'arguments["root"]'),
                ('arguments["run_ids"]', 'arguments["experiments"]'),
            )
        },
    ),
    _case(
        "a mapping of the words with names of its own",
        "retrieval-head",
        "EV01",
        "KeyError",
        {
            _FILE: (
                (
                    _WORDS,
                    '    words = {k: v for k, v in (a.split("=", 1) for a in sys.argv[1:])}\n'
                    '    run_ids = json.loads(words["runs"])\n'
                    '    results_dir = Path(words["output"])\n',
                ),
            )
        },
    ),
)  # fmt: skip
