"""A detection as one self-contained page: for a browser, a phone, an attachment to a ticket."""

from logbert.report.page import write_report

__all__ = ["write_report"]
