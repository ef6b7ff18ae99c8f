"""Certify true claims and refute false ones."""

from publius.assessment.auditing.exact import (
    audit_channel,
    audit_finite,
    audit_log_channel,
)
from publius.assessment.auditing.lattice import audit_lattice
from publius.assessment.auditing.program import Program
from publius.assessment.auditing.sampled import Plan, audit_sampled
from publius.assessment.auditing.verdict import Verdict

__all__ = [
    "Plan",
    "Program",
    "Verdict",
    "audit_channel",
    "audit_finite",
    "audit_lattice",
    "audit_log_channel",
    "audit_sampled",
]
