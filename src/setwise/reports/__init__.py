"""Reports: one self-contained HTML file for each question."""

from setwise.reports.comparison import report_comparison
from setwise.reports.errors import report_errors
from setwise.reports.evaluation import report_evaluation
from setwise.reports.model import report_model
from setwise.reports.report import Report
from setwise.reports.reproduction import report_reproduction
from setwise.reports.section import Figure, Section

__all__ = [
    "Figure",
    "Report",
    "Section",
    "report_comparison",
    "report_errors",
    "report_evaluation",
    "report_model",
    "report_reproduction",
]
