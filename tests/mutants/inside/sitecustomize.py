"""Makes any Python process of a start, children too, part of the stub world.

Python imports a module of this name at its start where it finds one on PYTHONPATH. It takes over from
there, so that exit codes and exceptions of a child are recorded as those of the first process are.
"""

import os
import sys

if "STUB_WORLD_REPORT" in os.environ:
    import stub_world

    stub_world.install()
    words = [word for word in sys.orig_argv[1:] if word not in ("-u", "-B")]
    stub_world.launch(words)
