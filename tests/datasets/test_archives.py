from __future__ import annotations

import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from logbert.datasets.archives import (
    DamagedError,
    is_one_packed_file,
    is_tar,
    is_zip,
    member_of_packed,
    members_of_tar,
    members_of_zip,
    read_chunks,
    reading,
)
from logbert.datasets.limits import Budget, Limits
from logbert.datasets.receipt import FileRecord
from logbert.datasets.unpacking import Cut, write_members
from logbert.errors import InputError
from logbert.progress import SILENT

LIMITS = Limits(times=100, at_least=1 << 16, files=50)
LINES = b"".join(b"line %d\n" % number for number in range(1000))


def make_zip(path: Path, files: dict[str, bytes], modes: dict[str, int] | None = None) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (modes or {}).get(name, stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content)
    return path


def make_tar(path: Path, files: dict[str, bytes | tarfile.TarInfo], packing: str = "gz") -> Path:
    with tarfile.open(path, f"w:{packing}") as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
                continue
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return path


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, target
    return entry


def unpack(
    path: Path, folder: Path, limits: Limits = LIMITS, cut: Cut | None = None, chunks: Iterator[bytes] | None = None
) -> tuple[tuple[FileRecord, ...], list[str]]:
    """Unpack, and give the records and what was left out."""
    left_out: list[str] = []
    folder.mkdir()
    budget = Budget(path.name, limits, path.stat().st_size if is_zip(path.name) else 0)
    if is_zip(path.name):
        members = members_of_zip(path, budget, left_out.append)
    elif is_tar(path.name):
        members = members_of_tar(chunks or read_chunks(path), budget, left_out.append)
    else:
        members = member_of_packed(chunks or read_chunks(path), "it.log", budget)
    with reading(path.name, "remove it"), SILENT.step("") as step:
        return write_members(members, folder, path.name, step, cut), left_out


def held(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", ["a.zip", "a.tar", "a.tar.gz", "a.tar.bz2", "a.tar.xz", "a.tgz"])
def test_what_went_in_comes_out(tmp_path: Path, kind: str) -> None:
    files = {"HDFS.log": LINES, "preprocessed/anomaly_label.csv": b"BlockId,Label\nblk_1,Normal", "empty.txt": b""}
    if kind == "a.zip":
        path = make_zip(tmp_path / kind, {"preprocessed/": b"", **files})
    else:
        folder = special("preprocessed", tarfile.DIRTYPE)
        packing = {"tar": "", "tgz": "gz"}.get(kind.rsplit(".", maxsplit=1)[-1], kind.rsplit(".", maxsplit=1)[-1])
        path = make_tar(tmp_path / kind, {"preprocessed": folder, **files}, packing)
    records, left_out = unpack(path, tmp_path / "out")
    assert held(tmp_path / "out") == files
    assert not left_out
    assert [(record.path, record.bytes, record.lines) for record in records] == [
        ("HDFS.log", len(LINES), 1000),
        ("preprocessed/anomaly_label.csv", 26, 2),  # its last line has no end
        ("empty.txt", 0, 0),
    ]


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress], ids=["gz", "xz"])
def test_a_packed_log_is_one_member(tmp_path: Path, pack: object) -> None:
    path = tmp_path / "spirit2.gz"
    path.write_bytes(pack(LINES))  # type: ignore[operator]
    assert is_one_packed_file(path.name)
    unpack(path, tmp_path / "out")
    assert held(tmp_path / "out") == {"it.log": LINES}


EVIL_NAMES = [
    "../evil",
    "a/../../evil",
    "/etc/evil",
    "..\\evil",
    "C:\\evil",
    "C:evil",
    "\\\\host\\share\\evil",
    "a/..",
    "line\nbreak",
]


@pytest.mark.parametrize("name", EVIL_NAMES)
@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str, kind: str) -> None:
    files = {"good.log": b"fine\n", name: b"evil"}
    path = make_zip(tmp_path / kind, files) if kind == "a.zip" else make_tar(tmp_path / kind, {**files})
    with pytest.raises(InputError, match="no path below the folder"):
        unpack(path, tmp_path / "deep")
    assert sorted(path.name for path in tmp_path.rglob("*")) == [kind, "deep", "good.log"]


def test_links_and_devices_are_left_out_and_nothing_is_written_through_them(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    path = make_tar(
        tmp_path / "a.tar.gz",
        {
            "door": special("door", tarfile.SYMTYPE, str(outside)),
            "door/evil": b"evil",
            "hard": special("hard", tarfile.LNKTYPE, "/etc/hostname"),
            "pipe": special("pipe", tarfile.FIFOTYPE),
            "device": special("device", tarfile.CHRTYPE),
            "good.log": b"fine\n",
        },
    )
    _, left_out = unpack(path, tmp_path / "out")
    assert left_out == ["door", "hard", "pipe", "device"]
    assert held(tmp_path / "out") == {"door/evil": b"evil", "good.log": b"fine\n"}
    assert not any(outside.iterdir())
    assert not any(path.is_symlink() for path in (tmp_path / "out").rglob("*"))


def test_a_link_in_a_zip_is_left_out(tmp_path: Path) -> None:
    files = {"door": b"/etc", "good.log": b"fine\n"}
    path = make_zip(tmp_path / "a.zip", files, modes={"door": stat.S_IFLNK | 0o777})
    _, left_out = unpack(path, tmp_path / "out")
    assert left_out == ["door"]
    assert held(tmp_path / "out") == {"good.log": b"fine\n"}


def bomb(path: Path) -> Path:
    zeros = bytes(30_000_000)  # packs to a thousandth
    if path.name.endswith(".zip"):
        return make_zip(path, {"bomb.log": zeros})
    if path.name.endswith(".tar.gz"):
        return make_tar(path, {"bomb.log": zeros})
    path.write_bytes(gzip.compress(zeros))
    return path


@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz", "a.gz"])
def test_a_bomb_is_stopped_long_before_it_is_unpacked(tmp_path: Path, kind: str) -> None:
    path = bomb(tmp_path / kind)
    with pytest.raises(
        InputError, match=r"unpacks to more than .*B of it \(100 times as much\); it is not the published"
    ):
        unpack(path, tmp_path / "out")
    written = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*"))
    assert written <= 100 * path.stat().st_size < 30_000_000


def test_a_bomb_in_the_headers_of_a_tar_is_stopped_too(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("log")
    entry.pax_headers = {"comment": "x" * 30_000_000}
    path = make_tar(tmp_path / "a.tar.gz", {"log": entry})
    with pytest.raises(InputError, match="unpacks to more than"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz"])
def test_a_flood_of_files_is_stopped(tmp_path: Path, kind: str) -> None:
    files = {f"{number}.log": b"" for number in range(51)}
    path = make_zip(tmp_path / kind, files) if kind == "a.zip" else make_tar(tmp_path / kind, {**files})
    with pytest.raises(InputError, match="holds more than 50 files"):
        unpack(path, tmp_path / "out")


def test_a_small_archive_may_hold_a_large_log() -> None:
    assert Budget("tiny.zip", packed=10).allowance == 1 << 26


@pytest.mark.parametrize("twin", ["HDFS.log", "hdfs.LOG", "./HDFS.log"])
def test_two_files_of_one_name_are_refused(tmp_path: Path, twin: str) -> None:
    path = make_tar(tmp_path / "a.tar", {"HDFS.log": b"one\n"}, "")
    with tarfile.open(path, "a") as archive:
        entry = tarfile.TarInfo(twin)
        entry.size = 4
        archive.addfile(entry, io.BytesIO(b"two\n"))
    with pytest.raises(InputError, match="twice"):
        unpack(path, tmp_path / "out")


def test_an_archive_cannot_bring_its_own_receipt(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"logbert-receipt.json": b"{}"})
    with pytest.raises(InputError, match="twice"):
        unpack(path, tmp_path / "out")


def test_a_file_that_is_a_folder_too_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a": b"file", "a/b": b"below it"})
    with pytest.raises(InputError, match="cannot be written to"):
        unpack(path, tmp_path / "out")


def test_what_a_mac_adds_is_no_log(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"__MACOSX/._a.log": b"x", "._a.log": b"x", ".DS_Store": b"x", "a.log": b"a\n"})
    unpack(path, tmp_path / "out")
    assert held(tmp_path / "out") == {"a.log": b"a\n"}


@pytest.mark.parametrize("kind", ["a.zip", "a.tar.gz", "a.tar.xz", "a.gz"])
def test_an_archive_cut_short_is_damaged(tmp_path: Path, kind: str) -> None:
    whole = tmp_path / kind
    if kind == "a.zip":
        make_zip(whole, {"a.log": LINES})
    elif kind == "a.gz":
        whole.write_bytes(gzip.compress(LINES))
    else:
        make_tar(whole, {"a.log": LINES}, kind.rsplit(".", maxsplit=1)[-1])
    content = whole.read_bytes()
    whole.write_bytes(content[: len(content) * 2 // 3])
    with pytest.raises(DamagedError, match=f"{kind}: .*remove it"):
        unpack(whole, tmp_path / "out")


def test_a_zip_whose_bytes_are_wrong_is_damaged(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.log": LINES})
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(DamagedError):
        unpack(path, tmp_path / "out")


def test_a_zip_packed_in_an_unknown_way_is_not_called_damaged(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.log": LINES})
    content = bytearray(path.read_bytes())
    for start, offset in ((b"PK\x01\x02", 10), (b"PK\x03\x04", 8)):
        content[content.index(start) + offset] = 9  # Deflate64, as some Windows programs pack
    path.write_bytes(content)
    with pytest.raises(InputError, match="unpack it with another program") as error:
        unpack(path, tmp_path / "out")
    assert not isinstance(error.value, DamagedError)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"a.log": b"secret\n"})
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="encrypted"):
        unpack(path, tmp_path / "out")


def test_a_cut_zip_holds_the_first_lines_of_the_log_and_all_of_the_rest(tmp_path: Path) -> None:
    path = make_zip(tmp_path / "a.zip", {"HDFS.log": LINES, "labels.csv": LINES})
    records, _ = unpack(path, tmp_path / "out", cut=Cut("HDFS.log", 10, then_stop=False))
    assert [record.lines for record in records] == [10, 1000]
    assert held(tmp_path / "out")["HDFS.log"].splitlines() == LINES.splitlines()[:10]


@pytest.mark.parametrize("kind", ["a.tar.gz", "a.gz"])
def test_a_stream_is_read_no_further_than_the_lines_go(tmp_path: Path, kind: str) -> None:
    # Noise, which does not pack: 4 MB of it are 4 MB to fetch.
    import random

    noise = random.Random(3).randbytes(4_000_000).replace(b"\n", b"")
    content = LINES + noise
    path = tmp_path / kind
    if kind == "a.gz":
        path.write_bytes(gzip.compress(content))
    else:
        make_tar(path, {"it.log": content, "later.txt": b"not wanted"})
    read = 0

    def chunks() -> Iterator[bytes]:
        nonlocal read
        with path.open("rb") as file:
            while chunk := file.read(1 << 16):
                read += len(chunk)
                yield chunk

    records, _ = unpack(path, tmp_path / "out", cut=Cut("it.log", 1000, then_stop=True), chunks=chunks())
    assert held(tmp_path / "out") == {"it.log": LINES}
    assert [record.lines for record in records] == [1000]
    assert read < 2_000_000


def test_a_log_shorter_than_asked_for_is_taken_whole(tmp_path: Path) -> None:
    path = make_tar(tmp_path / "a.tar.gz", {"it.log": LINES, "later.txt": b"x"})
    records, _ = unpack(path, tmp_path / "out", cut=Cut("it.log", 5000, then_stop=True))
    assert [(record.path, record.lines) for record in records] == [("it.log", 1000), ("later.txt", 1)]
