"""The ways to remove differences: one list, which the methods and all doors read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A variant of a method, and what it is called by people who do not program.

    In ``title`` {group} stands for the people asked about, {protected} for what divides them.
    ``takes_groups`` says whether the groups whose decisions may change can be named,
    ``favorable`` and ``many_values`` to which decisions the policy applies, and ``in_order``
    whether it differs from others only where values have an order.
    """

    method: str
    name: str = ""
    title: str
    what: str = ""
    guaranteed: bool = False
    takes_groups: bool = False
    only_raise: bool = False
    favorable: bool = True
    many_values: bool = False
    in_order: bool = False


# In the order in which methods are compared.
POLICIES = (
    Policy(
        method="modify-data",
        name="minimal",
        title="Fewest changes",
        what="as few decisions as possible; those of all groups may change",
        guaranteed=True,
        takes_groups=True,
        many_values=True,
    ),
    Policy(
        method="modify-data",
        name="rows",
        title="Fewest rows",
        what="as few rows, however far a value moves",
        guaranteed=True,
        favorable=False,
        many_values=True,
        in_order=True,
    ),
    Policy(
        method="modify-data",
        name="group",
        title="Only decisions of {group}",
        guaranteed=True,
    ),
    Policy(
        method="modify-data",
        name="raise",
        title="Only in people’s favor",
        what="nobody loses a favorable decision",
        guaranteed=True,
        takes_groups=True,
        only_raise=True,
    ),
    Policy(
        method="modify-graph",
        name="quotas",
        title="Nearest to the model",
        what="as near as whole rows come to the best changed distribution",
        guaranteed=True,
    ),
    Policy(
        method="modify-graph",
        name="generate",
        title="A wholly new table",
        what="no row is kept; it follows the changed distribution",
        guaranteed=True,
    ),
    Policy(method="modify-data", name="paper", title="The paper’s rule"),
    Policy(method="modify-data", name="printed", title="The paper’s algorithm as printed"),
    Policy(method="modify-graph", name="sample", title="A random draw from the model"),
    Policy(method="shuffle-protected", title="Shuffle {protected} among the rows"),
    Policy(method="local-massaging", title="Local massaging"),
    Policy(method="local-preferential-sampling", title="Local preferential sampling"),
    Policy(method="repair-attributes", title="Repair the other attributes"),
)


def policies_of(method: str) -> dict[str, Policy]:
    """The policies of a method by name; of a method without policies the one without a name."""
    return {policy.name: policy for policy in POLICIES if policy.method == method}


def policy_of(method: str, name: str) -> Policy:
    """A policy; of methods that have none, whatever variant the name tells."""
    known = policies_of(method)
    return known.get(name) or known[""]
