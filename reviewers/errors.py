"""Every error of areachair, and how a caller handles it.

AreachairError              shown as one line; the command ends with exit code 2
├── BundleError             a bundle cannot be read; nothing was imported from it
├── RubricError             a rubric file is not valid
├── ContractError           a contract is not valid, or none has this name
├── ReviewerError           no reviewer has this name, or it cannot be set up
├── BackendError            a model gave no usable answer; stored as a failed review with raw text
│   ├── Unreachable         no connection, a time-out, a broken connection, 408, 429, 5xx: a retry
│   │                       may help
│   ├── KeyRefused          there is no key, or the server rejects it
│   ├── RequestRefused      the server rejects the request: an unknown model, an option, the
│   │                       account's quota
│   ├── TooLong             the submission does not fit into the model's window
│   ├── UnusableReply       the reply is not an answer: HTML, empty, cut off, a refusal, malformed
│   │                       or of another form
│   └── BudgetSpent         asking could cost more than the budget has left; nothing was sent
├── StoreError              the store cannot be opened, or refuses a write
│   ├── NotPermitted        the person's role does not allow it
│   └── NameInUse           a correction would merge two people without saying so
├── UnknownRule             no rule has this id
└── UnknownSubmission       the store has no submission with this id
    └── DeletedSubmission   a person deleted it
"""


class AreachairError(Exception):
    """The root: its text is one line that says what is wrong and what to do."""


class BundleError(AreachairError):
    """A bundle cannot be read.

    Args:
        source: the path as the user gave it, or the place inside an archive.
        problem: what is wrong and what to do, without the path.
    """

    def __init__(self, source: str, problem: str) -> None:
        super().__init__(f"{printable(source)}: {printable(problem)}")
        self.source = source
        self.problem = problem


class RubricError(AreachairError):
    """A rubric file is not valid."""


class ContractError(AreachairError):
    """A contract is not valid, or none has this name."""


class ReviewerError(AreachairError):
    """No reviewer has this name, or it cannot be set up."""


class BackendError(AreachairError):
    """A model gave no usable answer.

    Args:
        problem: one line that says what happened and what to do; never contains a key.
        raw: what the server sent instead of an answer, as text; None if nothing.
    """

    def __init__(self, problem: str, raw: str | None = None) -> None:
        super().__init__(printable(problem))
        self.raw = raw


class Unreachable(BackendError):
    """The server could not be reached; a retry may help.

    Args:
        after: seconds that the server asks to wait; None if it does not say.
        billed: whether the server may have done and billed the work: after a time-out or a
            connection that was cut.
    """

    def __init__(
        self,
        problem: str,
        raw: str | None = None,
        *,
        after: float | None = None,
        billed: bool = False,
    ) -> None:
        super().__init__(problem, raw)
        self.after = after
        self.billed = billed


class KeyRefused(BackendError):
    """There is no key, or the server rejects it."""


class RequestRefused(BackendError):
    """The server rejects the request; repeating it is useless."""


class TooLong(BackendError):
    """The submission does not fit into the model's window."""


class UnusableReply(BackendError):
    """The server replied without a usable answer; the reply was billed.

    Args:
        input_tokens, cached_tokens, output_tokens: as the server counted them; None if it did not.
    """

    def __init__(
        self,
        problem: str,
        raw: str | None = None,
        *,
        input_tokens: int | None = None,
        cached_tokens: int | None = None,
        output_tokens: int | None = None,
    ) -> None:
        super().__init__(problem, raw)
        self.input_tokens = input_tokens
        self.cached_tokens = cached_tokens
        self.output_tokens = output_tokens


class BudgetSpent(BackendError):
    """Asking could cost more than the budget has left; nothing was sent."""


class StoreError(AreachairError):
    """The store cannot be opened, or refuses a write."""


class NotPermitted(StoreError):
    """The role of the person does not allow it; nothing was changed."""


class NameInUse(StoreError):
    """A name cannot be corrected to one that signs other records, unless the command says that both
    are the same person.

    Args:
        records: how many are signed with it.
    """

    def __init__(self, name: str, records: int) -> None:
        signed = "1 record is" if records == 1 else f"{records:,} records are"
        super().__init__(f"{signed} signed {printable(name)} already")
        self.records = records


class UnknownRule(AreachairError):
    """No rule has this id."""


class UnknownSubmission(AreachairError):
    """The store holds no submission with this id."""


class DeletedSubmission(UnknownSubmission):
    """A person deleted the submission; the message says who, when and why."""


def printable(text: str) -> str:
    """Return text on one line and safe for a terminal: line breaks, control characters and escapes
    are escaped.
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
