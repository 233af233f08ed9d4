"""Follows assignments: into names, configurations, objects and dictionaries."""

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from omegaconf import DictConfig, ListConfig

from reviewers.facts.config_flow import access, cells, operations
from reviewers.facts.config_flow.access import AccessError
from reviewers.facts.config_flow.arguments import Namespace
from reviewers.facts.config_flow.calls import Calls
from reviewers.facts.config_flow.cells import Cell, Count, Each
from reviewers.facts.config_flow.data_values import DataSets, Row, Tokenizer
from reviewers.facts.config_flow.operations import LONGEST_LIST, PASSING, PLAIN
from reviewers.facts.config_flow.values import (
    ANYTHING,
    MORE,
    UNKNOWN,
    External,
    Instance,
    ProblemKind,
    Scope,
    Unordered,
    Value,
    forget,
    is_open,
)
from reviewers.records import Span


class Assignments(Calls):
    """Binding of targets over scopes of partly known values."""

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        added = self.value(node.value, scope)
        before = self.value(_loading(node.target), scope)
        if type(before) is list and isinstance(node.op, ast.Add):
            items = self.turns(added)
            known = items is not None and not self.may_be_undone and len(before) < LONGEST_LIST
            before.extend(items[:LONGEST_LIST] if known and items is not None else [MORE])
            return
        if type(before) in (dict, Unordered) or type(before) is list:
            # It is changed in place, for whoever else holds it.
            found = self.attempt(
                lambda: operations.operation(before, added, type(node.op)), node, scope
            )
            items = found if type(found) is type(before) and not self.may_be_undone else None
            forget(before)
            if isinstance(items, dict):
                del before[ANYTHING]
                before.update(items)
            elif items is not None:
                before[:] = items
            return
        found = self.attempt(
            lambda: operations.operation(before, added, type(node.op)), node, scope
        )
        # A loop over rows goes on counting where we take one turn.
        self.assign(node.target, UNKNOWN if isinstance(found, Count) else found, scope)

    def _delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                scope.names[target.id] = UNKNOWN
            elif isinstance(target, ast.Subscript):
                key = self.value(target.slice, scope)
                self._take_away(self.value(target.value, scope), key, target, scope)
            elif isinstance(target, ast.Attribute):
                self._take_away(self.value(target.value, scope), target.attr, target, scope)

    def _take_away(self, owner: Value, key: Value, target: ast.expr, scope: Scope) -> None:
        if isinstance(owner, dict) and isinstance(key, str | int):
            if self.may_be_undone or key not in owner or type(owner) is not dict:
                owner[ANYTHING] = UNKNOWN
            owner.pop(key, None)
        elif isinstance(owner, dict):
            forget(owner)
        elif isinstance(owner, Instance):
            owner.attributes.pop(key, None)
        elif isinstance(owner, list):
            self._change_list(owner, partial(owner.__delitem__, key), key)
        elif isinstance(owner, DictConfig) and isinstance(key, str) and not self._doubts:
            self.attempt(lambda: access.delete(owner, key), target, scope)

    def assign(self, target: ast.expr, value: Value, scope: Scope) -> None:
        """Bind a name, or write into a configuration or object."""
        match target:
            case ast.Name():
                home = scope.outer.get(target.id)
                # Who else binds a name that several functions share is not followed.
                (home or scope).names[target.id] = (
                    UNKNOWN if home is not None and isinstance(value, PLAIN) else value
                )
            case ast.Tuple() | ast.List():
                items = self.turns(value)
                known = items is not None and len(items) == len(target.elts)
                for index, part in enumerate(target.elts):
                    self.assign(
                        part, items[index] if known and items is not None else UNKNOWN, scope
                    )
            case ast.Starred():
                self.assign(target.value, UNKNOWN, scope)
            case ast.Attribute():
                self._assign_attribute(target, self.value(target.value, scope), value, scope)
            case ast.Subscript():
                self._assign_item(
                    target,
                    self.value(target.value, scope),
                    self.value(target.slice, scope),
                    value,
                    scope,
                )

    def _assign_attribute(
        self, target: ast.Attribute, owner: Value, value: Value, scope: Scope
    ) -> None:
        if isinstance(owner, Instance):
            before = owner.attributes.get(target.attr, value)
            unsure = self.may_be_undone and (isinstance(value, PASSING) or before is not value)
            owner.attributes[target.attr] = UNKNOWN if unsure else value
        elif isinstance(owner, Namespace):
            owner.values[target.attr] = UNKNOWN if self.may_be_undone else value
        elif isinstance(owner, External) and (owner.name, target.attr) == ("sys", "argv"):
            known = isinstance(value, list) and not self.is_unsure
            self.argv = value if known and isinstance(value, list) else None
        elif isinstance(owner, Tokenizer) and target.attr.startswith("pad_token"):
            owner.pads = None
        elif isinstance(owner, DictConfig):
            self._write(owner, target.attr, value, target, scope)
        elif (isinstance(owner, PLAIN) and not isinstance(owner, bool)) or type(owner) is dict:
            self.not_a_mapping(owner, target.attr, target, scope)

    def _assign_item(
        self, target: ast.Subscript, owner: Value, key: Value, value: Value, scope: Scope
    ) -> None:
        if isinstance(owner, DictConfig | ListConfig) and isinstance(key, str | int):
            self.note_created(owner, key, value, target, scope)
            self._write(owner, key, value, target, scope)
        elif isinstance(owner, list) and isinstance(key, int | slice):
            items = value if isinstance(key, int) else self.turns(value)
            keys = UNKNOWN if items is None else key
            self._change_list(owner, partial(list.__setitem__, owner, key, items), keys)
        elif isinstance(owner, list):
            forget(owner)
        elif isinstance(owner, DataSets):
            owner[key if isinstance(key, str) else ANYTHING] = UNKNOWN if self._doubts else value
        elif isinstance(owner, dict):
            known = isinstance(key, str | int)
            if not known and type(owner) is dict:  # it may be any that is there already
                owner.update((name, UNKNOWN) for name, at in owner.items() if isinstance(at, PLAIN))
            if self.may_be_undone or not known:
                owner[key if known and key in owner else ANYTHING] = (
                    UNKNOWN if isinstance(value, PASSING) else value
                )
            else:
                owner[key] = value
                if isinstance(owner, Row):
                    owner.maybe -= {key}
        elif isinstance(owner, list):
            if isinstance(key, int) and -len(owner) <= key < len(owner):
                owner[key] = UNKNOWN if self.is_unsure else value
            else:
                owner.append(MORE)
        elif isinstance(owner, Cell):
            span = Span(scope.file.path, target.lineno, target.end_lineno)
            cells.write(owner, key, value, span, is_unsure=self.may_be_undone)
        elif isinstance(owner, Each):
            owner.item = UNKNOWN
        elif owner is None:
            message = "'NoneType' object does not support item assignment"
            self.report(
                AccessError(ProblemKind.INVALID_VALUE, "TypeError", message, ""), target, scope
            )

    def _change_list(self, items: list[Value], change: Callable[[], None], key: Value) -> None:
        """Do what changes a list, where it is known that it is done, and where."""
        bounds = (key.start, key.stop, key.step) if isinstance(key, slice) else [key]
        known = all(isinstance(bound, int | None) for bound in bounds) and type(items) is list
        if known and not self.may_be_undone and not is_open(items):
            try:
                change()
            except (IndexError, ValueError):
                forget(items)
        else:
            forget(items)

    @contextmanager
    def opened(self, config: DictConfig | ListConfig) -> Iterator[None]:
        """Struct mode is off meanwhile; OmegaConf goes through all values below to say so."""
        self.spend(2 * access.size(config))
        with access.struct_mode_off(config):
            yield

    def _write(
        self,
        owner: DictConfig | ListConfig,
        key: str | int,
        value: Value,
        node: ast.expr,
        scope: Scope,
    ) -> None:
        self.spend(access.STEPS + access.size(value) * 5)
        if self.may_be_undone:
            value = UNKNOWN
        try:
            access.write(owner, key, value, as_attribute=isinstance(node, ast.Attribute))
        except AccessError as error:
            self.report(error, node, scope)
            with self.opened(owner):
                try:
                    access.write(owner, key, value, as_attribute=isinstance(node, ast.Attribute))
                except AccessError:
                    return


def _loading(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    """The same place, read."""
    if isinstance(target, ast.Name):
        return ast.copy_location(ast.Name(target.id, ast.Load()), target)
    if isinstance(target, ast.Attribute):
        return ast.copy_location(ast.Attribute(target.value, target.attr, ast.Load()), target)
    return ast.copy_location(ast.Subscript(target.value, target.slice, ast.Load()), target)
