"""The ways to remove differences: one list, which the methods and all doors read."""

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """A variant of a method, and what it is called by people who do not program.

    In ``title`` {group} stands for the people asked about, {protected} for what divides them.
    ``takes_groups`` says whether the groups whose decisions may change can be named,
    ``favorable`` and ``many_values`` to which decisions the policy applies, and ``in_order``
    whether it differs from others only where values have an order.
    """

    method: str
    name: str
    title: str
    what: str = ""
    _: KW_ONLY
    guaranteed: bool = False
    takes_groups: bool = False
    favorable: bool = True
    many_values: bool = False
    in_order: bool = False


_FEWEST = "as few decisions as possible; those of all groups may change"
_ROWS = "as few rows, however far a value moves"
_QUOTAS = "as near as whole rows come to the best changed distribution"
_NEW = "no row is kept; it follows the changed distribution"
# In the order in which methods are compared.
POLICIES = (
    Policy(
        "modify-data",
        "minimal",
        "Fewest changes",
        _FEWEST,
        takes_groups=True,
        many_values=True,
        guaranteed=True,
    ),
    Policy(
        "modify-data",
        "rows",
        "Fewest rows",
        _ROWS,
        favorable=False,
        many_values=True,
        in_order=True,
        guaranteed=True,
    ),
    Policy("modify-data", "group", "Only decisions of {group}", guaranteed=True),
    Policy(
        "modify-data",
        "raise",
        "Only in people’s favor",
        "nobody loses a favorable decision",
        takes_groups=True,
        guaranteed=True,
    ),
    Policy("modify-graph", "quotas", "Nearest to the model", _QUOTAS, guaranteed=True),
    Policy("modify-graph", "generate", "A wholly new table", _NEW, guaranteed=True),
    Policy("modify-data", "paper", "The paper’s rule"),
    Policy("modify-data", "printed", "The paper’s algorithm as printed"),
    Policy("modify-graph", "sample", "A random draw from the model"),
    Policy("shuffle-protected", "", "Shuffle {protected} among the rows"),
    Policy("local-massaging", "", "Local massaging"),
    Policy("local-preferential-sampling", "", "Local preferential sampling"),
    Policy("repair-attributes", "", "Repair the other attributes"),
)


def policies_of(method: str) -> dict[str, Policy]:
    """The policies of a method by name; of a method without policies the one without a name."""
    return {policy.name: policy for policy in POLICIES if policy.method == method}


def policy_of(method: str, name: str) -> Policy:
    """A policy; of methods that have none, whatever variant the name tells."""
    known = policies_of(method)
    return known.get(name) or known[""]
