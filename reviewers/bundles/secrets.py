"""Files that hold secrets by their name: they are kept as they came, and shown to no model."""

from fnmatch import fnmatch

BY_NAME = "holds secrets by its name"
_NAMES = (
    *(".env*", "*.env"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "identity"),
    *(".netrc", "_netrc", ".pgpass", ".pypirc", ".npmrc", ".git-credentials", ".htpasswd"),
    *(
        "credentials",
        "credentials*.json",
        "credentials.*",
        "secret.*",
        "secrets.*",
        "kaggle.json",
        ".dockercfg",
    ),
    *("client_secret*.json", "service-account*.json", "service_account*.json", ".boto", ".s3cfg"),
)
# Code, prose, and what shows others how such a file is written.
_CODE = (".py", ".pyi", ".md", ".rst", ".example", ".sample", ".template", ".dist")


def is_secret(path: str) -> bool:
    """Whether a file of this name is there to hold keys or passwords."""
    name = path.replace("\\", "/").rpartition("/")[2].lower().rstrip("~ .")
    return not name.endswith(_CODE) and any(fnmatch(name, pattern) for pattern in _NAMES)
