"""Whether two that speak of the code mean the same defect: findings, failures of runs, fixes.

Three signals, the surest first, each in a module of its own; `thresholds` has every number.

1. `statements`: what both say as propositions: predicate, polarity and arguments.
2. `place`: the lines that they share or lie near; between two attempts `traces`: the same code
   elsewhere, the definition around it, the line that stands for another one.
3. `words`: names of the code and rapidfuzz over content words. No grammar of a sentence is read:
   a rule that is worded anew with the same names matches as before.

`defects` decides with them. Two questions are asked of it:

| question | who asks | answer |
|---|---|---|
| `same_defect` | the consensus, two looks of a reviewer | how surely both are one row |
| `may_mean` | missed blockers, outcomes | whether the one may have spoken of the other |

`traces` and `pairs` answer for two attempts: `reviewers.attempts.matching` asks them.
"""
