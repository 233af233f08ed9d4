"""Repairs of reads of Hydra's own node, which is not in the configuration that a script gets."""

import ast
from collections.abc import Iterator

from reviewers.facts import Facts
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.access import access
from reviewers.repairs.base import Proposal, repairs
from reviewers.repairs.edits import PythonEdits


@repairs("HY02", "HY10")
def ask_hydra(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """`HydraConfig.get()` for `cfg.hydra`."""
    edits: dict[Edit, None] = {}
    reads = facts.config_reads
    for path, file in facts.python.items():
        code = PythonEdits(facts, path) if "hydra" in file.text else None
        for node in file.of(ast.Attribute, ast.Subscript) if code else ():
            owner, key = access(node)
            if code is None or owner is None or key != "hydra" or "hydra" not in finding.names:
                continue
            if reads.reads is not None and reads.sections(file, owner) == {()}:
                name, imports = code.imported("hydra.core.hydra_config", "HydraConfig")
                edits.update(dict.fromkeys((*imports, code.put(node, f"{name}.get()"))))
    if edits:
        yield Proposal("Ask HydraConfig.get() for what Hydra knows of the run", tuple(edits))
