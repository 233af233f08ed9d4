"""How Hypothesis draws examples here: fewer than by default, and none fails for taking its time,
which on a machine that does other things says nothing.
"""

from hypothesis import settings

from tests.shared_data import EVERYTHING

settings.register_profile("suite", max_examples=200 if EVERYTHING else 40, deadline=None)
settings.load_profile("suite")
