"""The public log sets: which there are, fetched, checked, and where they lie."""

from logbert.datasets.catalogue import Count, Dataset, Labels, catalogue, dataset_named
from logbert.datasets.places import cache_folder, find, how_to_get

__all__ = ["Count", "Dataset", "Labels", "cache_folder", "catalogue", "dataset_named", "find", "how_to_get"]
