"""Estimates of three target policies from a small log, in exact fractions.

Writes estimators.json beside itself: the log, the policies, and what evaluation/tests/reference.rs
must compute from them to nine decimals. Needs nothing but Python:

    python3 services/placement/tests/reference/estimators.py

The formulas are written out here once more, row by row, and share nothing with the Rust code.
"""

import json
from fractions import Fraction
from pathlib import Path

ROWS = 60
ACTIONS = [3, 5, 8, 13]
POSITIONS = [1, 2]
# Weight of a parent's rate, in impressions, as in evaluation/model.rs.
PRIOR = 1000


def numbers(seed):
    """Whole numbers below 2**16: a linear congruential generator, the same on every machine."""
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield seed >> 48


def make_log():
    draw = numbers(2019)
    log = []
    for _ in range(ROWS):
        action = ACTIONS[next(draw) % len(ACTIONS)]
        position = POSITIONS[next(draw) % len(POSITIONS)]
        # Action 13 is never shown at position 2, and propensities change from row to row.
        if (action, position) == (13, 2):
            action = 8
        log.append({
            "action": action,
            "position": position,
            "reward": next(draw) % 4 == 0,
            "propensity": Fraction(1 + next(draw) % 19, 20),
        })
    return log


def uniform():
    return {(k, a): Fraction(1, len(ACTIONS)) for k in POSITIONS for a in ACTIONS}


def table():
    """Position 1 prefers action 13; position 2 never shows action 3, and 13 without support."""
    return {
        (1, 3): Fraction(1, 10), (1, 5): Fraction(2, 10), (1, 8): Fraction(0), (1, 13): Fraction(7, 10),
        (2, 5): Fraction(1, 2), (2, 8): Fraction(1, 4), (2, 13): Fraction(1, 4),
    }


def of_log(log):
    policy = {}
    for k in POSITIONS:
        means = {}
        for a in ACTIONS:
            logged = [row["propensity"] for row in log if (row["position"], row["action"]) == (k, a)]
            if logged:
                means[a] = sum(logged) / len(logged)
        for a, mean in means.items():
            policy[k, a] = mean / sum(means.values())
    return policy


def rate(rows, parent):
    return (sum(row["reward"] for row in rows) + PRIOR * parent) / (len(rows) + PRIOR)


def model(fold):
    """Click rates by action and position, learnt from the rows of one fold."""
    overall = Fraction(sum(row["reward"] for row in fold), len(fold))
    rates = {}
    for a in ACTIONS:
        of_action = [row for row in fold if row["action"] == a]
        parent = rate(of_action, overall)
        for k in POSITIONS:
            rates[a, k] = rate([row for row in of_action if row["position"] == k], parent)
    return rates


def estimates(log, policy):
    def probability(a, k):
        return policy.get((k, a), Fraction(0))

    n = len(log)
    weights = [probability(row["action"], row["position"]) / row["propensity"] for row in log]
    rewards = [int(row["reward"]) for row in log]
    models = [model(log[1::2]), model(log[0::2])]

    dm = dr = Fraction(0)
    for i, row in enumerate(log):
        q = models[i % 2]
        value = sum(probability(a, row["position"]) * q[a, row["position"]] for a in ACTIONS)
        dm += value
        dr += value + weights[i] * (rewards[i] - q[row["action"], row["position"]])

    logged = {(row["position"], row["action"]) for row in log}
    unsupported = sum(
        probability(a, row["position"])
        for row in log
        for a in ACTIONS
        if (row["position"], a) not in logged
    )
    return {
        "on_policy": Fraction(sum(rewards), n),
        "ipw": sum(w * r for w, r in zip(weights, rewards)) / n,
        "snipw": sum(w * r for w, r in zip(weights, rewards)) / sum(weights),
        "dm": dm / n,
        "dr": dr / n,
        "effective_sample": sum(weights) ** 2 / sum(w * w for w in weights),
        "mean_weight": sum(weights) / n,
        "unsupported": unsupported / n,
        "clicks": sum(r for w, r in zip(weights, rewards) if w > 0),
    }


def plain(value):
    """The nearest double of a fraction."""
    return float(value) if isinstance(value, Fraction) else value


def main():
    log = make_log()
    policies = {"uniform": uniform(), "table": table(), "of_log": of_log(log)}
    result = {
        "log": [{key: plain(value) for key, value in row.items()} for row in log],
        "policies": {
            name: {
                "probabilities": [
                    {"position": k, "action": a, "probability": plain(p)}
                    for (k, a), p in sorted(policy.items())
                ],
                "expected": {key: plain(value) for key, value in estimates(log, policy).items()},
            }
            for name, policy in policies.items()
        },
    }
    path = Path(__file__).with_name("estimators.json")
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
