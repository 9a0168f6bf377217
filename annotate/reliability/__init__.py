"""Reliability of one criterion, and what its figures can and cannot say. Pure.

`coding` reads rows, `coincidence` holds the forms of alpha, `intervals` the bootstrap,
`agreement` what rater pairs say, `settling` what holds alpha down, `measure` puts them together.
Callers import from here.
"""

from annotate.reliability.agreement import (
    PairAgreement,
    RestAgreement,
    against_the_rest,
    pairwise,
)
from annotate.reliability.coding import Level, Value
from annotate.reliability.measure import (
    Bars,
    Reliability,
    Status,
    applicable,
    applying,
    explain,
    explain_interval,
    notes,
    reliability,
    status,
)
from annotate.reliability.settling import Settling, settling

__all__ = [
    "Bars",
    "Level",
    "PairAgreement",
    "Reliability",
    "RestAgreement",
    "Settling",
    "Status",
    "Value",
    "against_the_rest",
    "applicable",
    "applying",
    "explain",
    "explain_interval",
    "notes",
    "pairwise",
    "reliability",
    "settling",
    "status",
]
