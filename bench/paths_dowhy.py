"""DoWhy's mediation analysis of Adult, for bench/paths.py: run by an interpreter that has it.

PYTHON bench/paths_dowhy.py ROWS.csv "a -> b; c -> b" sex income
"""

import sys
import time
import warnings


def main(file: str, arrows: str, protected: str, decision: str) -> None:
    warnings.simplefilter("ignore")
    begin = time.process_time()
    import pandas as pd  # noqa: PLC0415  # its time is measured
    from dowhy import CausalModel  # noqa: PLC0415

    print(f"DoWhy: import                                                {spent(begin)}")
    rows = pd.read_csv(file)
    edges = [edge.split(" -> ") for edge in arrows.split("; ")]
    graph = "digraph {" + "; ".join(f"{cause} -> {effect}" for cause, effect in edges) + "}"
    begin = time.process_time()
    model = CausalModel(data=rows, treatment=protected, outcome=decision, graph=graph)
    for kind in ("nde", "nie"):
        estimand = model.identify_effect(
            estimand_type=f"nonparametric-{kind}", proceed_when_unidentifiable=True
        )
        estimate = model.estimate_effect(estimand, method_name="mediation.two_stage_regression")
        mediators = ", ".join(estimand.get_mediator_variables())
        print(f"DoWhy: {kind.upper()} {estimate.value:+.4f}, mediator {mediators}")
    print(f"DoWhy: both effects, without errors                          {spent(begin)}")


def spent(begin: float) -> str:
    return f"{time.process_time() - begin:8.3f} s"


if __name__ == "__main__":
    main(*sys.argv[1:])
