"""The store's history of tables, shipped with the package; `reviewers.store.migrate` runs it.

To change the tables: edit `tables.py`, add a file to `versions/` whose `down_revision` is the
newest one, never edit an old one.
"""
