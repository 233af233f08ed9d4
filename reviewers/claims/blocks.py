"""From a review's text to its blocks: paragraphs and list items, and who stands under whom."""

import re
from dataclasses import dataclass

_MARKER = re.compile(
    r"(?:>[ \t]?)*[ \t]*(?:"
    r"(?:\*\*)?(?:\(?(?:\d{1,2}(?:\.\d{1,2}){0,3}|[a-z])[.)]|\#\d{1,3}:?)(?:\*\*)?"
    r"|(?P<bullet>[-*+•‒–—·▪●◦‣○■])"
    r"|(?P<heading>\#{1,6})"
    r")[ \t]+(?=\S)"
)
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})", re.MULTILINE)
_INDENT = re.compile(r"(?:>[ \t]?)*[ \t]*")
_TAB = 4


@dataclass(slots=True)
class Block:
    """A paragraph, list item, heading line or fenced code.

    Attributes:
        start, end: the content, without its marker.
        marked: whether it is an item of a list; `bullet`: of one that is not numbered.
        parent: index of the block under which this one stands.
        fenced: whether it is fenced code.
        heading: whether markup makes it a heading.
        children: whether blocks other than fenced code stand under it.
    """

    start: int
    end: int
    indent: int = 0
    marked: bool = False
    bullet: bool = False
    parent: int | None = None
    fenced: bool = False
    heading: bool = False
    children: bool = False


def blocks(text: str) -> list[Block]:
    """Cut a text into blocks, in order; between them lie only markers and white space."""
    found: list[Block] = []
    stack: list[int] = []
    fences = _fences(text)
    position, open_block = 0, False
    while position < len(text):
        if position in fences:
            end = fences[position]
            found.append(Block(position, end, parent=stack[-1] if stack else None, fenced=True))
            position, open_block = end + 1, False
            continue
        line_end = text.find("\n", position)
        line_end = len(text) if line_end < 0 else line_end
        if not text[position:line_end].strip():
            open_block = False
        else:
            block = _block(text, position, line_end)
            is_plain = not (block.marked or block.heading)
            if open_block and is_plain:
                found[-1].end = line_end
            elif block.start < block.end or not is_plain:  # more than the signs of a quotation
                _hang(block, found, stack)
                found.append(block)
                open_block = not block.heading
        position = line_end + 1
    return found


def _fences(text: str) -> dict[int, int]:
    """Start of each fenced part, to its end; a fence that is never closed is none."""
    starts = [match.start() for match in _FENCE.finditer(text)]
    closed = {}
    for first, last in zip(starts[::2], starts[1::2], strict=False):
        end = text.find("\n", last)
        closed[first] = len(text) if end < 0 else end
    return closed


def _block(text: str, start: int, end: int) -> Block:
    indent = _INDENT.match(text, start, end)
    content = indent.end() if indent else start
    width = len(text[start:content].expandtabs(_TAB))
    marker = _MARKER.match(text, start, end)
    if marker is None:
        return Block(content, end, indent=width)
    return Block(
        marker.end(),
        end,
        indent=width,
        marked=marker["heading"] is None,
        bullet=marker["bullet"] is not None,
        heading=marker["heading"] is not None,
    )


def _hang(block: Block, found: list[Block], stack: list[int]) -> None:
    """Give a block its parent and open it; `stack` holds the open items and headings, outermost
    first.
    """
    while stack:
        top = found[stack[-1]]
        deeper = block.indent > top.indent
        if block.heading:
            inside = False
        elif top.heading:
            inside = True
        elif block.marked:
            inside = deeper or (block.indent == top.indent and block.bullet and not top.bullet)
        else:
            inside = deeper
        if inside:
            block.parent, top.children = stack[-1], True
            break
        stack.pop()
    if block.marked or block.heading:
        stack.append(len(found))
