"""Every small change of a module, compiled into it behind a switch.

A mutant is a change that a test should notice: another comparison, a constant off by one, a
statement left out. All mutants of a module are compiled at once, and ``__mutant__(n)`` in its
code asks whether the n-th is on: so the module is loaded once for all of them.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass

SWITCH = "__mutant__"
SWAPS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
REMOVABLE = (ast.AugAssign, ast.Raise, ast.Delete, ast.Break, ast.Continue)
# Not code: types, and what a class or function is wrapped in.
UNTOUCHED = {"annotation", "returns", "decorator_list", "pattern"}


@dataclass(frozen=True)
class Mutant:
    """One change: its number, its line, its description, and whether the import runs it."""

    number: int
    line: int
    change: str
    at_import: bool


def weave(source: str) -> tuple[ast.Module, list[Mutant]]:
    """A module's code with a switch for each of its mutants, and the list of them."""
    tree = ast.parse(source)
    weaver = _Weaver()
    weaver.parts(tree)
    return ast.fix_missing_locations(tree), weaver.mutants


class _Weaver:
    def __init__(self) -> None:
        self.mutants: list[Mutant] = []
        self.scope: list[ast.AST] = []
        self.seen: Counter[str] = Counter()

    def switch(self, node: ast.AST, change: str) -> ast.expr:
        """The question whether a new mutant is on."""
        names = [one.name for one in self.scope if not isinstance(one, ast.Lambda)]
        change = f"{'.'.join(names) or 'module'}: {' '.join(change.split())}"
        self.seen[change] += 1
        if (times := self.seen[change]) > 1:
            change += f" ({times})"
        at_import = all(isinstance(one, ast.ClassDef) for one in self.scope)
        number = len(self.mutants) + 1
        self.mutants.append(Mutant(number, node.lineno, change, at_import))
        return ast.Call(ast.Name(SWITCH, ast.Load()), [ast.Constant(number)], [])

    def parts(self, node: ast.AST) -> None:
        """Put switches into the parts of a node."""
        inner = isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda)
        around = ast.unparse(node).split("\n")[0]
        for field, value in ast.iter_fields(node):
            if field in UNTOUCHED:
                continue
            if inner and field == "body":
                self.scope.append(node)
            if isinstance(value, ast.AST):
                setattr(node, field, self.woven(value, around, field))
            elif isinstance(value, list):
                parts = [self.woven(one, around, field) for one in value]
                setattr(node, field, parts)
            if inner and field == "body":
                self.scope.pop()

    def woven(self, node: ast.AST, around: str, field: str) -> ast.AST:
        """A node that its mutants may replace."""
        if not isinstance(node, ast.AST) or (
            isinstance(node, ast.keyword) and node.arg == "strict"
        ):
            return node
        pristine = deepcopy(node)
        changes = [*_changes(pristine, field)]
        text = ast.unparse(pristine).split("\n")[0]
        if isinstance(node, ast.Constant | ast.Name):
            text = f"{around}: {text}"
        switches = [
            (self.switch(pristine, f"{text} → {ast.unparse(new)}"), new) for new in changes
        ]
        self.parts(node)
        for switch, new in switches:
            if isinstance(new, ast.expr):
                node = ast.IfExp(switch, new, node)
            else:
                node = ast.If(switch, [new], [node])
        return node


def _changes(node: ast.AST, field: str) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    tested = field in {"test", "ifs"}
    if tested and not isinstance(node, ast.Compare | ast.BoolOp | ast.UnaryOp):
        yield ast.UnaryOp(ast.Not(), node)
    yield from _other_statements(node)
    yield from _other_operators(node)
    yield from _other_values(node)


def _other_operators(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(left, operators, right):
            for at, operator in enumerate(operators):
                new = [*operators[:at], SWAPS[type(operator)](), *operators[at + 1 :]]
                yield ast.Compare(left, new, right)
        case ast.BinOp(left, operator, right):
            yield ast.BinOp(left, SWAPS[type(operator)](), right)
        case ast.BoolOp(operator, values):
            yield ast.BoolOp(SWAPS[type(operator)](), values)
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            yield operand


def _other_values(node: ast.AST) -> Iterator[ast.expr]:
    """A truth reversed, an integer off by one, the other extreme, a slice without a bound."""
    match node:
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() as value):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Name(name, ast.Load()) if name in FUNCTIONS:
            yield ast.Name(FUNCTIONS[name], ast.Load())
        case ast.Subscript(value, ast.Slice(lower, upper, step), ast.Load()):
            if lower:
                yield ast.Subscript(value, ast.Slice(None, upper, step), ast.Load())
            if upper:
                yield ast.Subscript(value, ast.Slice(lower, None, step), ast.Load())
            if step:
                yield ast.Subscript(value, ast.Slice(lower, upper, None), ast.Load())


def _other_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Nothing in place of a statement that binds no name, and no value to return."""
    match node:
        case ast.Return(value) if value and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Assign([ast.Attribute() | ast.Subscript(), *_]):
            yield ast.Pass()
        case ast.Expr(value) if not isinstance(value, ast.Constant):
            yield ast.Pass()
        case _ if isinstance(node, REMOVABLE):
            yield ast.Pass()
