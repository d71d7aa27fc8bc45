"""What a verdict takes for granted, in words and without numbers."""

from evenhand.evidence.graph_origin import GraphOrigin
from evenhand.question import Question

_SCOPES = {
    "causes": "Only the decision causes were examined: in rows that follow the graph exactly "
    "no other block set differs by more, but in finite data one can.",
    "predictions": "Only the causes of the recorded decision were examined: predictions need "
    "not follow the graph, and among people alike in other attributes they can differ by more.",
    "minimal": "The decision causes and all minimal block sets were examined: in finite data a "
    "larger block set can still differ.",
    "all": "All block sets of the graph were examined.",
}


def assumption_sentences(
    question: Question,
    graph_origin: GraphOrigin,
    *,
    scope: str,
    complete: bool,
    pools_others: bool,
    pools_decisions: bool,
    left_out: int,
    dropped: int,
) -> tuple[str, ...]:
    """The sentences that apply, in a fixed order."""
    sentences = {
        "The verdict holds if the graph is right: it lacks no common cause of its "
        "attributes, and every arrow points from cause to effect.": True,
        f"The graph was {graph_origin}.": True,
        f"Only the direct effect of {question.groups_column} on {question.decision} is "
        "measured, not what works through other attributes.": not question.redlining
        and not question.predicts,
        f"People alike in the causes of the recorded {question.predicts} are compared by their "
        f"predictions, {question.decision}; no direct effect of {question.groups_column} on "
        "them is claimed, and a model that does not read it has none.": bool(question.predicts),
        "The verdict is about these predictions, not about the model as a rule for new "
        "rows.": bool(question.predicts),
        f"The verdict is about the direct effect of {question.groups_column} on "
        f"{question.decision}; the effect through {', '.join(question.redlining)} has one of "
        "its own, and nothing is said of other ways.": bool(question.redlining),
        "The threshold was chosen by whoever asked the question.": True,
        "The verdict describes these rows; what they tell about other people is a matter "
        "of statistics.": True,
        _SCOPES["predictions" if question.predicts and scope == "causes" else scope]: complete,
        "Not all block sets that were asked for were examined.": not complete,
        "Where one of the groups is absent nothing is measured, and nothing is said.": True,
        "Certified does not mean anonymous.": True,
        f"All groups other than {question.group} were pooled.": pools_others,
        "Rows of groups that are not compared were left out.": left_out > 0,
        "Rows with missing values were dropped.": dropped > 0,
        "All decisions that are not favorable were pooled.": pools_decisions,
    }
    return tuple(sentence for sentence, applies in sentences.items() if applies)


def state_before(question: Question) -> str:
    """How decisions stood before a release: those of a model were predicted."""
    return "predicted" if question.predicts else "recorded"


def prediction_claim(question: Question) -> dict[str, str]:
    """What a difference of predictions says, under a name; nothing of recorded decisions."""
    alike = f"people alike in the causes of the recorded {question.predicts}"
    return {"claim": f"{alike} get different predictions"} if question.predicts else {}
