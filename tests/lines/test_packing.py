"""Packed files are known by what they hold, and damage is never taken for an end."""

from __future__ import annotations

import bz2
import gzip
import lzma
from pathlib import Path

import pytest
import zstandard

from logbert.errors import InputError
from logbert.lines import open_records
from logbert.lines.streams import Intake, read_blocks

TEXT = b"".join(b"2024-05-01 10:%02d:%02d INFO app: request %d done\n" % (n // 60, n % 60, n * n) for n in range(3000))
PACKERS = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "plain": bytes,
}
PACKED = [name for name in PACKERS if name != "plain"]


def read(path: Path, block: int = 1 << 22) -> bytes:
    return b"".join(read_blocks(path, "app.log", block, Intake()))


@pytest.mark.parametrize("packer", PACKERS)
def test_a_file_is_unpacked_whatever_it_is_called(tmp_path: Path, packer: str) -> None:
    path = tmp_path / "app.log"
    path.write_bytes(PACKERS[packer](TEXT))
    assert read(path) == TEXT


@pytest.mark.parametrize("packer", PACKED)
def test_streams_appended_to_one_another_are_one_text(tmp_path: Path, packer: str) -> None:
    path = tmp_path / "app.log"
    half = len(TEXT) // 2
    pack = PACKERS[packer]
    path.write_bytes(pack(TEXT[:half]) + pack(TEXT[half:]) + bytes(1024))
    assert read(path) == TEXT


@pytest.mark.parametrize("packer", PACKED)
def test_a_file_cut_short_gives_its_lines_and_then_an_error_that_counts_them(tmp_path: Path, packer: str) -> None:
    path = tmp_path / "app.log"
    packed = PACKERS[packer](TEXT * 12)
    path.write_bytes(packed[: len(packed) * 4 // 5])
    with pytest.raises(InputError, match=r"app\.log: it ends too early; [\d,]+ lines") as error:
        for frame in open_records([path]):
            assert frame["message"].str.starts_with("request").all()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("packer", ["gzip", "bzip2", "xz"])
def test_a_damaged_file_is_an_error(tmp_path: Path, packer: str) -> None:
    packed = bytearray(PACKERS[packer](TEXT))
    packed[len(packed) // 2] ^= 0xFF
    path = tmp_path / "app.log"
    path.write_bytes(packed)
    with pytest.raises(InputError, match=r"app\.log: it is damaged"):
        read(path)


def test_what_could_be_read_of_a_gzip_cut_short_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "app.log"
    path.write_bytes(gzip.compress(TEXT)[:-4])  # all of the text, but not all of the checksum
    with pytest.raises(InputError, match=r"3,000 lines before that could be read"):
        list(open_records([path]))
