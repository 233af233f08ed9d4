"""The trends as plotly figures with their tables; each mark carries the address of the inbox behind
it.

`plotly.express` is not used: importing it takes seconds. Labels go through `label`, since plotly
reads some HTML in them.
"""
