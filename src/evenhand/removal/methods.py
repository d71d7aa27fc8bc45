"""All methods by name, and a plan by any of them."""

from typing import Any, TypeAlias, get_args

from evenhand.display import ProgressCallback
from evenhand.errors import QuestionError, Remedy, did_you_mean
from evenhand.evidence import Certificate
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
from evenhand.removal.plan import POLICIES, Plan, policies_of

Method: TypeAlias = ModifyData | ModifyGraph
Baseline: TypeAlias = (
    ShuffleProtected | LocalMassaging | LocalPreferentialSampling | RepairAttributes
)

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
