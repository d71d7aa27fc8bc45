"""Every small change of a module's text that its tests should notice.

Messages, types, decorators and patterns are left alone. A mutant knows its own lines and those
of its statement: Python reports only some lines of a statement that has several, so a test that
runs one of them reaches the mutant. It also knows whether the import of the module runs it.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import shorten

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
    ast.MatMult: ast.Add,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
FUNCTIONS = {"min": "max", "max": "min", "any": "all", "all": "any"}
REMOVABLE = (ast.AugAssign, ast.Raise, ast.Delete, ast.Break, ast.Continue)
WIDTH = 120  # of the texts before and after in the description of a change
UNTOUCHED = {"annotation", "returns", "decorator_list", "pattern"}


@dataclass(frozen=True)
class Mutant:
    """One change: its lines, those of its statement, what it is, and the text with it."""

    lines: range
    statement: range
    at_import: bool
    line: str  # the first of its lines, as it was
    change: str
    text: str


def mutants(source: str) -> Iterator[Mutant]:
    """All changes of a module, in the order of its text."""
    encoded = source.encode()
    starts = [0]  # of each line, in bytes, as the syntax tree counts
    for line in encoded.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    module = ast.parse(source)
    functions = [one for one in ast.walk(module) if isinstance(one, ast.FunctionDef)]
    bodies = [range(one.body[0].lineno, one.end_lineno + 1) for one in functions]
    for node, field, statement in _nodes(module, module):
        for new in _changes(node, field):
            begin = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            text = ast.unparse(new)
            put = f"({text})" if isinstance(new, ast.expr) else text
            yield Mutant(
                range(node.lineno, node.end_lineno + 1),
                _own_lines(statement),
                not any(node.lineno in body for body in bodies),
                encoded[starts[node.lineno - 1] : starts[node.lineno]].decode().strip(),
                f"{shorten(encoded[begin:end].decode(), WIDTH)} → {shorten(text, WIDTH)}",
                (encoded[:begin] + put.encode() + encoded[end:]).decode(),
            )


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement, of one with a body those before it."""
    body = getattr(statement, "body", None)
    end = body[0].lineno if body else statement.end_lineno + 1
    return range(statement.lineno, max(end, statement.lineno + 1))


def _nodes(node: ast.AST, within: ast.AST) -> Iterator[tuple[ast.AST, str, ast.AST]]:
    """The nodes below, each with the field in which it stands and its innermost statement."""
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            # The parts of an f-string have no places of their own before Python 3.12.
            if not isinstance(part, ast.AST) or isinstance(part, ast.JoinedStr):
                continue
            is_strict = isinstance(part, ast.keyword) and part.arg == "strict"
            if field not in UNTOUCHED and not is_strict:
                statement = part if isinstance(part, ast.stmt) else within
                yield part, field, statement
                yield from _nodes(part, statement)


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
    """Nothing in place of a statement that binds no name, and no value to return.

    A name is only unbound to free memory, or because nobody uses it.
    """
    match node:
        case ast.Delete([ast.Name()]):
            return
        case ast.Return(value) if value and ast.unparse(value) != "None":
            yield ast.Return(ast.Constant(None))
        case ast.Assign([ast.Attribute() | ast.Subscript(), *_]):
            yield ast.Pass()
        case ast.Expr(value) if not isinstance(value, ast.Constant):
            yield ast.Pass()
        case _ if isinstance(node, REMOVABLE):
            yield ast.Pass()
