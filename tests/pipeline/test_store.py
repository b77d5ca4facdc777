from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from logbert.errors import ModelError
from logbert.pipeline import store


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    with store.writing(folder) as partial:
        store.write_json(partial / "pipeline.json", {"format": "hdfs"})
        (partial / "templates").mkdir()
        store.write_arrays(partial / "templates" / "counts.safetensors", {"counts": np.arange(5)})
    return folder


def test_what_is_written_is_read_back(model: Path) -> None:
    store.check(model)
    assert store.read_json(model / "pipeline.json") == {"format": "hdfs"}
    assert store.read_arrays(model / "templates" / "counts.safetensors")["counts"].tolist() == [0, 1, 2, 3, 4]


def test_no_model_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="logbert train"):
        store.check(tmp_path / "nowhere")


@pytest.mark.parametrize("name", ["pipeline.json", "templates/counts.safetensors"])
def test_a_truncated_file_is_noticed(model: Path, name: str) -> None:
    path = model / name
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ModelError, match=rf"damaged or was changed.*{name}"):
        store.check(model)


def test_a_missing_file_is_noticed(model: Path) -> None:
    (model / "pipeline.json").unlink()
    with pytest.raises(ModelError, match=r"pipeline\.json is missing"):
        store.check(model)


def test_a_model_from_the_future_says_to_upgrade(model: Path) -> None:
    manifest = json.loads((model / "manifest.json").read_text())
    manifest["version"] = 99
    (model / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match=r"format version 99.*upgrade logbert"):
        store.check(model)


def test_a_manifest_may_not_point_outside_the_model(model: Path) -> None:
    manifest = json.loads((model / "manifest.json").read_text())
    manifest["files"]["../../etc/passwd"] = "0"
    (model / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="outside the model"):
        store.check(model)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "something else"}'])
def test_a_manifest_that_is_none_is_an_error(model: Path, text: str) -> None:
    (model / "manifest.json").write_text(text)
    with pytest.raises(ModelError):
        store.check(model)


def test_a_folder_with_other_things_in_it_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("precious")
    with pytest.raises(ModelError, match="holds no logbert model"), store.writing(tmp_path):
        pass
    assert (tmp_path / "photo.jpg").read_text() == "precious"


def test_nothing_in_the_store_can_hold_a_pickle() -> None:
    source = Path(store.__file__).parents[1]
    assert not [path for path in source.rglob("*.py") if "import pickle" in path.read_text(encoding="utf-8")]
