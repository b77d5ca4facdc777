"""What a log key's text says: whether it speaks of failure or of routine."""

from logbert.detectors.words.judging import Evidence, Judgement
from logbert.detectors.words.lexicon import Lexicon
from logbert.detectors.words.words import Words

__all__ = ["Evidence", "Judgement", "Lexicon", "Words"]
