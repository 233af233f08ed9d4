# ruff: noqa: E501  a piece of a program is clearest on one line
"""Writes the statements of small programs at random; they are ours, so they may be run.

A program is one function that gets a configuration, and the functions and classes that it uses. It
shows a value by `subprocess.run((number, value))`, which both a real and an abstract run keep.
`world` gives values of which an abstract run knows nothing.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

CONFIG = """
name: base
seed: 3
rate: 0.5
debug: false
nothing: null
run:
  name: long
  steps: [1, 2, 3]
  model: {layers: 4, kind: mlp, size: "${seed}"}
tags: [a, bb, ccc]
words: "10"
link: ${run.model.layers}
"""
INT, FLOAT, STR, BOOL, NONE = "int", "float", "str", "bool", "none"
LIST, WORDS, DICT, TUPLE, SET = "list", "words", "dict", "tuple", "set"
KINDS = (INT, FLOAT, STR, BOOL, NONE, LIST, WORDS, DICT, TUPLE, SET)
_TEXTS = ("", "a", "bb", "a b", "x_y", "12", "1e-3", "A,b", "run.py", "name")
_KEYS = ("a", "b", "cc")
IMPORTS = """\
import argparse
import ast
import contextlib
import copy
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import world
import yaml
from datasets import load_dataset
from omegaconf import DictConfig, ListConfig, OmegaConf, open_dict
"""


@dataclass
class Writer:
    """Writes one program."""

    random: Random
    noise: float = 0.02
    unknown: float = 0.06
    names: dict[str, str] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    indent: int = 1
    made: int = 0
    shown: int = 0
    loops: int = 0
    in_function: bool = False
    in_loop: bool = False
    functions: dict[str, tuple[list[str], str, str]] = field(default_factory=dict)

    # Text

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def one(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def new(self, kind: str = "") -> str:
        self.made += 1
        name = f"v{self.made}"
        if kind:
            self.names[name] = kind
        return name

    def show(self, value: str) -> None:
        self.shown += 1
        self.line(f"subprocess.run(({self.shown}, {value}))")

    @contextmanager
    def block(self, head: str, *, loop: bool | None = None) -> Iterator[None]:
        """An indented block; names that it makes are not used after it."""
        self.line(head)
        before, was, start = dict(self.names), self.in_loop, len(self.lines)
        self.indent += 1
        self.in_loop = self.in_loop if loop is None else loop
        try:
            yield
        finally:
            if len(self.lines) == start:
                self.line("pass")
            self.indent -= 1
            self.names, self.in_loop = before, was

    # Expressions

    def some(self, depth: int = 2) -> str:
        return self.value(self.one(*KINDS), depth)

    def value(self, kind: str, depth: int = 2) -> str:
        """An expression that should be of a kind."""
        if self.chance(self.noise):
            return f"({self.value(self.one(*KINDS), depth)})"
        known = [name for name, held in self.names.items() if held == kind]
        if known and self.chance(0.45 if depth > 0 else 0.7):
            return self.random.choice(known)
        if self.chance(self.unknown):
            return f"world.{kind}()"
        if depth <= 0:
            return self.literal(kind)
        if self.chance(0.06):
            other = self.value(kind, depth - 1)
            return f"({self.value(kind, depth - 1)} if {self.condition(depth - 1)} else {other})"
        if self.chance(0.04):
            return f"({self.value(kind, depth - 1)} {self.one('and', 'or')} {self.value(kind, depth - 1)})"
        return getattr(self, f"_{kind}")(depth - 1)

    def literal(self, kind: str) -> str:
        if kind == INT:
            return str(self.random.randint(-3, 9))
        if kind == FLOAT:
            return self.one("0.5", "1e-3", "2.0", "-1.5", "1.0")
        if kind == STR:
            return repr(self.random.choice(_TEXTS))
        if kind == BOOL:
            return self.one("True", "False")
        if kind == NONE:
            return "None"
        items = [
            self.literal(STR if kind == WORDS else INT) for _ in range(self.random.randint(0, 3))
        ]
        if kind == DICT:
            return "{" + ", ".join(f"{self.one(*map(repr, _KEYS))}: {item}" for item in items) + "}"
        if kind == TUPLE:
            return "(" + "".join(f"{item}, " for item in items) + ")"
        if kind == SET:
            return "{" + ", ".join(items) + "}" if items else "set()"
        return "[" + ", ".join(items) + "]"

    def condition(self, depth: int = 1) -> str:
        n = self.random.randrange(10)
        if n == 0:
            return self.some(depth)
        if n == 1:
            return "world.bool()"
        if n == 2:
            return f"not {self.condition(depth)}"
        if n == 3:
            return f"({self.condition(depth)} {self.one('and', 'or')} {self.condition(depth)})"
        return self.value(BOOL, depth)

    def _int(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: f"({v(INT, d)} {self.one('+', '-', '*', '//', '%', '+', '-')} {v(INT, d)})",
            lambda: f"({v(INT, d)} {self.one('&', '|', '^', '<<', '>>')} {v(INT, d)})",
            lambda: f"{self.one('-', '+', '~')}{v(INT, d)}",
            lambda: f"len({v(self.one(STR, LIST, WORDS, DICT, TUPLE, SET), d)})",
            lambda: f"int({v(self.one(INT, FLOAT, BOOL), d)})",
            lambda: f"int({self.one(repr('12'), repr('7'))})",
            lambda: f"{self.one('max', 'min')}({v(INT, d)}, {v(self.one(INT, FLOAT, BOOL), d)})",
            lambda: f"{self.one('max', 'min', 'sum')}([{v(INT, d)}, {v(INT, d)}])",
            lambda: f"abs({v(INT, d)})",
            lambda: f"[{v(INT, d)}, {v(INT, d)}][{self.one('0', '1', '-1', '-2', v(BOOL, d))}]",
            lambda: f"({v(INT, d)}, {v(INT, d)})[{self.one('0', '1', '-1', '-2')}]",
            lambda: f"{v(DICT, d)}.get({self.one(*map(repr, _KEYS))}, {v(INT, d)})",
            lambda: f"{{'a': {v(INT, d)}, 'b': {v(INT, d)}}}['{self.one('a', 'b')}']",
            lambda: f"{v(STR, d)}.{self.one('count', 'find', 'rfind')}({v(STR, 0)})",
            lambda: f"{v(LIST, d)}.count({v(INT, d)})",
            lambda: f"(lambda x, y={v(INT, d)}: x {self.one('+', '*', '-')} y)({v(INT, d)})",
            lambda: f"round({v(FLOAT, d)})",
            lambda: f"({v(INT, d)} ** {self.one('0', '2', '3')})",
            lambda: f"next((x for x in {v(LIST, d)} if {self.test('x')}), {v(INT, d)})",
            lambda: f"sum(x for x in {v(LIST, d)})",
            lambda: f"({self.new()} := {v(INT, d)})",
            lambda: f"(True + {v(INT, d)})",
        ])()  # fmt: skip

    def _float(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: f"({v(FLOAT, d)} {self.one('+', '-', '*')} {v(self.one(INT, FLOAT), d)})",
            lambda: f"({v(INT, d)} / {self.one('2', '4', v(INT, d))})",
            lambda: f"float({v(self.one(INT, FLOAT), d)})",
            lambda: f"float({self.one(repr('1e-3'), repr('2'))})",
            lambda: f"-{v(FLOAT, d)}",
            lambda: f"max({v(FLOAT, d)}, {v(INT, d)})",
            lambda: f"round({v(FLOAT, d)}, 1)",
            lambda: f"math.{self.one('floor', 'fabs')}({v(FLOAT, d)})",
        ])()  # fmt: skip

    def _str(self, d: int) -> str:
        v = self.value
        method = self.one(
            "lower", "upper", "strip", "title", "lstrip", "rstrip", "capitalize", "swapcase"
        )
        return self.random.choice([
            lambda: f"({v(STR, d)} + {v(STR, d)})",
            lambda: f"({v(STR, d)} * {self.one('0', '2', '-1', v(BOOL, 0))})",
            lambda: f"{v(STR, d)}.{method}()",
            lambda: f"{v(STR, d)}.replace({v(STR, 0)}, {v(STR, 0)})",
            lambda: f"{v(STR, d)}.{self.one('strip', 'removeprefix', 'removesuffix', 'lstrip')}({v(STR, 0)})",
            lambda: f"f'{{{self.some(d)!s}}}'" if False else self.template(d),
            lambda: self.template(d),
            lambda: f"str({self.some(d)})",
            lambda: f"{v(STR, 0)}.join({v(WORDS, d)})",
            lambda: f"','.join(str(x) for x in {v(LIST, d)})",
            lambda: f"{v(STR, d)}[{self.one('0', '-1', '1:', ':1', '::-1', ':-1', '-2:')}]",
            lambda: f"'%s-%d' % ({v(STR, d)}, {v(INT, d)})",
            lambda: f"'{{}}:{{}}'.format({v(STR, d)}, {v(INT, d)})",
            lambda: f"[{v(STR, d)}, {v(STR, d)}][{self.one('0', '-1')}]",
            lambda: f"'a,b,c'.split({self.one(repr(','), '', repr('b'))})[{self.one('0', '-1', '1')}]",
            lambda: f"{v(STR, d)}.{self.one('zfill', 'center', 'ljust')}({self.one('2', '5')})",
            lambda: f"repr({v(INT, d)})",
            lambda: f"{v(STR, d)}.partition({self.one(repr('_'), repr(' '))})[0]",
        ])()  # fmt: skip

    def template(self, d: int) -> str:
        parts = []
        for _ in range(self.random.randint(1, 3)):
            inner = self.value(
                self.one(INT, STR, FLOAT, BOOL, NONE, LIST), 0 if self.chance(0.5) else d
            )
            inner = inner.replace('"', "'")
            mark = self.one("", "", "", "!r", "!s", ":>4", ":")
            kept = "'" not in inner and "{" not in inner and ":=" not in inner
            parts += [self.one("", "x-", "{{", "%"), f"{{{inner}{mark}}}" if kept else "z"]
        return 'f"' + "".join(parts) + '"'

    def _bool(self, d: int) -> str:
        v = self.value
        kind = self.one(INT, FLOAT, STR)
        order = self.one("<", "<=", ">", ">=", "==", "!=")
        return self.random.choice([
            lambda: f"({v(kind, d)} {order} {v(kind, d)})",
            lambda: f"({v(INT, d)} {self.one('<', '<=')} {v(INT, d)} {order} {v(INT, d)})",
            lambda: f"({self.some(d)} {self.one('==', '!=')} {self.some(d)})",
            lambda: f"({self.some(d)} {self.one('is', 'is not')} None)",
            lambda: f"({v(INT, d)} {self.one('in', 'not in')} {v(self.one(LIST, TUPLE, SET), d)})",
            lambda: f"({v(STR, d)} {self.one('in', 'not in')} {v(self.one(STR, WORDS, DICT), d)})",
            lambda: f"(not {self.some(d)})",
            lambda: f"bool({self.some(d)})",
            lambda: f"{v(STR, d)}.{self.one('startswith', 'endswith')}({v(STR, 0)})",
            lambda: f"{v(STR, d)}.{self.one('isdigit', 'isalpha', 'islower')}()",
            lambda: f"isinstance({self.some(d)}, {self.one('int', 'str', 'bool', 'float', 'list', 'dict', '(int, str)', 'tuple', 'set', '(list, tuple)')})",
            lambda: f"{self.one('any', 'all')}([{v(BOOL, d)}, {v(BOOL, d)}])",
            lambda: f"any(x == {v(INT, 0)} for x in {v(LIST, d)})",
            lambda: f"callable({self.some(d)})",
            lambda: f"hasattr({self.some(d)}, {self.one(repr('append'), repr('lower'), repr('x'))})",
            lambda: f"({v(LIST, d)} == {v(LIST, d)})",
            lambda: f"({v(DICT, d)} {self.one('==', 'is')} {v(DICT, d)})",
            lambda: f"({v(INT, d)} and {v(STR, d)} or {v(BOOL, d)})",
        ])()  # fmt: skip

    def _none(self, d: int) -> str:
        return self.random.choice([
            lambda: "None",
            lambda: f"{{}}.get({self.value(STR, d)})",
            lambda: f"print({self.some(d)})",
            lambda: f"[].append({self.some(d)})",
        ])()  # fmt: skip

    def test(self, name: str) -> str:
        return self.one(
            f"{name} > 1",
            f"{name}",
            f"{name} != 2",
            f"{name} in (1, 2, 3)",
            f"not {name}",
            "world.bool()",
        )

    def _list(self, d: int) -> str:
        v = self.value
        over = self.one(LIST, TUPLE, SET)
        return self.random.choice([
            lambda: "[" + ", ".join(v(INT, d) for _ in range(self.random.randint(0, 4))) + "]",
            lambda: f"[*{v(over, d)}, {v(INT, d)}]",
            lambda: f"({v(LIST, d)} + {v(LIST, d)})",
            lambda: f"({v(LIST, d)} * {self.one('0', '2')})",
            lambda: f"{v(LIST, d)}[{self.one('1:', ':1', '::-1', ':-1', '::2', '-2:', '5:', v(INT, 0) + ':')}]",
            lambda: f"list({v(over, d)})",
            lambda: f"list(range({self.one('0', '2', '3', v(INT, d))}))",
            lambda: f"list({v(DICT, d)}.{self.one('values', 'values')}())",
            lambda: f"sorted({v(over, d)}{self.one('', '', ', reverse=True', ', key=lambda x: -x')})",
            lambda: f"list(reversed({v(LIST, d)}))",
            lambda: f"[{self.one('x', 'x + 1', '-x', 'x * x', v(INT, d))} for x in {v(over, d)}]",
            lambda: f"[x for x in {v(over, d)} if {self.test('x')}]",
            lambda: f"[x + y for x in {v(LIST, d)} for y in {v(LIST, d)}]",
            lambda: f"[y for x in [{v(LIST, d)}, {v(LIST, d)}] for y in x if {self.test('y')}]",
            lambda: f"[i for i, x in enumerate({v(LIST, d)}{self.one('', ', 1', ', start=2')})]",
            lambda: f"[a - b for a, b in zip({v(LIST, d)}, {v(LIST, d)})]",
            lambda: f"[x for k, x in {v(DICT, d)}.items()]",
            lambda: f"list(map({self.one('abs', 'lambda x: x + 1', 'str')}, {v(LIST, d)}))",
            lambda: f"list(filter(None, {v(LIST, d)}))",
            lambda: f"copy.{self.one('copy', 'deepcopy')}({v(LIST, d)})",
            lambda: f"{v(LIST, d)}.copy()",
        ])()  # fmt: skip

    def _words(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: "[" + ", ".join(v(STR, d) for _ in range(self.random.randint(0, 3))) + "]",
            lambda: f"{v(STR, d)}.split({self.one('', repr(','), repr('_'))})",
            lambda: f"({v(WORDS, d)} + [{v(STR, d)}])",
            lambda: f"list({v(DICT, d)})",
            lambda: f"sorted({v(DICT, d)}{self.one('', '.keys()')})",
            lambda: f"list({v(STR, d)})",
            lambda: f"[w.{self.one('upper', 'strip', 'lower')}() for w in {v(WORDS, d)}]",
            lambda: f"[f'{{k}}={{x}}' for k, x in {v(DICT, d)}.items()]",
            lambda: f"[str(x) for x in {v(LIST, d)}]",
            lambda: f"sorted({v(WORDS, d)}{self.one('', ', key=len')})",
            lambda: f"[c for c in {v(STR, d)}]",
            lambda: f"[*{v(DICT, d)}]",
            lambda: f"{v(STR, d)}.splitlines()",
        ])()  # fmt: skip

    def _dict(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: "{" + ", ".join(f"{self.one(*map(repr, _KEYS))}: {v(INT, d)}" for _ in range(self.random.randint(0, 3))) + "}",
            lambda: f"{{**{v(DICT, d)}, 'b': {v(INT, d)}}}",
            lambda: f"{{'a': {v(INT, d)}, **{v(DICT, d)}}}",
            lambda: f"({v(DICT, d)} | {v(DICT, d)})",
            lambda: f"dict(a={v(INT, d)}, cc={v(INT, d)})",
            lambda: f"dict({v(DICT, d)}{self.one('', ', b=1', ', **' + v(DICT, d))})",
            lambda: f"{{k: x + 1 for k, x in {v(DICT, d)}.items()}}",
            lambda: f"{{k: x for k, x in {v(DICT, d)}.items() if {self.test('x')}}}",
            lambda: f"{{w: len(w) for w in {v(WORDS, d)}}}",
            lambda: f"{{w: i for i, w in enumerate({v(WORDS, d)})}}",
            lambda: f"dict(zip(['a', 'b'], {v(LIST, d)}))",
            lambda: f"dict([('a', {v(INT, d)}), ('b', {v(INT, d)})])",
            lambda: f"dict.fromkeys({self.one(repr('ab'), '[' + repr('a') + ']')}, {v(INT, d)})",
            lambda: f"{v(DICT, d)}.copy()",
            lambda: f"copy.deepcopy({v(DICT, d)})",
        ])()  # fmt: skip

    def _tuple(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: "(" + "".join(f"{v(INT, d)}, " for _ in range(self.random.randint(0, 3))) + ")",
            lambda: f"tuple({v(self.one(LIST, TUPLE, SET), d)})",
            lambda: f"({v(TUPLE, d)} + {v(TUPLE, d)})",
            lambda: f"{v(TUPLE, d)}[{self.one('1:', ':1', '::-1')}]",
            lambda: f"({v(TUPLE, d)} * {self.one('2', '0')})",
            lambda: f"(*{v(LIST, d)}, {v(INT, d)})",
            lambda: f"tuple(x + 1 for x in {v(LIST, d)})",
            lambda: f"divmod({v(INT, d)}, {self.one('2', '3')})",
        ])()  # fmt: skip

    def _set(self, d: int) -> str:
        v = self.value
        return self.random.choice([
            lambda: "{" + ", ".join(v(INT, d) for _ in range(self.random.randint(1, 3))) + "}",
            lambda: f"set({v(self.one(LIST, TUPLE, SET), d)})",
            lambda: f"({v(SET, d)} {self.one('|', '&', '-', '^')} {v(SET, d)})",
            lambda: f"{{x % 2 for x in {v(LIST, d)}}}",
            lambda: f"{v(SET, d)}.{self.one('union', 'intersection', 'difference')}({v(SET, d)})",
            lambda: f"frozenset({v(LIST, d)})",
        ])()  # fmt: skip

    # Statements

    def body(self, count: int, depth: int, kinds: Mapping[str, int]) -> None:
        """Some statements, drawn by weight."""
        names, weights = list(kinds), list(kinds.values())
        for _ in range(count):
            kind = self.random.choices(names, weights)[0]
            if depth <= 0 and kind in _NESTING:
                kind = "assign"
            getattr(self, f"s_{kind}")(depth - 1, kinds)
            if self.names and self.chance(0.4):
                self.show(self.random.choice(list(self.names)))
        if not count:
            self.line("pass")

    def inner(
        self, head: str, depth: int, kinds: Mapping[str, int], *, loop: bool | None = None
    ) -> None:
        with self.block(head, loop=loop):
            self.body(self.random.randint(1, 3), depth, kinds)
            if self.in_loop and self.chance(0.15):
                self.line(self.one("break", "continue"))
            elif self.in_function and self.chance(0.12):
                self.line(f"return {self.some(1)}")

    def s_assign(self, depth: int, kinds: Mapping[str, int]) -> None:
        kind = self.one(*KINDS)
        known = [name for name, held in self.names.items() if held == kind]
        value = self.value(kind, 2)
        known = [name for name in known if name in self.names]
        name = self.random.choice(known) if known and self.chance(0.5) else self.new(kind)
        self.line(f"{name} = {value}")

    def s_show(self, depth: int, kinds: Mapping[str, int]) -> None:
        self.show(self.some(3))

    def known(self, *kinds: str) -> str:
        found = [name for name, held in self.names.items() if held in kinds]
        if found:
            return self.random.choice(found)
        kind = self.one(*kinds)
        value = self.value(kind, 1)
        name = self.new(kind)
        self.line(f"{name} = {value}")
        return name

    def s_change(self, depth: int, kinds: Mapping[str, int]) -> None:
        """Change a value in place, or with an operator."""
        v = self.value
        kind = self.one(INT, STR, FLOAT, LIST, LIST, WORDS, DICT, DICT, SET, TUPLE)
        name = self.known(kind)
        if kind in (INT, FLOAT):
            self.line(f"{name} {self.one('+=', '-=', '*=')} {v(kind, 1)}")
        elif kind == STR:
            self.line(f"{name} += {v(STR, 1)}")
        elif kind == TUPLE:
            self.line(f"{name} += {v(TUPLE, 1)}")
        elif kind in (LIST, WORDS):
            part = INT if kind == LIST else STR
            self.line(self.random.choice([
                lambda: f"{name}.append({v(part, 1)})",
                lambda: f"{name}.extend({v(kind, 1)})",
                lambda: f"{name} += {v(kind, 1)}",
                lambda: f"{name}.insert(0, {v(part, 1)})",
                lambda: f"{name}[{self.one('0', '-1', '1')}] = {v(part, 1)}",
                lambda: f"{name}[1:] = {v(kind, 1)}",
                lambda: f"{name}.{self.one('reverse', 'sort', 'clear')}()",
                lambda: f"{self.new(part)} = {name}.pop({self.one('', '0', '-1')})",
                lambda: f"{name}.remove({v(part, 0)})",
                lambda: f"del {name}[{self.one('0', ':1')}]",
                lambda: f"{name} *= 2",
            ])())  # fmt: skip
        elif kind == SET:
            self.line(self.random.choice([
                lambda: f"{name}.add({v(INT, 1)})",
                lambda: f"{name}.update({v(LIST, 1)})",
                lambda: f"{name}.discard({v(INT, 1)})",
                lambda: f"{name} |= {v(SET, 1)}",
            ])())  # fmt: skip
        else:
            key = self.one(*map(repr, _KEYS))
            self.line(self.random.choice([
                lambda: f"{name}[{key}] = {v(INT, 1)}",
                lambda: f"{name}[{v(STR, 0)}] = {v(INT, 1)}",
                lambda: f"{name}.update({v(DICT, 1)})",
                lambda: f"{name}.update(b={v(INT, 1)})",
                lambda: f"{name} |= {v(DICT, 1)}",
                lambda: f"{self.new(INT)} = {name}.setdefault({key}, {v(INT, 1)})",
                lambda: f"{self.new(INT)} = {name}.pop({key}, {v(INT, 1)})",
                lambda: f"{self.new(INT)} = {name}.get({key}, {v(INT, 1)})",
                lambda: f"del {name}[{key}]",
                lambda: f"{name}.clear()",
                lambda: f"{name}[{key}] += 1",
                lambda: f"{self.new(INT)} = {name}[{key}]",
                lambda: f"{name}.popitem()",
            ])())  # fmt: skip

    def s_alias(self, depth: int, kinds: Mapping[str, int]) -> None:
        name = self.known(LIST, DICT, SET)
        self.line(f"{self.new(self.names[name])} = {name}")

    def s_unpack(self, depth: int, kinds: Mapping[str, int]) -> None:
        v = self.value
        text = self.random.choice([
            lambda: f"{{}}, {{}} = {v(INT, 1)}, {v(INT, 1)}",
            lambda: f"{{}}, {{}} = [{v(INT, 1)}, {v(INT, 1)}]",
            lambda: f"{{}}, *{{}} = {v(LIST, 1)}",
            lambda: f"*{{}}, {{}} = {v(TUPLE, 1)}",
            lambda: f"({{}}, {{}}) = {v(self.one(LIST, TUPLE), 1)}",
            lambda: f"{{}} = {{}} = {v(INT, 1)}",
        ])()  # fmt: skip
        starred = "*{}" in text
        first = LIST if text.startswith("*") else INT
        second = LIST if starred and not text.startswith("*") else INT
        for kind in (first, second):
            text = text.replace("{}", self.new(kind), 1)
        self.line(text)
        if self.chance(0.3):
            one, two = self.known(INT), self.known(INT)
            self.line(f"{one}, {two} = {two}, {one}")

    def s_if(self, depth: int, kinds: Mapping[str, int]) -> None:
        test = self.condition(2)
        self.inner(f"if {test}:", depth, kinds)
        if self.chance(0.3):
            self.inner(f"elif {self.condition(1)}:", depth, kinds)
        if self.chance(0.5):
            self.inner("else:", depth, kinds)

    def s_for(self, depth: int, kinds: Mapping[str, int]) -> None:
        v = self.value
        form, names = self.random.choice([
            (lambda: f"{v(self.one(LIST, TUPLE, SET), 1)}", {INT: 1}),
            (lambda: f"range({self.one('2', '3', v(INT, 1))})", {INT: 1}),
            (lambda: f"enumerate({v(LIST, 1)})", {INT: 2}),
            (lambda: f"{v(DICT, 1)}", {STR: 1}),
            (lambda: f"{v(STR, 1)}", {STR: 1}),
            (lambda: f"{v(WORDS, 1)}", {STR: 1}),
            (lambda: f"zip({v(LIST, 1)}, {v(LIST, 1)})", {INT: 2}),
            (lambda: f"{v(DICT, 1)}.items()", {STR: 1, INT: 1}),
        ])  # fmt: skip
        over = form()
        kinds_of = [kind for kind, count in names.items() for _ in range(count)]
        made = [self.new() for _ in kinds_of]
        self.line(f"for {', '.join(made)} in {over}:")
        before, was = dict(self.names), self.in_loop
        self.names.update(zip(made, kinds_of, strict=True))
        self.indent += 1
        self.in_loop = True
        self.body(self.random.randint(1, 3), depth, kinds)
        self._leave()
        self.indent -= 1
        self.names, self.in_loop = before, was
        if self.chance(0.2):
            self.inner("else:", depth, kinds)
        if self.chance(0.2):
            self.show(made[0])

    def _leave(self) -> None:
        if self.chance(0.35):
            with self.block(f"if {self.condition(1)}:"):
                if self.names and self.chance(0.5):
                    self.s_change(0, {})
                self.line(self.one("break", "continue", "break"))

    def s_while(self, depth: int, kinds: Mapping[str, int]) -> None:
        self.loops += 1
        count = f"n{self.loops}"
        self.line(f"{count} = {self.one('0', '0', '3', '5')}")
        test = self.one(
            f"{count} < 3",
            f"{count} < {self.value(INT, 1)}",
            f"{count} < 4 and {self.condition(1)}",
            "True",
        )
        with self.block(f"while {test}:", loop=True):
            self.names[count] = INT
            self.line(f"{count} += 1")
            if test == "True" or self.chance(0.3):
                with self.block(f"if {count} > {self.one('0', '2', '3')}:"):
                    self.line("break")
            self.body(self.random.randint(1, 3), depth, kinds)
            self._leave()
        self.names[count] = INT
        if test != "True" and self.chance(0.2):
            self.inner("else:", depth, kinds)

    def s_match(self, depth: int, kinds: Mapping[str, int]) -> None:
        kind = self.one(INT, STR, LIST, DICT, NONE, BOOL)
        with self.block(f"match {self.value(kind, 1)}:"):
            for _ in range(self.random.randint(1, 3)):
                pattern = self.one(
                    self.literal(INT), self.literal(STR), "None", "True", "1 | 2", "'a' | 'bb'",
                    "int()", "str()", "[x]", "[x, *rest]", "{'a': x}", "x if x", "[] | {}", "0.5",
                )  # fmt: skip
                self.inner(f"case {pattern}:", depth, kinds)
            if self.chance(0.6):
                self.inner("case _:", depth, kinds)

    def s_try(self, depth: int, kinds: Mapping[str, int]) -> None:
        with self.block("try:"):
            self.body(self.random.randint(1, 2), depth, kinds)
            if self.chance(0.6):
                self.s_fail(depth, kinds)
            if self.chance(0.4):
                self.s_assign(depth, kinds)
            if self.in_function and self.chance(0.1):
                self.line(f"return {self.some(1)}")
        error = self.one(
            "Exception",
            "ValueError",
            "KeyError",
            "(TypeError, KeyError)",
            "ZeroDivisionError",
            "LookupError",
            "",
        )
        handled = self.chance(0.85)
        if handled:
            name = " as error" if error and self.chance(0.3) else ""
            self.inner(f"except {error}{name}:" if error else "except:", depth, kinds)
            if error and self.chance(0.2):
                self.inner("except Exception:", depth, kinds)
            if self.chance(0.1):
                self.line("    raise")
            if self.chance(0.25):
                self.inner("else:", depth, kinds)
        if not handled or self.chance(0.3):
            self.inner("finally:", depth, kinds)

    def s_fail(self, depth: int, kinds: Mapping[str, int]) -> None:
        """Something that raises, or may."""
        v = self.value
        text = self.random.choice([
            lambda: f"raise {self.one('ValueError', 'KeyError', 'RuntimeError')}({v(STR, 1)})",
            lambda: f"assert {self.condition(1)}, {v(STR, 0)}",
            lambda: f"world.fails({self.one('ValueError', 'KeyError', 'TypeError')})",
            lambda: f"{self.new()} = {v(DICT, 1)}[{self.one(*map(repr, _KEYS))}]",
            lambda: f"{self.new()} = {v(INT, 1)} {self.one('/', '//', '%')} {v(INT, 1)}",
            lambda: f"{self.new()} = {v(STR, 1)} + {v(INT, 1)}",
            lambda: f"{self.new()} = int({v(STR, 1)})",
            lambda: f"{self.new()} = {v(LIST, 1)}[{v(INT, 1)}]",
            lambda: f"{self.new()} = None.x",
        ])()  # fmt: skip
        if self.chance(0.4):
            with self.block(f"if {self.condition(1)}:"):
                self.line(text)
        else:
            self.line(text)

    def s_with(self, depth: int, kinds: Mapping[str, int]) -> None:
        head = self.one(
            "with contextlib.suppress(ValueError):", "with contextlib.suppress(KeyError, TypeError):",
            "with contextlib.nullcontext():", "with world.managed() as m:", "with contextlib.suppress(Exception):",
        )  # fmt: skip
        with self.block(head):
            self.body(self.random.randint(1, 2), depth, kinds)
            if self.chance(0.5):
                self.s_fail(depth, kinds)
            if self.chance(0.5):
                self.s_assign(depth, kinds)

    # Functions

    def define(self, kinds: Mapping[str, int], *, closure: bool = False, depth: int = 1) -> str:
        """Write a function, at the top of the module or here, and give its name."""
        self.made += 1
        name = f"f{self.made}" if closure else f"{{}}_f{self.made}"
        params, defaults = [], []
        names: dict[str, str] = {}
        for index in range(self.random.randint(0, 3)):
            kind = self.one(INT, STR, LIST, DICT, BOOL)
            names[f"p{index}"] = kind
            has_default = bool(defaults) or self.chance(0.35)
            if has_default:
                defaults.append(f"p{index}")
            params.append((f"p{index}", kind, self.literal(kind) if has_default else None))
        text = [f"{n}={d}" if d is not None else n for n, _, d in params]
        star, options, word = self.chance(0.25), self.chance(0.25), self.chance(0.25)
        if star:
            text.append("*rest")
            names["rest"] = TUPLE
        elif word:
            text.append("*")
        if word:
            text.append(f"q={self.literal(INT)}")
            names["q"] = INT
        if options:
            text.append("**options")
            names["options"] = DICT
        kept = (self.names, self.lines, self.indent, self.in_function, self.in_loop)
        outer_names = dict(self.names)
        self.names = {**outer_names, **names} if closure else dict(names)
        self.lines, self.in_function, self.in_loop = [], True, False
        self.indent = self.indent + 1 if closure else 1
        if closure and outer_names and self.chance(0.4):
            shared = self.random.choice(list(outer_names))
            if not shared.startswith(("p", "q", "rest", "options")):
                self.line(f"nonlocal {shared}")
                self.line(f"{shared} = {self.value(outer_names[shared], 1)}")
        elif closure:
            self.names = {
                **{n: k for n, k in outer_names.items() if k in (LIST, DICT, SET)},
                **names,
            }
        returns = self.one(INT, STR, LIST, DICT, BOOL, TUPLE)
        is_generator = self.chance(0.1)
        self.body(
            self.random.randint(0, 3),
            depth,
            {k: w for k, w in kinds.items() if k not in ("define", "call")},
        )
        if is_generator:
            self.line(f"yield {self.value(INT, 1)}")
            self.line(f"yield {self.value(INT, 1)}")
        elif self.chance(0.9):
            self.line(f"return {self.value(returns, 2)}")
        else:
            returns = NONE
        written = self.lines
        (self.names, self.lines, self.indent, self.in_function, self.in_loop) = kept
        head = f"def {name}({', '.join(text)}):"
        if closure:
            self.line(head)
            self.lines += written
        else:
            self.above += [head, *written, ""]
        flags = (
            ("*" if star else "")
            + ("**" if options else "")
            + ("q" if word else "")
            + ("y" if is_generator else "")
        )
        self.functions[name] = (
            [kind for _, kind, d in params] + [str(len(defaults))],
            returns,
            flags,
        )
        return name

    def call(self, name: str) -> tuple[str, str]:
        """A call of a function, and the kind of what it gives."""
        (*kinds, defaults), returns, flags = self.functions[name]
        count = len(kinds)
        given = self.random.randint(count - int(defaults), count)
        if self.chance(0.03):
            given = max(given - 1, 0)
        args = []
        for index, kind in enumerate(kinds[:given]):
            value = self.value(kind, 1)
            late = index >= given - 1 and "*" not in flags and self.chance(0.3)
            args.append(f"p{index}={value}" if late else value)
        if args and "=" not in args[-1] and "*" in flags.replace("**", "") and given == count:
            args += [self.value(INT, 1) for _ in range(self.random.randint(0, 2))]
            if self.chance(0.2):
                args.append(f"*{self.value(LIST, 1)}")
        if "q" in flags and self.chance(0.5):
            args.append(f"q={self.value(INT, 1)}")
        if "**" in flags and self.chance(0.6):
            args.append(f"extra={self.value(INT, 1)}")
        if self.chance(0.08) and all("=" not in arg for arg in args):
            args.append(
                "**{" + (f"'p{given}': {self.literal(kinds[given])}" if given < count else "") + "}"
            )
        text = f"{name}({', '.join(args)})"
        return (f"list({text})", LIST) if "y" in flags else (text, returns)

    def s_define(self, depth: int, kinds: Mapping[str, int]) -> None:
        self.define(kinds, closure=self.chance(0.5))

    def s_call(self, depth: int, kinds: Mapping[str, int]) -> None:
        if not self.functions:
            self.define(kinds)
        callable_here = [n for n in self.functions if n.startswith("{}") or self._is_here(n)]
        if not callable_here:
            callable_here = [self.define(kinds)]
        text, kind = self.call(self.random.choice(callable_here))
        self.line(f"{self.new(kind)} = {text}")

    def _is_here(self, name: str) -> bool:
        return any(line.strip().startswith(f"def {name}(") for line in self.lines)


_NESTING = frozenset({"if", "for", "while", "match", "try", "with", "define"})
