"""LogAnomaly: an LSTM over what keys mean beside one over how often they came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from logbert.detectors.baseline import HELD_OUT
from logbert.detectors.key_texts import KeyTexts
from logbert.detectors.next_key.detector import NextKeyDetector
from logbert.detectors.next_key.meaning import DIMENSIONS, Meaning

if TYPE_CHECKING:
    from logbert.detectors.corpus import Keys, Rows

SCALE = 4.0  # of the meaning vectors, so that a single key moves the gates about as far as a one-hot vector does


class LogAnomaly(NextKeyDetector):
    """Two LSTM branches over the last ten keys predict the next one, after Meng et al. (2019).

    The sequential branch reads what each key means, the quantitative one how often each key came so far; both together
    predict. A key's meaning is a vector made from its template's words, given to `read` before `fit`; a template that
    appears later takes the place of the known one whose words are nearest, if they are near enough, so that a reworded
    message is no anomaly. Without texts the vectors are learnt, and every new key is unseen.

    Beyond the paper, as in DeepLog: START and END, distinct histories weighted by the root of their number, the norm
    of surprises with a boundary from held-out normals. Unlike the paper, word vectors come from hashed letters, not
    from a corpus with synonyms and antonyms; and a new template is not forced on the nearest one if none is near.

    Works where DeepLog does, and where messages get reworded from release to release. It is twice as slow; and two
    templates that differ in the one word that matters are near each other too.

    Parameters
    ----------
    history
        How many keys a prediction looks back on.
    hidden, layers
        Units a layer, and layers, in each branch.
    g
        Candidates a key must be among, by the paper's rule.
    similar
        The cosine from which a new template counts as a known one.
    end
        Whether to predict and judge the end of sequences, where it can be foreseen.
    steps
        Batches to train for, at most; training stops when held-out sequences are no longer predicted better.
    threshold
        "held-out" for the boundary of all detectors, "top-g" for the paper's: any key outside the top g.
    folds
        In how many parts to cross-fit the boundary; 1 for a boundary from a tenth of the sequences.
    false_alarms
        The share of normal sequences that may be flagged.
    seed
        For the choice of held-out sequences, initial weights and the order of training.

    References
    ----------
    W. Meng, Y. Liu, Y. Zhu, S. Zhang, D. Pei, Y. Liu, Y. Chen, R. Zhang, S. Tao, P. Sun, R. Zhou: LogAnomaly:
    unsupervised detection of sequential and quantitative anomalies in unstructured logs. IJCAI 2019.

    Examples
    --------
    >>> words = {1: "Opening file <*>", 2: "Writing block <*>", 3: "Closing file <*>", 9: "Writing blocks <*>"}
    >>> texts = KeyTexts(words)
    >>> detector = LogAnomaly(steps=200, hidden=16).read(texts).fit([[1] + [2] * (n % 3) + [3] for n in range(60)])
    >>> detector.predict([[1, 2, 3], [1, 9, 3], [3, 1], [1, 8, 3]]).tolist()
    [False, False, True, True]
    """

    name: ClassVar[str] = "loganomaly"
    quantitative: ClassVar[bool] = True

    def __init__(
        self,
        *,
        history: int = 10,
        hidden: int = 64,
        layers: int = 2,
        g: int = 9,
        similar: float = 0.8,
        end: bool = True,
        steps: int = 500,
        threshold: str = HELD_OUT,
        folds: int = 1,
        false_alarms: float = 0.001,
        seed: int = 0,
    ) -> None:
        self.history = history
        self.hidden = hidden
        self.layers = layers
        self.g = g
        self.similar = similar
        self.end = end
        self.steps = steps
        self.threshold = threshold
        self.folds = folds
        self.false_alarms = false_alarms
        self.seed = seed

    def _twin(self) -> Self:
        return super()._twin().read(self.texts)

    def _known_texts(self) -> dict[int, str]:
        return {key: self.texts.texts[key] for key in self.vocabulary_.keys.tolist() if key in self.texts.texts}

    def _meaning(self) -> npt.NDArray[np.float32] | None:
        texts = self._known_texts()
        if not texts:
            return None
        meaning = Meaning.of(texts.values())
        alphabet = self._alphabet
        vectors = np.zeros((alphabet.symbols, DIMENSIONS), dtype=np.float32)
        for column, key in enumerate(self.vocabulary_.keys.tolist()):
            vectors[column] = meaning.vector(texts[key] if key in texts else _nameless(key))
        vectors[alphabet.start] = meaning.vector("start")
        return vectors * np.float32(SCALE)

    def _columns(self, keys: Keys) -> Rows:
        columns = self.vocabulary_.columns(keys)
        new = columns == self.vocabulary_.unseen
        if self.meaning_ is None or not new.any():
            return columns
        distinct, inverse = np.unique(keys[new], return_inverse=True)
        columns[new] = self._stand_ins(distinct)[inverse]
        return columns

    def _stand_ins(self, keys: Keys) -> Rows:
        """Give each new key the column of the known one with the nearest words, or of the unseen."""
        known = self._known_texts()
        meaning = Meaning.of(known.values())
        columns = self.vocabulary_.columns(np.array(list(known), dtype=np.int32))
        vectors = np.array([meaning.vector(text) for text in known.values()])
        found = np.full(len(keys), self.vocabulary_.unseen, dtype=np.int64)
        for index, key in enumerate(keys.tolist()):
            if key in self.texts.texts:
                cosines = np.round((vectors * meaning.vector(self.texts.texts[key])).sum(axis=1), 9)
                if cosines.max() >= self.similar:
                    found[index] = columns[cosines.argmax()]
        return found

    def _learnt(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.generic]]]:
        facts, arrays = super()._learnt()
        return {**facts, "texts": self.texts.state()}, arrays

    def _recall(self, facts: dict[str, Any], arrays: dict[str, npt.NDArray[np.generic]]) -> None:
        self.texts = KeyTexts.from_state(facts["texts"])
        super()._recall(facts, arrays)


def _nameless(key: int) -> str:
    """Give a key without text a word of its own, in letters."""
    return "key" + "".join(chr(ord("a") + int(digit)) for digit in str(abs(key)))
