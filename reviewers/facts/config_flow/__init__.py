"""Follows a configuration through the code under review, with real OmegaConf objects and without
executing any of that code: an abstract run.

**Values.** A value is what Python or OmegaConf would hold (a text, a number, a list, a real
`DictConfig`), one of the classes of `values.py` for what is known in part (a path of which the last
parts are known, a text with gaps, an object, a function of the submission), or `UNKNOWN`. They form
a lattice of little height: a concrete value lies below what is partly known of it, and all lie
below `UNKNOWN`. Where two ways meet with different values the name is `UNKNOWN` after it; a list or
mapping that may hold more than is seen says so (`MORE`, `ANYTHING`).

**Soundness.** Each operation on concrete values is done by Python or OmegaConf themselves, so the
result is the real one, and so is the error: operators, elements, and calls of builtins and methods
without effects (`operations.py`, by a list of names). An operation on anything less gives
`UNKNOWN`, or a value that leaves open what is not known; that it fails all the same is said where
Python refuses one argument whatever the others are. What is never done: calling a resolver, an
import, any other function from outside, or code of the submission. A loop whose turns are not known
one by one is followed twice: as the first turn, then in doubt as any later one, with what the loop
binds unknown; so are the turns after one that changes the list. `test_soundness.py` runs programs
really and abstractly and holds the one against the other.

What is taken for granted: a call from outside changes none of its arguments, unless its name says
so or an empty container is handed over; what is changed by a name that may stand for several things
changes none of them; a loop over what is not known has a turn where a value is misused in it; a
path is the place that it leads to, whatever its spelling, and no unknown part of a command line has
blanks; a list may stand for an iterator or a view; an import that may fail succeeds; of the methods
that Python itself calls, those behind `len(x)`, `x[key]`, `x()` and the making of an object are
followed, and no others; the variables of a command's environment are not known, those that the code
sets are, in its children too. What no submission is seen to do is left open: any case of a `match`
over what is not plain may be taken, so may the `else` of a loop, a container that an operator
changes in place may hold anything, a module's dictionary that functions fill may have any keys, and
a parser with commands may know any words.

**Doubt.** A problem is certain where the code comes to it on every way: no condition around it is
unknown, and nothing around it catches the error. What the code does with plain values must also not
stand behind a block that may have been left, and what it raises itself in no loop that may have no
turn: both are often there for the case that is not known. A key that is missing is missing there
too. Everything else is followed in doubt, and is kept as uncertain, which no rule tells.

**Real and intended.** Every operation runs on the real configuration first. Where it fails the
problem is kept once, with its cause (a value or key that knows its line) and its place, and the way
goes on with what the code is meant to get: the value of the *intended* configuration, which has the
run file's keys at the top and under the group, and every word (`facts/intended.py`). So the run
goes on behind a missing key, a text where a section was meant and a `raise` under a decided
condition, into every process that is started. What comes of an intended value depends on how the
first failure is mended, so it says so (`ConfigProblem.behind`) and is no blocker; what the intended
configuration lacks too fails whatever the mend.

**Budgets.** Each step is counted (`spend`), copies and merges by their size. A way that is too long
ends with a remark that says so; loops take at most `_TURNS` turns, calls are followed to a depth,
comprehensions too, and what Python is asked itself is bounded by the size of what it is given.

**How it goes.** One `Follower` (`follower.py`) holds all that is known: names, how sure it is, and
what is found, which is the `Trace` that `follow` gives. It goes on from a node by a table (`STEPS`,
for targets `TARGETS`), which `expressions.py`, `statements.py` and `parts.py` fill, one function
for each kind of syntax. A module's statements are followed when it is first asked for, as an import
runs them; then what stands under the guard of the script that is started. The function that Hydra
calls is met there, and called with the configuration, or it is called last: that the command comes
to it is taken for granted.

Any function may raise an `AccessError`, which is what Python or a library says to what is done. It
is reported where the table is asked, and the way goes on with the value that stands in (`instead`).

A call (`calls.py`) of the submission's own code is followed. Any other one is an `OutsideCall`, and
its transfer function says what it gives: `@transfer("dotted.name")` for a function of a library,
`@method(kind, "name")` for a method of a kind of value, which gets the owner as its first argument:
`os.makedirs(path)` and `path.mkdir()` are one function. Its parameters are those of what is called;
`tables.py` matches the arguments to them, and gives UNKNOWN for a call that lacks one. Of a call
without a transfer function nothing is known: `unknown` says what it may do all the same. It may
call the functions that it is given, change a tokenizer, and merge into its arguments if it is named
like that. What each call is given is kept for the rules (`Trace.passed`).

**Where a new thing goes.**

- a kind of value: a class in `values.py` (of data sets: `data_values.py`, of a row's cells:
  `cells.py`, of tensors and what they hang on: `tensors.py`, `autograd.py`, of NumPy: `arrays.py`),
  its parts in `parts.py`, its operators in `operations.py`;
- a call without effects: its name in `operations.py`;
- a call of a library that gives an object, an array or a number of values whatever it is given:
  an entry of `library_values.toml`; an image transform: one of `transforms.toml`;
- any other call: one transfer function in the module of its subject: `config_calls.py`,
  `builtin_calls.py`, `files.py`, `processes.py`, `parsers.py`, `data_calls.py` (what a collator
  does: `batches.py`); a program in `tests/reviewers/facts/snippets.py` tries it, or
  `test_soundness.py` says why none does;
- a statement or an expression: one function with `@enter(STEPS, ast.…)`.
"""

from reviewers.facts.config_flow.calls import MOST_NOTED
from reviewers.facts.config_flow.follow import follow, follow_script
from reviewers.facts.config_flow.follower import Line, PassedValues, Trace, Visit
from reviewers.facts.config_flow.values import UNKNOWN, ConfigProblem, Created, ProblemKind

__all__ = [
    "MOST_NOTED",
    "UNKNOWN",
    "ConfigProblem",
    "Created",
    "Line",
    "PassedValues",
    "ProblemKind",
    "Trace",
    "Visit",
    "follow",
    "follow_script",
]
