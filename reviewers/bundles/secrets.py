"""Files that hold secrets by their name: they are kept as they came, and shown to no model."""

import unicodedata
from fnmatch import fnmatch

_NAMES = (
    *(".env*", "*.env", "dotenv", ".renviron"),
    *("*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.ppk", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*"),
    *(".netrc", "_netrc", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".git-credentials"),
    *(".htpasswd", ".dockercfg", ".boto", ".s3cfg", ".cdsapirc", ".databrickscfg", ".terraformrc"),
    *("*.tfstate", "*.tfvars", "kaggle.json", ".*_history"),
    *("credentials", "*[_-]credentials", "credentials.*", "*[_-]credentials.*", ".secret*"),
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
_CODE = (".py", ".pyi", ".md", ".rst")


def is_secret(path: str) -> bool:
    """Whether a file of this name is there to hold keys or passwords."""
    # A name that only looks like another one is read as the one that it looks like.
    read = unicodedata.normalize("NFKC", path).replace("\\", "/").lower()
    shown = "".join(each for each in read if unicodedata.category(each) != "Cf")
    *folders, name = (part.strip() for part in shown.split("/"))
    name = name.rstrip("~ .")
    return not name.endswith(_CODE) and (
        not _FOLDERS.isdisjoint(folders) or any(fnmatch(name, pattern) for pattern in _NAMES)
    )
