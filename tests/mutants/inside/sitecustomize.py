"""Makes any Python process of a start, children too, part of the stub world.

Python imports a module of this name at its start where it finds one on PYTHONPATH. It takes
over from there, so that a child's exit code and exception are recorded as well.
"""

import os
import sys

if "STUB_WORLD_REPORT" in os.environ:
    import stub_world

    stub_world.install()
    words = [word for word in sys.orig_argv[1:] if word not in ("-u", "-B")]
    stub_world.launch(words)
