"""The work that workers do: what can be done (`tasks`), who does it (`worker`, `processes`), and
how a lab's money is kept together (`budget`).
"""
