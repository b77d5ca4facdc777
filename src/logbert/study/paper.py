"""What the paper prints: its tables 1 to 3, in percent as it gives them."""

from __future__ import annotations

from typing import Final, NamedTuple


class Printed(NamedTuple):
    """Precision, recall and F1 in percent."""

    precision: float
    recall: float
    f1: float


class Counts(NamedTuple):
    """A row of table 1."""

    messages: int
    anomalous_messages: int
    keys: int
    train_keys: int
    test_normal: int
    test_abnormal: int


DATASETS: Final = ("HDFS", "BGL", "Thunderbird")

TABLE1: Final = {
    "HDFS": Counts(11_172_157, 284_818, 46, 15, 553_366, 10_647),
    "BGL": Counts(4_747_963, 348_460, 334, 175, 10_045, 2_630),
    "Thunderbird": Counts(20_000_000, 758_562, 1_165, 866, 71_155, 45_385),
}

TABLE2: Final = {
    "pca": {
        "HDFS": Printed(5.89, 100.00, 11.12),
        "BGL": Printed(9.07, 98.23, 16.61),
        "Thunderbird": Printed(37.35, 100.00, 54.39),
    },
    "isolation-forest": {
        "HDFS": Printed(53.60, 69.41, 60.49),
        "BGL": Printed(99.70, 18.11, 30.65),
        "Thunderbird": Printed(34.45, 1.68, 3.20),
    },
    "one-class-svm": {
        "HDFS": Printed(2.54, 100.00, 4.95),
        "BGL": Printed(1.06, 12.24, 1.96),
        "Thunderbird": Printed(18.89, 39.11, 25.48),
    },
    "logcluster": {
        "HDFS": Printed(99.26, 37.08, 53.99),
        "BGL": Printed(95.46, 64.01, 76.63),
        "Thunderbird": Printed(98.28, 42.78, 59.61),
    },
    "deeplog": {
        "HDFS": Printed(88.44, 69.49, 77.34),
        "BGL": Printed(89.74, 82.78, 86.12),
        "Thunderbird": Printed(87.34, 99.61, 93.08),
    },
    "loganomaly": {
        "HDFS": Printed(94.15, 40.47, 56.19),
        "BGL": Printed(73.12, 76.09, 74.08),
        "Thunderbird": Printed(86.72, 99.63, 92.73),
    },
    "logbert": {
        "HDFS": Printed(87.02, 78.10, 82.32),
        "BGL": Printed(89.40, 92.32, 90.83),
        "Thunderbird": Printed(96.75, 96.52, 96.64),
    },
}

TABLE3: Final = {
    "logbert-mlkp": {
        "HDFS": Printed(77.54, 78.65, 78.09),
        "BGL": Printed(93.16, 86.46, 89.69),
        "Thunderbird": Printed(97.07, 95.90, 96.48),
    },
    "logbert-vhm": {
        "HDFS": Printed(2.43, 39.17, 4.58),
        "BGL": Printed(71.04, 43.84, 54.22),
        "Thunderbird": Printed(56.58, 43.87, 49.42),
    },
    "logbert": TABLE2["logbert"],
}
