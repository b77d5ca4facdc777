from __future__ import annotations

import subprocess
import sys

import pytest
from sklearn.base import clone

import logbert
from logbert.detectors import PLACES, Detector

DETECTORS = sorted(set(logbert.__all__) - {"Pipeline", "__version__"})
NORMAL = [[1, 2, 3, 4], [1, 3, 2, 4], [1, 2, 2, 3, 4]] * 30


def test_every_detector_of_the_command_line_is_a_name_of_the_package() -> None:
    assert {attribute for _, attribute in PLACES.values()} == set(DETECTORS)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Oracle"):
        logbert.Oracle  # noqa: B018


@pytest.mark.parametrize("name", DETECTORS)
def test_a_detector_is_constructed_cloned_and_changed_as_scikit_learn_does(name: str) -> None:
    detector = getattr(logbert, name)(false_alarms=0.02, seed=3)
    assert isinstance(detector, Detector)
    twin = clone(detector)
    assert type(twin) is type(detector)
    assert twin.get_params() == detector.get_params()
    assert twin.set_params(seed=4) is twin
    assert (twin.get_params()["seed"], detector.get_params()["seed"]) == (4, 3)


@pytest.mark.parametrize("name", DETECTORS)
def test_a_clone_of_a_fitted_detector_is_not_fitted(name: str) -> None:
    quick = {"LogBERT": {"epochs": 1}, "Fusion": {"members": ("novelty",)}}.get(name, {})
    if name in {"DeepLog", "LogAnomaly"}:
        quick = {"steps": 5}
    detector = getattr(logbert, name)(false_alarms=0.05, **quick)
    assert detector.fit(NORMAL) is detector
    assert detector.predict(NORMAL[:3]).shape == (3,)
    with pytest.raises(logbert.errors.InputError, match="call fit first"):
        clone(detector).score(NORMAL)


def test_importing_the_package_imports_neither_torch_nor_scikit_learn_nor_polars() -> None:
    heavy = "sorted({'torch', 'sklearn', 'polars'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys, logbert; dir(logbert); print({heavy})"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
