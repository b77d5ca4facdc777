"""Text to records: any log, in any of the usual formats and packings, as Polars frames of bounded size."""

from logbert.lines.format import Format
from logbert.lines.labels import read_labels
from logbert.lines.named import format_names
from logbert.lines.reader import ReadSummary, RecordReader, open_records
from logbert.lines.sources import Skipped

__all__ = ["Format", "ReadSummary", "RecordReader", "Skipped", "format_names", "open_records", "read_labels"]
