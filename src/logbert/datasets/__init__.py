"""The public log sets: which there are, fetched, checked, and where they lie."""

from logbert.datasets.catalogue import Count, Dataset, Labels, all_sets, dataset_named
from logbert.datasets.getting import Got, get
from logbert.datasets.places import cache_folder, find, how_to_evaluate, how_to_get, logs_in
from logbert.datasets.states import state
from logbert.datasets.verifying import Finding, Verdict, folder_of, verify

__all__ = [
    "Count",
    "Dataset",
    "Finding",
    "Got",
    "Labels",
    "Verdict",
    "all_sets",
    "cache_folder",
    "dataset_named",
    "find",
    "folder_of",
    "get",
    "how_to_evaluate",
    "how_to_get",
    "logs_in",
    "state",
    "verify",
]
