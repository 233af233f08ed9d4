"""Decide whether two statements about the code mean the same defect: findings, failures, fixes.

Three signals, the most certain first, each in its own module; `thresholds` holds every number.

1. `statements`: what both say as propositions: predicate, polarity and arguments.
2. `place`: the lines that they share or are near to.
3. `words`: names of the code, and rapidfuzz over the words of claims. A rule's message is never
   read: its finding is compared by what it names as data.

`defects` decides with them how surely two findings are one defect. On that rest

- `rows`: every defect once, with what each reviewer says of it; `missed` looks there for blockers
  that a reviewer does not name;
- a reviewer's rebuttal of its own review (`reviewers.panel.changes`).

`run_events` asks whether a finding had told what happened in a run. `attempts` finds each finding
of one attempt again in another, by a fourth signal as well: `traces`, the same code elsewhere. How
alike two of one rule must be is in `likeness`.
"""
