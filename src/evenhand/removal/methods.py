"""All methods by name, a plan by any of them, and plans that no rows can be released by."""

from typing import Any, TypeAlias, get_args

from evenhand.display import ProgressCallback
from evenhand.errors import (
    CannotReleaseError,
    QuestionError,
    Remedy,
    did_you_mean,
    listed,
)
from evenhand.evidence import Certificate, Partition
from evenhand.question import Number
from evenhand.question.parse_values import check_seed
from evenhand.removal.baselines import (
    LocalMassaging,
    LocalPreferentialSampling,
    RepairAttributes,
    Seed,
    ShuffleProtected,
)
from evenhand.removal.modify_data import ModifyData
from evenhand.removal.modify_graph import ModifyGraph
from evenhand.removal.plan import (
    POLICIES,
    BaselinePlan,
    Plan,
    RemovalPlan,
    policies_of,
    policy_of,
)

Method: TypeAlias = ModifyData | ModifyGraph
Baseline: TypeAlias = (
    ShuffleProtected | LocalMassaging | LocalPreferentialSampling | RepairAttributes
)

_SHOWN = 5  # subpopulations that a refusal names
_BASELINES: dict[str, type[Baseline]] = {one.name: one for one in get_args(Baseline)}


def named_method(
    method: str,
    policy: str | None = None,
    *,
    margin: Number = 0,
    only: tuple[str, ...] = (),
    rank: str | None = None,
) -> Method | Baseline:
    """The method of a name; without a policy the first of its policies."""
    known = policies_of(method)
    name = policy or next(iter(known), "")
    allowed: Any = margin  # a method reads it
    if method == ModifyData.name:
        return ModifyData(policy=name, margin=allowed, only=only, rank=rank)
    if rank is not None:
        raise QuestionError.of(
            f"{method} does not choose rows by a score.",
            remedy=(
                Remedy("Leave out the rank"),
                Remedy("use modify-data", "method", ModifyData.name),
            ),
        )
    if name in known and method == ModifyGraph.name:
        return ModifyGraph(margin=allowed, generate=name == "generate", sample=name == "sample")
    if name in known:
        return _BASELINES[method]()
    named = [*dict.fromkeys(one.method for one in POLICIES)]
    raise QuestionError.of(
        f"There is no method {method!r}" + (f" with policy {policy!r}." if policy else "."),
        did_you_mean(method, named) if method not in named else "",
        f"Choose one of {', '.join(named)}, with a policy of its own.",
    )


def plan_removal(
    certificate: Certificate,
    *,
    method: Method | Baseline | None = None,
    seed: Seed | None = None,
    progress: ProgressCallback | None = None,
) -> Plan:
    """Plan the change that removes what a certificate found, by default with ``ModifyData``.

    Only baselines, which give no guarantee, use the seed; by default it is derived from the
    counts. ``progress`` is called by the methods that may take long.
    """
    if isinstance(method, Baseline):
        seed = check_seed(seed) if isinstance(seed, int) else seed
        if isinstance(method, LocalMassaging):
            return method.plan(certificate, seed=seed, progress=progress)
        return method.plan(certificate, seed=seed)
    return (method or ModifyData()).plan(certificate)


def check_plan(plan: Plan, *, uncertified: bool) -> None:
    """Refuse a plan that no rows can be released by, before any row is touched."""
    others = sorted({*plan.changed_columns} - {*plan.question.columns})
    if others and isinstance(plan, BaselinePlan):
        raise CannotReleaseError.of(
            f"{plan.method} changes {listed(others)}, and no decision.",
            "Rows are released with other decisions, or other values of the protected "
            "attribute: this method is for comparison alone.",
            Remedy("Use modify-data", "method", "modify-data"),
        )
    if not uncertified and not plan.reaches_criterion:
        raise _out_of_reach(plan)


def _out_of_reach(plan: Plan) -> CannotReleaseError:
    """The plan leaves differences: which, and what would not."""
    after = plan.after if isinstance(plan, RemovalPlan) else None
    claim = plan.indirect if isinstance(plan, RemovalPlan) else None
    found = " ".join(str(one) for one in claim.reasons) if claim else ""
    if after and after.violating:
        left = after.by_strength.tolist()
        places = "; ".join(_place(after, line) for line in left[:_SHOWN])
        more = f" and {len(left) - _SHOWN:,} more" if len(left) > _SHOWN else ""
        found = f"Still at or beyond {plan.question.threshold}: {places}{more}."
    # Policies that take groups reach it unless only some groups may change.
    some = policy_of(plan.method, plan.policy).takes_groups
    return CannotReleaseError.of(
        f"{plan.method} ({plan.policy}) does not reach the criterion.",
        found or "It gives no guarantee.",
        (
            Remedy("Let decisions of more groups change, or of all: leave that out", "only")
            if some
            else Remedy(
                "Use modify-data, which always reaches it with this policy",
                "policy",
                "minimal",
            ),
            Remedy(
                "allow a file whose name says that it is uncertified",
                "uncertified",
                value=True,
            ),
        ),
    )


def _place(partition: Partition, line: int) -> str:
    where = partition.where(line).items()
    alike = ", ".join(f"{name} = {label}" for name, label in where) or "everybody"
    pair = f"{' and '.join(partition.lead_labels(line))}, "
    pair = "" if partition.question.group else pair
    return f"{alike}: {pair}{partition.risk_difference(line)}"
