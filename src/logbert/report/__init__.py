"""A detection as a file: a page for people, or rows for programs."""

from logbert.report.files import check_ending, write_detection
from logbert.report.page import write_report

__all__ = ["check_ending", "write_detection", "write_report"]
