"""`areachair doctor`: says in words whether the desk and its store are well."""

import platform
from contextlib import closing
from importlib.metadata import version

import typer

from reviewers import settings
from reviewers.backends.configured import load
from reviewers.batch.reading import outdated
from reviewers.cli.options import StoreUrl
from reviewers.cli.printing import NOT_READY, OK, UNUSABLE
from reviewers.errors import AreachairError, StoreError, printable
from reviewers.records import counted
from reviewers.store import Store
from reviewers.store.health import Diagnosis, examine


def command(store: StoreUrl = None) -> None:
    """Examine versions, the reviewers' file, and the store: permissions, space, clock, speed and
    integrity.

    Exit codes: 0 all is well, 1 there is something to do, 2 the store cannot be opened.
    """
    code = OK
    for diagnosis in (_versions(), _configuration()):
        code = max(code, _told(diagnosis))
    url = store or settings.store_url()
    try:
        with closing(Store.open(url)) as opened:
            for diagnosis in (_fact_checks(opened), *examine(opened, url)):
                code = max(code, _told(diagnosis))
    except StoreError as error:
        _told(Diagnosis("store", str(error), "nothing else can be examined until it opens"))
        code = UNUSABLE
    raise typer.Exit(code)


def _told(diagnosis: Diagnosis) -> int:
    mark = "ok  " if diagnosis.remedy is None else "look"
    typer.echo(printable(f"{mark}  {diagnosis.what}: {diagnosis.found}"))
    if diagnosis.remedy is None:
        return OK
    typer.echo(printable(f"      {diagnosis.remedy}"))
    return NOT_READY


def _versions() -> Diagnosis:
    parts = [f"{name} {version(name)}" for name in ("areachair", "streamlit", "sqlalchemy")]
    return Diagnosis("versions", f"{', '.join(parts)}, Python {platform.python_version()}")


def _configuration() -> Diagnosis:
    path = settings.reviewers_file()
    if not path.exists():
        return Diagnosis("reviewers", f"no model is configured in {path}")
    try:
        configuration = load(path)
    except AreachairError as error:
        return Diagnosis("reviewers", str(error), "mend the file, or move it away")
    found = f"{len(configuration.reviewers)} configured in {path}"
    if configuration.broken:
        return Diagnosis("reviewers", configuration.broken[0].problem, "mend this entry")
    silent = sorted(
        {
            variable
            for each in configuration.reviewers
            if (variable := each.key_variable) and settings.api_key(variable, each.base_url) is None
        }
    )
    if silent:
        return Diagnosis("reviewers", f"{found}; no key in {', '.join(silent)}", "set the keys")
    return Diagnosis("reviewers", found)


def _fact_checks(store: Store) -> Diagnosis:
    count = len(outdated(store))
    if count:
        found = f"an older areachair checked the claims on {counted(count, 'submission')}"
        return Diagnosis("fact checks", found, "areachair refresh")
    return Diagnosis("fact checks", "all are by this areachair")
