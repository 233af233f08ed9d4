"""Masks keys and passwords in a run's output before it is stored: exports of a store are passed
on.
"""

import re

from reviewers.bundles.secrets import keys_in

_MASK = "[hidden]"
_WORDS = re.compile(
    r"\b(?:sk-[\w-]{12,}|hf_\w{12,}|gh[oprsu]_\w{20,}|github_pat_\w{20,}|gsk_\w{12,}|glpat-[\w-]{12,}|xox[abprs]-[\w-]{10,}"
    r"|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})"
)
_NAMED = re.compile(
    r"""(\b\w{0,40}(?:API_?KEY|TOKEN|SECRET|PASSWORD)\b["']?[ \t]{0,3}[=:][ \t]{0,3}["']?)(?!\[hidden\])([^\s"',;)}]{6,})""",  # noqa: E501
    re.IGNORECASE,
)
_IN_ADDRESS = re.compile(
    r"(\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:)[^\s/@]{1,200}(?=@)", re.IGNORECASE
)


# Code is shown to a model as it is written, so only what can be nothing but a key is hidden there;
# everything is bounded.
# A digit is what tells a key from a name, in quotes; without them three of them, and no underscore.
_SECRET_NAME = r"\b\w{0,40}(?:API_?KEY|ACCESS_?KEY|SECRET_?KEY|TOKEN|SECRET|PASSWORD)\b"
_GIVEN = r"""["']?\]?(?:[ \t]{0,3}:[ \t]{0,3}[A-Za-z][\w.]{0,40}(?=[ \t]{0,3}=))?[ \t]{0,3}[=:,]"""
_OPENED = r"""[ \t]{0,3}[bfru]{0,2}["']"""
_LITERAL = re.compile(
    rf"""({_SECRET_NAME}{_GIVEN}{_OPENED})(?=[\w+/=-]{{0,200}}\d)[\w+/=-]{{16,200}}(?=["'])"""
    rf"""|(\b\w{{0,40}}KEY{_GIVEN}{_OPENED})[0-9a-f]{{32,128}}(?=["'])"""
    rf"""|((?:{_SECRET_NAME}{_GIVEN}[ \t]{{0,3}}|\bBearer[ \t]))"""
    rf"""(?=(?:[A-Za-z+/]{{0,200}}\d){{3}})(?=\d{{0,200}}[A-Za-z+/])[A-Za-z0-9+/]{{20,200}}={{0,2}}(?![\w.(\[])""",
    re.IGNORECASE,
)
_IN_LITERAL_ADDRESS = re.compile(
    r"(\b[a-z][a-z0-9+.-]{1,20}://[\w.+~-]{1,100}:)[\w.+~!-]{1,200}(?=@)", re.IGNORECASE
)
_BLOCK = re.compile(
    r"(?<=PRIVATE KEY-----)(?:[\s>]{1,10}[A-Z][\w-]{1,20}: ?[\w,-]{1,80}){0,4}"
    r"(?:[\s>\"'\\n#,+]{1,40}[A-Za-z0-9+/]{32,80}={0,2}){1,200}"
)


def without_keys(code: str) -> str:
    """Return code with what can be nothing but a key hidden; each line stays where it was."""
    code = _BLOCK.sub(lambda found: re.sub(r"[A-Za-z0-9+/=]{32,}", _MASK, found[0]), code)
    parts: list[str] = []
    at = 0
    for key in keys_in(code):
        if key.start >= at and not key.is_block:
            parts += [code[at : key.start], _MASK]
            at = key.end
    code = "".join([*parts, code[at:]])
    code = _IN_LITERAL_ADDRESS.sub(rf"\1{_MASK}", code)
    return _LITERAL.sub(lambda found: f"{found[1] or found[2] or found[3]}{_MASK}", code)


def masked(text: str) -> str:
    """Return a text with everything hidden that has the shape of a key, is named one, or is a
    password in an address.
    """
    text = _WORDS.sub(_MASK, text)
    text = _IN_ADDRESS.sub(rf"\1{_MASK}", text)
    return _NAMED.sub(rf"\1{_MASK}", text)
