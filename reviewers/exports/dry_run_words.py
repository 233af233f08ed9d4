"""Describes the dry run in words, for the command line and the screen."""

from reviewers.records import DryRun, Failure, Followed, Span, counted

MOST_LEFT_OUT = 3


def followed_words(command: Followed) -> str:
    """Say what was followed of a command: "2 runs in 2 modes"."""
    if not command.starts:
        return "not followed"
    said = [
        counted(number, noun)
        for number, noun in ((command.runs, "run"), (command.modes, "mode"))
        if number
    ]
    return " in ".join(said) or "followed"


def starts_words(failure: Failure, command: Followed) -> str:
    """Say how many of a command's starts meet a failure; empty if there is only one."""
    if command.starts < 2:
        return ""
    return f"{failure.starts} of {counted(command.starts, 'start')}"


def place_words(place: Span) -> str:
    """Name the line at which something stands: "src/train.py:9"."""
    return place.file if place.line is None else f"{place.file}:{place.line}"


def stop_words(failure: Failure, dry_run: DryRun) -> str:
    """Say what stops where: "every run stops at `src/train.py:9`"."""
    starts = max((each.starts for each in dry_run.commands if each.step == failure.step), default=0)
    if starts < 2:
        what = f"`{failure.command}` stops"
    elif failure.starts >= starts:
        what = "every run stops"
    else:
        what = f"{failure.starts} of {starts} starts stop"
    return f"{what} at `{place_words(failure.place)}`"


def summary(dry_run: DryRun) -> str:
    """Name the first failure, or what was followed without finding one."""
    first = dry_run.first
    if first is not None:
        return first.sentence
    followed = [command for command in dry_run.commands if command.starts and command.runs]
    runs = max((command.runs for command in followed), default=0)
    modes = max((command.modes for command in followed), default=0)
    if not any(command.starts for command in dry_run.commands if command.step != "install"):
        return "no command could be followed, so failures are unknown"
    what = counted(runs, "run") if runs else "the known commands"
    where = f" in {counted(modes, 'mode')}" if modes else ""
    return f"followed {what}{where}; no failure found"


def limits(dry_run: DryRun) -> tuple[str, ...]:
    """List what was not followed, a line each; a run may still stop there."""
    unfollowed = [command.command for command in dry_run.commands if not command.starts]
    doubt = (
        f"{counted(dry_run.unsure, 'statement')} under conditions that only a real run decides"
        if dry_run.unsure
        else ""
    )
    lines = [*(f"`{command}` is not followed" for command in unfollowed), doubt, *dry_run.left_out]
    return tuple(line for line in lines if line)
