"""Rules about command lines: words that a process rejects, and failed processes that nothing
checks.
"""

import ast
import re
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow import ConfigProblem, ProblemKind
from reviewers.facts.config_flow.processes import STARTING
from reviewers.facts.script_starts import ScriptStart
from reviewers.records import Span
from reviewers.rules.base import FOLLOWED, Flag, again, rule
from reviewers.rules.hydra_problems import flag, refused


@rule(
    id="HY14",
    category="cli-contract",
    severity="blocker",
    stops=FOLLOWED,
    summary="a script rejects the words it is started with",
    example="""
          === src/main.py
          import subprocess
          import sys

          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
        -     subprocess.run([sys.executable, "-m", "src.report", "--name", cfg.run], check=True)
        +     subprocess.run([sys.executable, "-m", "src.report", "--run-id", cfg.run], check=True)

          if __name__ == "__main__":
              main()
          === src/report.py
          import argparse

          if __name__ == "__main__":
              parser = argparse.ArgumentParser()
              parser.add_argument("--run-id", required=True)
              print(parser.parse_args().run_id)  # flag: HY14
    """,
)
def refused_words(facts: Facts) -> Iterator[Flag]:
    """argparse and click end the process with exit code 2 if a word is unknown, missing or not
    among the choices. The words are those of the documented command and those that one script of
    the submission passes to another; argparse itself parses them, with the arguments that the code
    declares. A word that is known only at run time is never a reason for a finding.
    """
    for one in refused(facts, ProblemKind.REFUSED_WORDS):
        start, problem = one.start, one.problem
        by = start.by if isinstance(start, ScriptStart) else ""
        started = f"{by} starts {problem.span.file}, and" if by else ""
        yield flag(
            start,
            problem,
            problem.span,
            f"{started or 'here'} `{start.short_command}` ends with exit code 2:"
            f" {problem.message}{one.then}",
            f"{start.followed} comes to {problem.span} with words that its parser refuses:"
            f" {problem.message}",
            again([*declared(facts, problem), *_passing(facts, start)]),
        )


_NAMED = re.compile(r"(?<![\w-])-{0,2}[A-Za-z][\w-]*")


def declared(facts: Facts, problem: ConfigProblem) -> Iterator[Span]:
    """The lines that declare the arguments of which argparse speaks."""
    file = facts.python.get(problem.span.file)
    told = problem.message.partition(":")
    named = told[0] if told[0].startswith("argument ") else told[2]
    names = set(_NAMED.findall(named))
    for call in file.calls_of(".add_argument") if file else ():
        given = [part.value for part in call.node.args if isinstance(part, ast.Constant)]
        if names & set(given) and "unrecognized" not in told[0]:
            yield Span(problem.span.file, call.line, call.node.end_lineno)


def _passing(facts: Facts, start: object) -> Iterator[Span]:
    """The call that starts the script."""
    file = facts.python.get(start.by) if isinstance(start, ScriptStart) else None
    if file is None or not isinstance(start, ScriptStart):
        return
    calls = list(file.calls_of(*STARTING))
    if len(calls) == 1:
        yield Span(file.path, calls[0].line, calls[0].node.end_lineno)


@rule(
    id="HY15",
    category="cli-contract",
    severity="major",
    summary="the failure of a started process is ignored",
    example="""
          === src/main.py
          import subprocess
          import sys

          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              command = [sys.executable, "-m", "src.train", f"run={cfg.run}", f"mode={cfg.mode}"]
        -     subprocess.run(command)  # flag: HY15
        +     subprocess.run(command, check=True)

          if __name__ == "__main__":
              main()
    """,
)
def dropped_failure(facts: Facts) -> Iterator[Flag]:
    """A command that ends with exit code 0 counts as a success, even if the process that did the
    work failed. Only starts of the submission's own scripts count. `check=True`, a check of
    `returncode`, a result that is passed on or a handler that does more than log are each enough.
    """
    for child in facts.children:
        if child.dropped:
            yield Flag(
                child.span,
                f"{child.script} is started here, and {child.dropped}: where it fails, this"
                " command still ends with exit code 0; pass check=True or end with its exit code",
                names=(child.script,),
            )


@rule(
    id="HY16",
    category="cli-contract",
    severity="minor",
    summary="the error output of a started process is discarded",
    example="""
          === src/main.py
          import subprocess
          import sys

          import hydra

          @hydra.main(version_base="1.3", config_path="../config", config_name="config")
          def main(cfg):
              command = [sys.executable, "-m", "src.train", f"run={cfg.run}", f"mode={cfg.mode}"]
        -     subprocess.run(command, check=True, capture_output=True)  # flag: HY16
        +     subprocess.run(command, check=True)

          if __name__ == "__main__":
              main()
    """,
)
def hidden_failure(facts: Facts) -> Iterator[Flag]:
    """Only the traceback of a process says why it failed; CalledProcessError shows just its exit
    code and command line.
    """
    for child in facts.children:
        if child.hidden:
            yield Flag(
                child.span,
                f"{child.script} is started here, and {child.hidden}: why it failed stands in no"
                " log; leave stderr alone or print it",
                names=(child.script,),
            )
