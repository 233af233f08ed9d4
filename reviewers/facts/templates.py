"""Texts with `{}` for the parts that are known only at run time, and whether two of them may be
equal.
"""

HOLE = "{}"


def may_equal(one: str, other: str) -> bool:
    """Return whether two texts may be the same once their holes are filled in.

    Where both have holes, only what precedes the first and behind the last is compared.
    """
    if HOLE not in one:
        one, other = other, one
    pieces, against = one.split(HOLE), other.split(HOLE)
    if len(pieces) == 1:
        return one == other
    if len(against) == 1:
        return _fills(pieces, other)
    ends = ((pieces[0], against[0]), (pieces[-1][::-1], against[-1][::-1]))
    return all(left.startswith(right) or right.startswith(left) for left, right in ends)


def _fills(pieces: list[str], text: str) -> bool:
    """Whether a text consists of the pieces, in order, with anything between them."""
    first, *middle, last = pieces
    at, end = len(first), len(text) - len(last)
    if at > end or not text.startswith(first) or not text.endswith(last):
        return False
    for piece in middle:
        found = text.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
