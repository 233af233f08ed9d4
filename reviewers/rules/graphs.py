"""Rules for criterion 6: what PyTorch refuses to do to a value of a graph."""

from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.facts.config_flow.tensors import REFUSALS
from reviewers.facts.graphs import Graphs, RefusedOnGraph
from reviewers.records import Severity, Span
from reviewers.rules.base import Flag, rule, symptoms
from reviewers.rules.data_sets import problem_flags
from reviewers.rules.guards import is_guarded


@rule(
    id="MO21",
    category="tensor-or-runtime",
    severity="blocker",
    stops="RuntimeError",
    summary="a value with gradients is made an array",
    example="""
          import torch
          from torch import nn
          from torch.nn import functional as F

          def train(cfg, loader):
              model = nn.Linear(8, 2)
              optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.training.learning_rate)
              for features, labels in loader:
                  logits = model(features)
                  loss = F.cross_entropy(logits, labels)
                  optimizer.zero_grad()
                  loss.backward()
                  optimizer.step()
        -         print(logits.cpu().numpy())  # flag: MO21
        +         print(logits.detach().cpu().numpy())
    """,
)
def array_of_a_graph(facts: Facts) -> Iterator[Flag]:
    """`RuntimeError: Can't call numpy() on Tensor that requires grad`; `detach()` comes first."""
    for found in Graphs(facts.local_code).as_arrays():
        yield from _flagged(
            facts,
            found,
            f"`{found.shown}` carries the gradient of the model that is trained ({found.made}):"
            " RuntimeError: Can't call numpy() on Tensor that requires grad; write .detach() first",
        )


@rule(
    id="MO22",
    category="tensor-or-runtime",
    severity="blocker",
    stops="RuntimeError",
    summary="backward is called twice through one graph",
    example="""
          import torch
          from torch import nn

          def train(cfg, features):
              model = nn.Linear(8, 2)
              optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.training.learning_rate)
        -     loss = model(features).mean()
              for _ in range(3):
        +         loss = model(features).mean()
                  optimizer.zero_grad()
                  loss.backward()  # flag: MO22
                  optimizer.step()
    """,
)
def second_backward(facts: Facts) -> Iterator[Flag]:
    """The first one frees what the second needs: `RuntimeError: Trying to backward through the
    graph a second time`. It is major where a loop may have one turn alone.
    """
    followed = [one for one in facts.data_problems if one.cause == "second_backward"]
    told = {span for one in followed if one.certain for span in one.spans}
    if told:
        remedy = REFUSALS["second_backward"]["remedy"]
        flags = problem_flags(facts, "second_backward", remedy)
        yield from (flag for flag in flags if flag.severity is Severity.BLOCKER)
    for found in Graphs(facts.local_code).second_backwards():
        if Span(found.file.path, found.call.lineno, found.call.end_lineno) in told:
            continue
        yield from _flagged(
            facts,
            found,
            f"`{found.shown}` is made once ({found.made}), and its graph is freed by the first"
            " backward: RuntimeError: Trying to backward through the graph a second time; compute"
            " it anew, or write backward(retain_graph=True)",
        )


def _flagged(facts: Facts, found: RefusedOnGraph, message: str) -> Iterator[Flag]:
    if is_guarded(found.file, found.call, "RuntimeError"):
        return
    certain = found.certain and facts.local_code.is_used(found.file, found.scope)
    yield Flag(
        Span(found.file.path, found.call.lineno),
        message,
        severity=None if certain else Severity.MAJOR,
        places=symptoms([found.made]),
        names=(found.shown,),
    )
