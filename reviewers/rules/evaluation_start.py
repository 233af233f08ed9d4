"""Rules for criterion 8, the independent evaluation: whether its documented command reaches the
runs.
"""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.evaluation_script import Argument, EvaluationScript
from reviewers.records import Span
from reviewers.rules.base import FOLLOWED, Flag, again, name_of, rule, says
from reviewers.rules.command_lines import declared

_OF_WORDS = (
    ProblemKind.REFUSED_WORDS,
    ProblemKind.INVALID_VALUE,
    ProblemKind.RAISED,
    ProblemKind.MERGE,
)
_LOADING = (ProblemKind.MISSING_KEY, ProblemKind.MISSING_FILE, ProblemKind.NOT_A_MAPPING)


@rule(
    id="EV01",
    category="cli-contract",
    severity="blocker",
    stops="",
    summary="the evaluation does not accept the documented key=value words",
    needs=("commands.evaluate.line",),
    example="""
          === src/evaluate.py
        - import argparse
          import json
        + import sys

          def main():
        -     parser = argparse.ArgumentParser()
        -     parser.add_argument("results_dir")  # flag: EV01
        -     parser.add_argument("run_ids")
        -     args = parser.parse_args()
        -     print(args.results_dir, json.loads(args.run_ids))
        +     words = dict(word.split("=", 1) for word in sys.argv[1:])
        +     print(words["results_dir"], json.loads(words["run_ids"]))
    """,
)
def words_not_taken_apart(facts: Facts) -> Iterator[Flag]:
    """The documented command is `python -m src.evaluate results_dir=… run_ids='[…]'`, and argparse
    returns each word whole. `json.loads("run_ids=[…]")` then fails before the first run is read.
    """
    script = facts.evaluation
    told = list(_by_its_form(facts, script))
    yield from told
    passed = " ".join(f"{word}=…" for word in script.words)
    for problem in () if told or not script.words else facts.hydra.evaluation_problems:
        if problem.certain and problem.kind in _OF_WORDS and not _is_read_again(problem):
            is_refused = problem.kind is ProblemKind.REFUSED_WORDS
            how = "argparse ends it with exit code 2" if is_refused else problem.error
            yield Flag(
                problem.span,
                f"the documented command passes {passed}, and stops here: {how}: {problem.message}",
                places=again(declared(facts, problem)) if is_refused else (),
                names=(problem.error, problem.message),
            )


def _by_its_form(facts: Facts, script: EvaluationScript) -> Iterator[Flag]:
    """What the parser alone tells, wherever the way leads."""
    if not script.is_readable or script.splits_words or not script.words:
        return
    if script.run_ids in script.words and (call := script.words_parsed_whole) is not None:
        yield Flag(
            Span(script.path, call.line, call.node.end_lineno),
            f"the documented command passes {script.run_ids}=…, and the whole word is read as JSON:"
            " json.loads stops with JSONDecodeError; split the words at `=`, or use"
            " OmegaConf.from_cli()",
            names=("json.loads",),
        )
    if (test := script.options_by_hand) is not None:
        yield Flag(
            Span(script.path, test.line, test.node.end_lineno),
            "only words that begin with a dash are taken here, but the documented command passes"
            f" {' '.join(f'{word}=…' for word in script.words)}; split the words at `=`, or use"
            " OmegaConf.from_cli()",
            f"{script.path} reads sys.argv and never splits a word at `=`",
            says=says("command_line", file=script.path, style="flags"),
        )
    arguments = tuple(
        argument for argument in script.arguments if argument.required or not script.leaves_words
    )
    trace = facts.hydra.script(script.path)
    parsings = trace.parsings.values() if trace else ()
    problems = facts.hydra.evaluation_problems
    refused = any(each.certain and each.kind is ProblemKind.REFUSED_WORDS for each in problems)
    kinds = {each.is_option for each in arguments}
    is_taken = kinds == {True} and bool(parsings) and all(parsings)
    is_told = len(kinds) > 1 and refused  # argparse says best what it refuses
    if arguments and not is_taken and not is_told:
        first, last = arguments[0].span, arguments[-1].span
        whole = Span(script.path, first.line, max(last.end_line or 0, first.end_line or 0))
        yield Flag(
            whole,
            _arguments_message(arguments, script),
            f"{script.path} declares these arguments and never splits a word at `=`",
            says=says(
                "command_line",
                file=script.path,
                style="flags" if arguments[0].is_option else "positional",
            ),
        )


@rule(
    id="EV09",
    category="evaluation-incomplete",
    severity="blocker",
    stops=FOLLOWED,
    summary="the evaluation reads a key that the YAML it loads does not have",
    needs=("commands.evaluate",),
    example="""
        - === config/config.yaml
        - run: ???
        - results_dir: ???
        - mode: full
          === src/evaluate.py
          from omegaconf import OmegaConf

          def main():
              cfg = OmegaConf.load("config/config.yaml")
              print(cfg.wandb.entity, cfg.wandb.project)  # flag: EV09

          if __name__ == "__main__":
              main()
    """,
)
def absent_settings_read(facts: Facts) -> Iterator[Flag]:
    """evaluate.py runs on its own and loads config.yaml without any run file merged into it."""
    found = [
        problem
        for problem in facts.hydra.evaluation_problems
        if problem.certain and problem.kind in _LOADING
    ]
    command = facts.contract.commands["evaluate"]
    for problem in {problem.key: problem for problem in reversed(found)}.values():
        yield Flag(
            problem.span,
            f"`{command.start} …` stops with {problem.error}: {problem.message}",
            f"the YAML file that {name_of(command.file)} loads has no `{problem.key}`",
            names=(problem.key, problem.error, problem.message),
        )


@rule(
    id="EV10",
    category="cli-contract",
    severity="blocker",
    stops="",
    summary="the run ids are parsed as JSON after they have become a list",
    needs=("commands.evaluate.line",),
    example="""
          === src/evaluate.py
        - import json
        -
          from omegaconf import OmegaConf

          def main():
              cli = OmegaConf.from_cli()
        -     print(cli.results_dir, json.loads(cli.run_ids))  # flag: EV10
        +     print(cli.results_dir, list(cli.run_ids))

          if __name__ == "__main__":
              main()
    """,
)
def list_parsed_as_text(facts: Facts) -> Iterator[Flag]:
    """OmegaConf and Hydra parse the value themselves: `run_ids=["a", "b"]` is already a list when
    the code sees it.
    """
    for problem in _of_evaluation(facts):
        if problem.certain and _is_read_again(problem):
            yield Flag(
                problem.span,
                f"{facts.evaluation.run_ids} is a list here already: it stops with"
                f" {problem.error}: {problem.message}; use list(…)",
                names=(problem.error, problem.message),
            )


def _of_evaluation(facts: Facts) -> Iterator[ConfigProblem]:
    yield from facts.hydra.evaluation_problems
    start = facts.hydra.evaluation
    yield from start.trace.problems if start is not None and start.trace is not None else ()


def _is_read_again(problem: ConfigProblem) -> bool:
    """Whether a list is read as the text of one."""
    return problem.message.startswith(("the JSON object must be", "malformed node or string: ["))


def _arguments_message(arguments: tuple[Argument, ...], script: EvaluationScript) -> str:
    parser = script.parser
    names = " and ".join(argument.name for argument in arguments)
    if arguments[0].is_option:
        required = all(argument.required for argument in arguments)
        error = "the following arguments are required" if required else "unrecognized arguments"
        error = error if parser == "argparse" else "unexpected extra arguments"
        return (
            f"{names} are options, but the documented command passes"
            f" {' '.join(f'{word}=…' for word in script.words)}: {parser} stops with `{error}`;"
            " split the words at `=`, or use OmegaConf.from_cli()"
        )
    error = (
        "json.loads stops with JSONDecodeError"
        if any(item.name == script.run_ids for item in arguments)
        else "the path is wrong"
    )
    return (
        f"{names} {'are positionals' if len(arguments) > 1 else 'is a positional'}, but the"
        " documented command passes key=value words: each receives the whole word"
        f" (`{arguments[-1].name}=…`), and {error}; split the words at `=`, or use"
        " OmegaConf.from_cli()"
    )
