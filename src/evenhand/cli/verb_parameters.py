"""The common options as parameters of a verb, one for each field of ``CommonOptions``."""

import inspect
from collections.abc import Callable, Collection
from dataclasses import Field, fields
from functools import wraps
from typing import Annotated, Any, get_args, get_type_hints

from evenhand.cli.file_suggestions import suggesting_files
from evenhand.cli.options import CommonOptions


def with_common_options(
    verb: Callable[..., None], *, omit: Collection[str] = ()
) -> Callable[..., None]:
    """Replace the first parameter of a verb by one option for each field of CommonOptions.

    Fields to omit keep their defaults.
    """
    hints = get_type_hints(CommonOptions, include_extras=True)
    own = [*inspect.signature(verb).parameters.values()][1:]
    offered = [field for field in fields(CommonOptions) if field.name not in omit]

    @wraps(verb)
    def command(**values: Any) -> None:  # noqa: ANN401
        options = CommonOptions(**{field.name: values.pop(field.name) for field in offered})
        with suggesting_files(options.data, options.question_file, options.graph_file):
            verb(options, **values)

    def parameter(field: Field[Any]) -> inspect.Parameter:
        kind, mark = get_args(hints[field.name])
        is_argument = field.name == "data"
        return inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=Annotated[kind, mark],
            default=inspect.Parameter.empty if is_argument else field.default,
        )

    parameters = [parameter(field) for field in offered]
    parameters += [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return command
