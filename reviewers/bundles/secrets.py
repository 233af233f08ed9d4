"""Secrets: files recognised by name are reported and not kept; keys recognised by their form are
flagged, and masked wherever code leaves areachair.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch

BY_NAME = "holds secrets by its name"
_NAMES = (
    *(".env", ".env[._-]*", "*.env", ".envrc", "dotenv", ".renviron"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *(".netrc", "_netrc", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".git-credentials"),
    *(".htpasswd", ".dockercfg", ".boto", ".s3cfg", ".cdsapirc", ".databrickscfg", ".terraformrc"),
    *("*.tfstate", "*.tfvars", "kaggle.json", ".*_history"),
    *(
        "credentials",
        "*[_-]credentials",
        "credentials*.json",
        "credentials.*",
        "*[_-]credentials.*",
        ".secret*",
    ),
    *("secret", "secrets", "secret.*", "secrets.*", "client_secret*.json", ".vault_pass*"),
    *("password.*", "passwords.*", "*[_-]password.txt", "*[_-]passwords.txt"),
    *("api[_-]key*", "apikey*", "*[_-]api[_-]key", "*[_-]api[_-]key.*", "*[_-]apikey*"),
    *("token", "*[_-]token", "token.txt", "*[_-]token.txt", "token.json"),
    *("service-account*.json", "service_account*.json"),
)
# What programs keep there is theirs to log in with, whatever a file is called.
_FOLDERS = frozenset(
    {".aws", ".azure", ".docker", ".git", ".gnupg", ".kube", ".ssh"}
    | {".secrets", "secrets", "credentials"}
)
_OF_SSH = re.compile(r"id_[^.]+")
# Code, prose, and what shows others how such a file is written.
_CODE = (".py", ".pyi", ".md", ".rst", ".example", ".sample", ".template", ".dist")

# Only what can be nothing but a key: `hf_model_checkpoint` is a name. Everything is bounded: who
# writes the code must neither hide some of it so, nor make this slow.
_SHAPES = {
    "Anthropic": r"sk-ant-[\w-]{20,200}",
    "OpenAI": r"sk-(?!ant-)(?=[\w-]{0,200}\d)(?=[\w-]{0,200}[A-Z])[\w-]{20,200}",
    "Hugging Face": r"hf_[A-Za-z0-9]{30,60}",
    "Weights & Biases": r"wandb_v\d_[\w-]{30,200}",
    "GitHub": r"(?:gh[oprsu]_[A-Za-z0-9]{30,60}|github_pat_\w{40,120})",
    "GitLab": r"glpat-[\w-]{20,80}",
    "AWS": r"A(?:KIA|SIA)[0-9A-Z]{16}\b",
    "Google": r"AIza[\w-]{35}",
    "Groq": r"gsk_[A-Za-z0-9]{30,80}",
    "Replicate": r"r8_[A-Za-z0-9]{30,60}",
    "Slack": r"xox[abprs]-\d[\w-]{10,120}",
    "Stripe": r"[rs]k_live_[A-Za-z0-9]{20,120}",
    "PyPI": r"pypi-AgEIcHlwaS5vcmc[\w-]{20,250}",
    "JWT": r"eyJ[\w-]{8,300}\.[\w-]{8,300}\.[\w-]{8,300}",
}
# A Weights & Biases key of the older kind is a hash like any other: what precedes it tells.
_HEX = re.compile(
    r"""(?:WANDB_API_KEY\b["']?\]?|wandb\.login\([^)\n]{0,80}?(?:key[ \t]*=)?|--wandb[-_]key)"""
    r"""[ \t]{0,3}[=:,]?[ \t]{0,3}["']?(?P<key>[0-9a-f]{40})\b""",
    re.IGNORECASE,
)
_PRIVATE = re.compile(r"-----BEGIN (?:[A-Z]{2,10} ){0,3}PRIVATE KEY-----")
# Text is searched for these first, which takes no time; most has none of them.
_BEGINNINGS = {
    "GitHub": ("gho_", "ghp_", "ghr_", "ghs_", "ghu_", "github_pat_"),
    "AWS": ("AKIA", "ASIA"),
    "Stripe": ("k_live_",),
}
_SURE = {
    owner: (
        _BEGINNINGS.get(owner) or (re.split(r"[^\w-]|\\", shape)[0],),
        re.compile(rf"(?<!\w){shape}"),
    )
    for owner, shape in _SHAPES.items()
}
_FEWEST_LETTERS = 10  # different ones
_PLACEHOLDER = re.compile(r"example|placeholder|your[-_]|dummy|fake|redacted", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SecretKey:
    """What has the shape of a key in a text.

    Attributes:
        owner: whose key it is, for people.
        start, end: in characters; the end is not included.
        is_real: it does not only show where a key goes (`sk-XXXXXXXXXXXXXXXXXXXX1`).
        is_block: only the first line of a private key, which has many.
    """

    owner: str
    start: int
    end: int
    is_real: bool = True
    is_block: bool = False


def is_secret(path: str) -> bool:
    """Whether a file of this name is there to hold keys or passwords."""
    # A name that only looks like another one is read as the one that it looks like.
    read = unicodedata.normalize("NFKC", path).replace("\\", "/").lower()
    shown = "".join(each for each in read if unicodedata.category(each) != "Cf")
    *folders, name = (part.strip() for part in shown.split("/"))
    name = name.rstrip("~ .")
    return not name.endswith(_CODE) and (
        not _FOLDERS.isdisjoint(folders)
        or _OF_SSH.fullmatch(name) is not None
        or any(fnmatch(name, pattern) for pattern in _NAMES)
    )


def keys_in(text: str) -> Iterator[SecretKey]:
    """Yield what can be nothing but a provider's key or the place of one, in the order of the
    text.
    """
    found = [
        SecretKey(owner, *each.span(), _is_real(each[0]))
        for owner, (beginnings, shape) in _SURE.items()
        if any(beginning in text for beginning in beginnings)
        for each in shape.finditer(text)
    ]
    if "wandb" in text.lower():
        found += [
            SecretKey("Weights & Biases", *each.span("key"), _is_real(each["key"]))
            for each in _HEX.finditer(text)
        ]
    found += [SecretKey("private", *each.span(), is_block=True) for each in _PRIVATE.finditer(text)]
    yield from sorted(found, key=lambda key: key.start)


def _is_real(key: str) -> bool:
    return len(set(key)) >= _FEWEST_LETTERS and _PLACEHOLDER.search(key) is None
