"""`python -m reviewers`: the command line, for when the console script is not on the path."""

from importlib import import_module

# By name: nothing here imports the dashboard, which lies above.
import_module("dashboard.serve").main()
