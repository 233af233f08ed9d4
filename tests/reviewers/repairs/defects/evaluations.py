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
)  # fmt: skip
