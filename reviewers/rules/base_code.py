"""Rules for code that is derived from base code: nothing that the base does may be lost."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.base_code import losses
from reviewers.rules.base import Flag, rule


@rule(
    id="FS15",
    criterion=1,
    category="placeholder-or-truncated",
    severity="minor",
    summary="behaviour of the base code was lost",
    needs=("files.from_base",),
    example="""
          === src/extra.py (base)
          import matplotlib.pyplot as plt

          def report(losses):
              plt.plot(losses)
              plt.savefig("loss.pdf")
              return min(losses)

          if __name__ == "__main__":
              print(report([3, 2]))
          === src/extra.py
        - def report(losses):  # flag: FS15
        -     return min(losses)
        + from matplotlib.figure import Figure
        +
        + def draw(losses):
        +     figure = Figure()
        +     figure.add_subplot().plot(losses)
        +     figure.savefig("training_loss.png")

          if __name__ == "__main__":
        -     print(report([3, 2, 1]))
        +     draw([3, 2, 1])
        +     print(min([3, 2, 1]))
    """,
)
def base_behaviour_lost(facts: Facts) -> Iterator[Flag]:
    """The contract requires that the derived code keeps the behaviour of the base code.

    Compared is what each started program does, with all that it imports: figures, weights, tables,
    seeds and tests of significance, the files it writes, the keys it records, the options it takes,
    and the functions that it calls. Code that is renamed, moved, inlined or rewritten does the
    same, and undecided code may; what the base calls a placeholder is there to be replaced.
    """
    base = facts.submission.base
    for loss in losses(Facts(base).python, facts.python) if base else ():
        yield Flag(
            loss.span,
            f"{loss.says}; the base code has `{loss.code}` at {loss.base}",
            names=(loss.code,),
        )
