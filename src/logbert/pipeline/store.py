"""The model directory: JSON, Parquet and safetensors under a manifest, never a pickle.

A model is written to a temporary sibling and renamed into place, so that whoever looks sees the old model or the new
one, never half of one. The manifest holds a format version and a SHA-256 of every file; loading checks them all.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from logbert.atomic import whole_folder
from logbert.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt

KIND = "logbert model"
VERSION = 2  # 1 had no ranges of values and gaps: its models are read, and say nothing of those
MANIFEST = "manifest.json"


@contextmanager
def writing(target: Path) -> Iterator[Path]:
    """Give a temporary folder to fill; on success it is sealed with a manifest and becomes `target`.

    An existing model at `target` is replaced; anything else there is left alone and refused.
    """
    refuse_to_overwrite(target)
    with whole_folder(target) as folder:
        yield folder
        _seal(folder)


def refuse_to_overwrite(target: Path) -> None:
    """Raise unless `target` is free, an empty folder, or a model that may be replaced."""
    if target.is_dir():
        if any(target.iterdir()) and not (target / MANIFEST).is_file():
            raise ModelError(f"{target} is a folder that holds no logbert model; name another one for the model")
    elif target.exists():
        raise ModelError(f"{target} is a file; a model is a folder: name another one")


def check(folder: Path) -> dict[str, Any]:
    """Verify a model's manifest and the checksum of every file; give the manifest."""
    if not folder.is_dir():
        raise ModelError(f"there is no model at {folder}; make one with `logbert train INPUT -o {folder}`")
    if not (folder / MANIFEST).is_file():
        raise ModelError(f"{folder} is not a logbert model: it has no {MANIFEST}")
    manifest = read_json(folder / MANIFEST)
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise ModelError(f"{folder} is not a logbert model: its {MANIFEST} says something else")
    version = manifest.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise ModelError(
            f"the model {folder} has format version {version}, this logbert reads up to {VERSION}: upgrade logbert"
        )
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise ModelError(f"the model {folder} is damaged: its {MANIFEST} lists no files; train it again")
    for name, digest in files.items():
        _check_file(folder, name, digest)
    return manifest


def _check_file(folder: Path, name: str, digest: str) -> None:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise ModelError(f"the model {folder} is damaged: its {MANIFEST} names {name!r}, outside the model")
    if not path.is_file():
        raise ModelError(f"the model {folder} is damaged: {name} is missing; train it again or restore it")
    if _digest(path) != digest:
        raise ModelError(
            f"the model {folder} is damaged or was changed by hand: {name} has another checksum; train it again"
        )


def write_json(path: Path, value: object) -> None:
    """Write JSON that people can read and that is the same every time."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_json(path: Path) -> Any:
    """Read JSON; what is not JSON is a damaged model."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {path}: {error}") from error


def write_arrays(path: Path, arrays: dict[str, npt.NDArray[np.generic]]) -> None:
    """Write arrays as safetensors."""
    import numpy as np
    from safetensors.numpy import save_file

    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path)


def read_arrays(path: Path) -> dict[str, npt.NDArray[np.generic]]:
    """Read arrays from safetensors."""
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return dict(load_file(path))
    except (OSError, SafetensorError) as error:
        raise ModelError(f"cannot read {path}: {error}") from error


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _seal(folder: Path) -> None:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    digests = {path.relative_to(folder).as_posix(): _digest(path) for path in files}
    write_json(folder / MANIFEST, {"kind": KIND, "version": VERSION, "files": digests})
