"""Packs what the store keeps: a file or a long text is a third of its size, and often less.

Deflate with a dictionary of areachair's own words and of the samples' code, so that short texts
shrink too. The dictionary is part of the format and never changes; the packed bytes name it.
"""

import zlib
from pathlib import Path

from reviewers.errors import StoreError

MARK = b"\x00\x9a1\x00"
"""Begins what is packed; no file that was kept before there was packing begins so."""
DICTIONARY = Path(__file__).with_name("packing.dict").read_bytes()
# Primed once, in both directions: reading the dictionary takes longer than a short text.
_PRIMED = zlib.compressobj(6, zlib.DEFLATED, 15, 9, zlib.Z_DEFAULT_STRATEGY, DICTIONARY)
_START = _PRIMED.copy().flush()[:6]
"""What packed bytes begin with after the mark: how they were made, and which dictionary it is."""
_UNPACKING = zlib.decompressobj(zdict=DICTIONARY)
_UNPACKING.decompress(_START)
# In bytes. Import takes files of 2 MB and submissions of 20 MB.
_MOST_UNPACKED = 64_000_000


def packed(data: bytes) -> bytes:
    """Return the bytes from which `unpacked` gives the data again."""
    stream = _PRIMED.copy()
    return MARK + stream.compress(data) + stream.flush()


def unpacked(kept: bytes) -> bytes:
    """Return what was packed; what was kept before there was packing comes back as it is.

    Raises:
        StoreError: it is damaged, or unpacks to more than areachair ever keeps.
    """
    if not kept.startswith(MARK):
        return kept
    begins = MARK + _START
    is_ours = kept.startswith(begins)
    stream = _UNPACKING.copy() if is_ours else zlib.decompressobj(zdict=DICTIONARY)
    try:
        data = stream.decompress(kept[len(begins if is_ours else MARK) :], _MOST_UNPACKED)
    except zlib.error:
        raise StoreError("a packed text of the store is damaged; restore a backup") from None
    if not stream.eof:
        how = "is cut off" if not stream.unconsumed_tail else "unpacks to more than 64 MB"
        raise StoreError(f"a packed text of the store {how}; restore a backup")
    return data
