"""Formats tokens, money and seconds; an unknown value is a dash, never 0."""

UNKNOWN = "—"
_SMALLEST = 0.0001


def number(count: int | None) -> str:
    """Return a count with separators."""
    return UNKNOWN if count is None else f"{count:,}"


def money(usd: float | None) -> str:
    """Return US dollars to a hundredth of a cent."""
    if usd is None:
        return UNKNOWN
    return (
        f"<${_SMALLEST}" if 0 < usd < _SMALLEST else f"${usd:,.4f}" if usd < 10 else f"${usd:,.2f}"
    )


def duration(seconds: float | None) -> str:
    """Return seconds, or milliseconds where they are few."""
    if seconds is None:
        return UNKNOWN
    return f"{seconds:,.1f} s" if seconds >= 0.1 else f"{seconds * 1000:.0f} ms"


def tokens(read: int | None, cached: int | None, written: int | None) -> str:
    """Return what a model read and wrote."""
    from_cache = f" ({number(cached)} cached)" if cached else ""
    return f"{number(read)} tokens{from_cache}, {number(written)} out"
