"""Coefficients of the logistic models, the constant last.

`python -m research.benchmarks.confidence fit` finds them; the features are in `features.py` and
`context.py`.
"""

JOINT: tuple[float, ...] = (
    0.1897,
    -0.0066,
    -0.2784,
    -0.3308,
    -0.7038,
    -0.0045,
    -0.0590,
    0.1201,
    3.8102,
    -2.3092,
)
CONTEXT: tuple[float, ...] = (0.7675, 1.6876, 3.3743, 0.1596, -2.6399)
# In place of CONTEXT for boards of few pieces; `confidence.py fit-small` finds them.
SMALL_CONTEXT: tuple[float, ...] = (
    0.2033,
    1.2732,
    1.2563,
    0.1231,
    3.2935,
    3.4305,
    -0.4279,
    0.5578,
    -6.1182,
)
