"""Messages to log keys: masks, grouping, and the table of templates."""

from logbert.templates.masks import Mask, Masks
from logbert.templates.patterns import Evidence
from logbert.templates.templates import Templates

__all__ = ["Evidence", "Mask", "Masks", "Templates"]
