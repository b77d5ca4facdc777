"""LogBERT: a Transformer that reads log sequences with keys hidden, and is surprised by what it would not guess.

The files, in the order of the paper: `tokens` (keys to what the network reads), `masking`, `network` (equations 1 to
4), `training` (5 to 7), `views` and `reading` (what a trained network sees and says of sequences), `scoring`,
`choosing`, `explaining`; `config` holds every number, `detector` is the face. torch is imported when a network is first
needed, not before.
"""

from logbert.detectors.logbert.config import LogBERTConfig
from logbert.detectors.logbert.detector import LogBERT

__all__ = ["LogBERT", "LogBERTConfig"]
