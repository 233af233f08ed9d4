"""Column types that return exactly what was stored, on SQLite and PostgreSQL alike."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Dialect, LargeBinary, String, Text, TypeDecorator, types

from reviewers.store.packing import packed, unpacked

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

# PostgreSQL refuses NUL in text, SQLite cuts text at NUL in its functions, and neither driver can
# encode a lone surrogate.
_ESCAPE = "\x1a"
_UNSTORABLE = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile(_ESCAPE + "([0-9a-f]{4})")
_SHORTEST_PACKED = 64  # characters


def sortable(text: str) -> str:
    """Return text for a SortedText column, which is never shown: characters that a database cannot
    store are replaced.
    """
    return _UNSTORABLE.sub("\ufffd", text)


class AnyText(TypeDecorator[str]):
    """Text of any content: characters that a database cannot store become U+001A and four
    hexadecimal digits.
    """

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        # A str subclass, such as an enum's member, must reach the driver as plain text.
        return _UNSTORABLE.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", str(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None or _ESCAPE not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


class Json(AnyText):
    """Values as JSON text; keys keep their order.

    JSON's own escapes would turn two lone surrogates in a row into one character, so AnyText's do
    the escaping.
    """

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else super().process_bind_param(_dumped(value), dialect)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        plain = super().process_result_value(value, dialect)
        return None if plain is None else json.loads(plain, strict=False)


class PackedText(AnyText):
    """Text that is packed where that makes it shorter. SQLite tells by the kind of the value, a
    blob, whether it is; PostgreSQL packs long texts by itself.
    """

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> Any:
        text = super().process_bind_param(value, dialect)
        return text if text is None or dialect.name == "postgresql" else shorter(text)

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:
        return super().process_result_value(plain(value), dialect)


class PackedJson(PackedText, Json):
    """As `PackedText`, for values as JSON."""

    cache_ok = True


class PackedBytes(TypeDecorator[bytes]):
    """Bytes, packed in either database."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else packed(value)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        return None if value is None else unpacked(bytes(value))


class PackedFields(PackedBytes):
    """The fields of a record as one file of `contents`."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> bytes | None:
        return super().process_bind_param(fields_bytes(value), dialect)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> Any:
        data = super().process_result_value(value, dialect)
        return None if data is None else json.loads(data.decode("utf-8", "surrogatepass"))


def fields_bytes(values: Mapping[str, Any]) -> bytes:
    """Return the fields of a record as bytes, the same for the same fields."""
    return _dumped(values).encode("utf-8", "surrogatepass")


def shorter(text: str) -> str | bytes:
    """Return a text packed, or as it is where that is no longer."""
    if len(text) < _SHORTEST_PACKED:
        return text
    data = text.encode()
    made = packed(data)
    return made if len(made) < len(data) else text


def plain(value: str | bytes | None) -> str | None:
    """Return the text that `shorter` was given; a function of SQLite too, as `PLAIN`."""
    return unpacked(value).decode() if isinstance(value, bytes) else value


PLAIN = "areachair_plain"


def _dumped(value: Any) -> str:
    return json.dumps(dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False)


class Moment(TypeDecorator[datetime]):
    """An aware UTC time; on SQLite, which has no type for times, microseconds since 1970."""

    impl = BigInteger
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> types.TypeEngine[Any]:
        is_postgresql = dialect.name == "postgresql"
        return dialect.type_descriptor(
            types.TIMESTAMP(timezone=True) if is_postgresql else BigInteger()
        )

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        if value is None or dialect.name == "postgresql":
            return value
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        moment: datetime = value if isinstance(value, datetime) else _EPOCH + value * _MICROSECOND
        return moment.astimezone(UTC)


# Sorted by code points on both databases, whatever language a PostgreSQL server sorts in.
SortedText = Text().with_variant(Text(collation="C"), "postgresql")
Hash = String(64).with_variant(String(64, collation="C"), "postgresql")
