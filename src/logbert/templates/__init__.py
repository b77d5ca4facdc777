"""Messages to log keys: masks, grouping, and the table of templates."""

from logbert.templates.masks import Mask, Masks
from logbert.templates.parsed_files import Parsed, write_parsed
from logbert.templates.patterns import Evidence
from logbert.templates.templates import Templates
from logbert.templates.values import ValueReader

__all__ = ["Evidence", "Mask", "Masks", "Parsed", "Templates", "ValueReader", "write_parsed"]
