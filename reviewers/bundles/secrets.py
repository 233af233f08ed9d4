"""Files that hold secrets by their name: they are kept as they came, and shown to no model."""

from fnmatch import fnmatch

_NAMES = (
    *(".env", ".env.*", "*.env", ".envrc"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *(".netrc", "_netrc", ".pgpass", ".pypirc", ".npmrc", ".git-credentials", ".htpasswd"),
    *("credentials", "credentials.*", "secret.*", "secrets.*", "kaggle.json", ".dockercfg"),
    *("client_secret*.json", "service-account*.json", "service_account*.json", ".boto", ".s3cfg"),
)
_CODE = (".py", ".pyi", ".md", ".rst")


def is_secret(path: str) -> bool:
    """Whether a file of this name is there to hold keys or passwords."""
    name = path.replace("\\", "/").rpartition("/")[2].lower().rstrip("~ .")
    return not name.endswith(_CODE) and any(fnmatch(name, pattern) for pattern in _NAMES)
