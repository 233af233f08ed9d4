"""Decide whether two statements about the code mean the same defect: findings, failures, fixes.

Three signals, the most certain first, each in its own module; `thresholds` holds every number.

1. `statements`: what both say as propositions: predicate, polarity and arguments.
2. `place`: the lines that they share or are near to.
3. `words`: names of the code, and rapidfuzz over content words. No grammar of a sentence is read:
   a rule that is reworded with the same names matches as before.

`defects` decides with them. It answers two questions:

| question | asked by | answer |
|---|---|---|
| `same_defect` | the consensus; two reviews of one reviewer | how certain it is |
| `may_mean` | missed blockers, outcomes | whether the first may refer to the second |

For two attempts, `reviewers.matching.traces` adds a fourth signal: the same code elsewhere.
"""
