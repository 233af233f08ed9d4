"""Claims: cut them out of a review's free text, find their place, and check each against the same
facts as the rules.

`check` knows every rule and library and takes a second to load; who only waits for answers does
without it.
"""
