"""What the desk and workers call the tasks and how far they are, and how a worker is started; by
itself, since what the tasks need takes a second to load.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

ASK, READ, RULES, CLAIMS, IMPORT, UPLOAD = "ask", "read", "rules", "claims", "import", "upload"
EXPORT = "export"
REPAIRS, MEND = "repairs", "mend"
NEW = "new or changed"
"""What an import says of submissions that it stored."""

ASKING, CHECKING, KEEPING = "asking", "checking", "keeping"
"""How far a model's review is, as `Bench.tell` has it."""

FIRST, SECOND = "first", "second"
"""Which look a reviewer is asked for: one that does not know the submission, or one that is shown
the evidence against its review."""

_PACKAGES = Path(__file__).parents[2]
# Not found by the folder in which the desk was started: that may be a submission's.
_SCRIPT = f"import sys, runpy; sys.path.insert(0, {str(_PACKAGES)!r});" + (
    " runpy.run_module('reviewers.jobs.processes', run_name='__main__')"
)
COMMAND: Sequence[str] = (sys.executable, "-P", "-c", _SCRIPT)
"""Starts one worker for the store whose address is the first line of its input; it ends where the
input ends. The address may hold a password, which the list of processes would show."""
