"""Repairs of pyproject.toml: PEP 621, what is not declared, and what is declared wrongly."""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import tomlkit
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version
from tomlkit.items import Comment

from reviewers.facts import Facts
from reviewers.facts.distributions import distribution_of, python_wanted
from reviewers.facts.python_versions import newer_features, oldest
from reviewers.facts.specifiers import specifier_set
from reviewers.offers import Edit
from reviewers.records import Finding
from reviewers.repairs.base import Proposal, repairs, stated
from reviewers.repairs.edits import CannotEdit
from reviewers.repairs.poetry import is_requirement, requirement, specifiers
from reviewers.repairs.toml_edits import FILE, Table, TomlEdits, mapping_of, quoted

_PERSON = re.compile(r"\s*(?P<name>[^<>]*?)\s*(?:<(?P<email>[^<>\s]+)>)?\s*")
_ONLY_WITH_ITS_MODULE = {"pytorch": "torch"}  # distributions whose module has another name
_FIRST_VERSION = "0.1.0"
_POETRYS = re.compile(r"tool\.poetry(\.(dependencies|dev-dependencies|extras|group)(\..+)?)?")


@repairs("FS04", "FS06")
def pep_621(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """Dependencies as an array of requirements under [project]."""
    if finding.span is None or finding.span.file != FILE:
        return
    toml = TomlEdits(facts)
    project, poetry = toml.table("project"), toml.table("tool", "poetry")
    told: list[str] = []
    edits: list[Edit] = []
    if project.get("dependencies") is None and poetry.get("dependencies"):
        edits += _from_poetry(facts, toml)
        told.append("dependencies as an array of requirements")
    elif isinstance(project.get("dependencies"), Mapping):
        edits += _from_table(facts, toml)
        told.append("dependencies as an array of requirements")
    elif finding.rule == "FS06":
        edits += _from_imports(facts, toml)
        told.append("the imported distributions as dependencies")
    else:
        edits += _entries_mended(toml, told)
    edits += _people_as_tables(toml, told) if not poetry or project else []
    if edits:
        yield Proposal(f"Write {' and '.join(told)} under [project]", tuple(edits))


def _from_table(facts: Facts, toml: TomlEdits) -> Iterator[Edit]:
    """[project.dependencies] becomes an array at the end of [project]."""
    block = toml.blocks.get("project.dependencies")
    listed = toml.table("project", "dependencies")
    text = "".join([_requires_python(facts, toml, listed), _array("dependencies", listed)])
    own = toml.blocks.get("project")
    if own is None:
        raise CannotEdit("[project] has no table of its own")
    if block is None:
        raise CannotEdit("the dependencies are no table of their own")
    if own.end == block.start:
        yield Edit(FILE, block.start, block.content_end, text)
    else:
        yield Edit(FILE, own.content_end, own.content_end, text)
        yield from toml.without(block)


def _from_poetry(facts: Facts, toml: TomlEdits) -> Iterator[Edit]:
    """What [tool.poetry] says, under [project]; its tables are taken out."""
    poetry = toml.table("tool", "poetry")
    listed = cast(Table, poetry["dependencies"])
    optional = {
        name
        for name, each in listed.items()
        if isinstance(each, Mapping) and each.get("optional") is True
    }
    own = toml.blocks.get("project")
    lines = [] if "project" in toml.document else list(_own_keys(facts, poetry))
    lines += [_requires_python(facts, toml, listed), _array("dependencies", listed, optional)]
    text = "".join([*lines, *_extras(poetry, listed, optional), *_groups(poetry)])
    gone = [
        block
        for name, block in toml.blocks.items()
        if _POETRYS.fullmatch(name) and (own is None or name != "tool.poetry")
    ]
    if own is not None:
        yield Edit(FILE, own.content_end, own.content_end, text)
    elif gone:
        first = gone.pop(0)
        yield Edit(FILE, first.start, first.content_end, f"[project]\n{text}")
    if own is None and (build := toml.blocks.get("build-system")) and toml.is_built_by("poetry"):
        gone.append(build)  # it looks for a package of the project's name, and there is none
    yield from toml.without(*gone)


def _own_keys(facts: Facts, poetry: Mapping[str, Any]) -> Iterator[str]:
    """What [project] must say, and what else [tool.poetry] says of the project itself."""
    if "name" not in poetry:
        raise CannotEdit("the project has no name")
    said = {"version": _FIRST_VERSION, **poetry}
    for key in ("name", "version", "description", "readme"):
        value = said.get(key)
        if isinstance(value, str) and (key != "readme" or value in facts.submission.by_path):
            yield f"{key} = {tomlkit.item(str(value)).as_string()}\n"
    people = [_person(each) for each in poetry.get("authors", ())]
    if people and all(isinstance(each, Mapping) and each for each in people):
        yield f"authors = {_written(people)}\n"


def _extras(
    poetry: Mapping[str, Any], listed: Mapping[str, Any], optional: set[str]
) -> Iterator[str]:
    extras = mapping_of(poetry.get("extras"))
    if optional - {each for names in extras.values() for each in names}:
        raise CannotEdit("optional dependencies of no extra")
    if extras:
        yield "\n[project.optional-dependencies]\n"
    for name, each in extras.items():
        yield _array(str(name), {one: listed[one] for one in each if one in listed})


def _groups(poetry: Mapping[str, Any]) -> Iterator[str]:
    groups = {"dev": poetry.get("dev-dependencies")} | {
        name: mapping_of(group).get("dependencies")
        for name, group in mapping_of(poetry.get("group")).items()
    }
    listed = [(name, each) for name, each in groups.items() if isinstance(each, Mapping)]
    if listed:
        yield "\n[dependency-groups]\n"
    yield from (_array(str(name), each) for name, each in listed)


def _from_imports(facts: Facts, toml: TomlEdits) -> Iterator[Edit]:
    """What the code imports, where nothing is declared at all."""
    found = {
        name
        for file in facts.python.values()
        for each in file.imports
        if not each.level and (name := distribution_of(each.module.partition(".")[0]))
    }
    text = _array("dependencies", dict.fromkeys(sorted(found), "*"))
    own = toml.blocks.get("project")
    if "dependencies" in toml.table("project"):
        start, end = toml.array("dependencies").span
        yield Edit(FILE, start, end, text.partition(" = ")[2].rstrip("\n"))
    elif own is not None:
        yield Edit(FILE, own.content_end, own.content_end, text)
    else:
        gap = "\n" if toml.text.strip() else ""
        head = f'{gap}[project]\nname = "experiments"\nversion = "{_FIRST_VERSION}"\n'
        yield Edit(FILE, len(toml.text), len(toml.text), f"{toml.end_of_line}{head}{text}")


def _entries_mended(toml: TomlEdits, told: list[str]) -> Iterator[Edit]:
    """What stands in the list of dependencies, and in requires-python, as PEP 508 and 440 write
    it.
    """
    project = toml.table("project")
    listed = project.get("dependencies")
    python = project.get("requires-python")
    wrong: dict[int, str | None] = {}
    for at, each in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(each, str) and (found := re.match(r"\s*([A-Za-z0-9][\w.-]*)(.*)", each)):
            name, version = found[1], found[2].strip()
            if canonicalize_name(name) == "python":
                wrong[at] = None
                python = python or ",".join(specifiers(version))
            elif not is_requirement(each):
                wrong[at] = requirement(name, version)
    if wrong:
        told.append("the dependencies as PEP 508 asks")
        array = toml.array("dependencies")
        for at, wish in wrong.items():
            yield from array.without(at) if wish is None else [array.put(at, wish)]
    if isinstance(python, str) and specifier_set(python) is None:
        told.append("requires-python as PEP 440 asks")
        yield toml.put_value("requires-python", ",".join(specifiers(python)))
    elif python and "requires-python" not in project:
        yield toml.put_value("requires-python", str(python))
    if project and "version" not in project and "version" not in project.get("dynamic", ()):
        told.append("a version")
        yield toml.put_value("version", _FIRST_VERSION)
    name = project.get("name")
    if isinstance(name, str) and not re.fullmatch(r"[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?", name):
        told.append("a name without spaces and signs")
        yield toml.put_value("name", re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower())


def _people_as_tables(toml: TomlEdits, told: list[str]) -> Iterator[Edit]:
    for key in ("authors", "maintainers"):
        people = toml.table("project").get(key)
        if isinstance(people, list) and any(isinstance(each, str) for each in people):
            start, end = toml.array(key).span
            yield Edit(FILE, start, end, _written([_person(each) for each in people]))
            told.append(f"{key} as tables")


@repairs("FS05", "FS07", "FS11")
def declare_dependency(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The distribution that the finding names, among the dependencies."""
    name = stated(finding, "declares", "package")
    if not _is_distribution(name):
        return
    names = [name, *(["protobuf"] if finding.rule == "FS11" else [])]
    told = f"Declare {' and '.join(names)} among the dependencies"
    file = facts.dependencies.file
    text = facts.text(file) or ""
    if file == FILE:
        array = TomlEdits(facts).array("dependencies")
        if not any(_meant(name_of(each)) == name for each in array.values):  # see below
            yield Proposal(told, tuple(array.append(names)))
    elif file.endswith((".txt", ".in")):
        gap = "" if text.endswith("\n") or not text else "\n"
        more = "".join(f"{each}\n" for each in names)
        yield Proposal(told, (Edit(file, len(text), len(text), f"{gap}{more}"),))


@repairs("FS09")
def usable_dependency(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The distribution that brings the module that is meant, with the same bounds; none where
    Python brings it.
    """
    array = TomlEdits(facts).array("dependencies")
    entries = [name_of(each) for each in array.values]
    wrong = finding.names[0] if finding.names else ""
    meant = _meant(wrong)
    at = [number for number, each in enumerate(entries) if each == wrong]
    if meant and meant not in entries:
        edits = [array.put(each, _called(array.values[each], meant)) for each in at]
        yield Proposal(f"Declare {meant} instead of {wrong}", tuple(edits))
        return
    if not meant and wrong in sys.stdlib_module_names:
        at = [n for n, each in enumerate(entries) if each in sys.stdlib_module_names]
    if meant or wrong in sys.stdlib_module_names:
        shown = " and ".join(dict.fromkeys(entries[each] for each in at))
        yield Proposal(f"Leave {shown} out of the dependencies", tuple(array.without(*at)))


def _meant(name: str) -> str | None:
    """The distribution that is meant by the name of a module which it brings."""
    meant = (
        _ONLY_WITH_ITS_MODULE.get(name) or distribution_of(name) or distribution_of(name.upper())
    )
    return meant if meant != name else None


def _called(entry: str, name: str) -> str:
    """The same requirement of another distribution."""
    return re.sub(r"^\s*[A-Za-z0-9][\w.-]*", name, entry, count=1)


@repairs("FS10", "FS17")
def newer_python(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """The oldest Python in requires-python with which all declared, and all code, work."""
    allowed = facts.packaging.requires_python
    declared = {one.name: one.specifier for one in facts.packaging.declared if one.installed}
    value = _enough(facts, allowed, declared) if allowed is not None else ""
    if value:
        yield Proposal(
            f'Write requires-python = "{value}"',
            (TomlEdits(facts).put_value("requires-python", value),),
        )


def _enough(facts: Facts, allowed: SpecifierSet, declared: Mapping[str, str]) -> str:
    """A requires-python that promises no Python with which a distribution or the code fails; empty
    if the one that is there does not.
    """
    wanted = [found[1] for each in declared.items() if (found := python_wanted(*each))]
    wanted += [newer.since for file in facts.python.values() for newer in newer_features(file)]
    newest = max((one for one in wanted if oldest(allowed, Version(one))), key=Version, default="")
    if not newest:
        return ""
    kept = sorted(str(one) for one in allowed if one.operator in ("<", "<=", "!="))
    if not any(SpecifierSet(",".join(kept)).contains(f"{newest}.{at}") for at in range(30)):
        kept = []
    return ",".join([f">={newest}", *kept])


@repairs("FS08")
def nothing_to_build(facts: Facts, finding: Finding) -> Iterator[Proposal]:
    """What is to be shipped, where the backend asks; else no [build-system], with which uv runs
    the code without building a package.
    """
    toml = TomlEdits(facts)
    readme = toml.table("project").get("readme")
    line = toml.line_of("readme")
    if line is not None and readme not in facts.submission.by_path:
        yield Proposal("Leave out the readme, which is not there", (line,))
    if toml.is_built_by("hatchling"):
        table = '[tool.hatch.build.targets.wheel]\npackages = ["src"]\n'
        end = len(toml.text)
        text = f"{toml.end_of_line}\n{table}"
        if "tool.hatch.build.targets.wheel" not in toml.blocks:
            yield Proposal("Name the folder to ship", (Edit(FILE, end, end, text),))
    if (block := toml.blocks.get("build-system")) is not None:
        yield Proposal(
            "Take [build-system] out, so that uv installs the dependencies and builds nothing",
            tuple(toml.without(block)),
        )


def bounded(facts: Facts, name: str, newest: str) -> Edit | None:
    """Put an upper bound behind what is required of a distribution; None where that leaves none."""
    array = TomlEdits(facts).array("dependencies")
    for at, entry in enumerate(array.values):
        if is_requirement(entry) and name_of(entry) == canonicalize_name(name):
            wish = Requirement(entry)
            wish.specifier &= SpecifierSet(f"<={newest}")
            return array.put(at, str(wish)) if wish.specifier.contains(newest) else None
    return None


def _requires_python(facts: Facts, toml: TomlEdits, listed: Mapping[str, object]) -> str:
    """The line for it, if only the table of dependencies asks for a Python."""
    python = listed.get("python")
    if not isinstance(python, str) or "requires-python" in toml.table("project"):
        return ""
    value = ",".join(specifiers(python)) or ">=3.10"
    allowed = specifier_set(value)
    declared: dict[str, str] = {
        canonicalize_name(name): ",".join(specifiers(version))
        for name, version in listed.items()
        if isinstance(version, str)
    }
    enough = _enough(facts, allowed, declared) if allowed is not None else ""
    return f'requires-python = "{enough or value}"\n'


def _array(key: str, listed: Mapping[str, object], left_out: Sequence[str] | set[str] = ()) -> str:
    """The requirements of a table, each on its line, with the table's comments."""
    lines = [f"{key} = ["]
    body = getattr(getattr(listed, "value", None), "body", None)
    for name, item in body if body is not None else [(key, each) for key, each in listed.items()]:
        if isinstance(item, Comment):
            lines.append(f"    {item.trivia.comment}")
        if name is None or (said := str(getattr(name, "key", name))) in left_out:
            continue
        for each in item if isinstance(item, list) else [item]:
            if wish := requirement(said, each):
                comment = getattr(getattr(item, "trivia", None), "comment", "")
                lines.append(f"    {quoted(wish)},{f'  {comment}' if comment else ''}")
    return "\n".join([*lines, "]", ""])


def _person(told: object) -> object:
    found = _PERSON.fullmatch(told) if isinstance(told, str) else None
    if found is None:
        return told
    table = tomlkit.inline_table()
    table.update({key: value for key, value in found.groupdict().items() if value})
    return table


def _written(people: Sequence[object]) -> str:
    """An array of tables on one line."""
    return f"[{', '.join(cast(Any, tomlkit.item(each)).as_string() for each in people)}]"


def _is_distribution(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9][\w.-]*", name) is not None


def name_of(entry: str) -> str:
    found = re.match(r"\s*([A-Za-z0-9][\w.-]*)", entry)
    return canonicalize_name(found[1]) if found else ""
