from __future__ import annotations

import errno
import gzip
import hashlib
import io
import random
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from logbert.datasets import Count, Dataset, Got, Labels, get, state
from logbert.datasets.download import Patience
from logbert.datasets.limits import Limits
from logbert.datasets.receipt import read_receipt
from logbert.errors import InputError, OptionError
from logbert.progress import Step
from tests.datasets.server import Answer, Break, File, Server, Swap
from tests.datasets.test_archives import make_tar, make_zip

PATIENCE = Patience(tries=3, sleep=lambda _: None)
NOISE = random.Random(7)
# Lines that do not pack, so that an archive's size says how much of it was fetched.
LOG = b"".join(b"- %d %s\n" % (number, NOISE.randbytes(50).hex().encode()) for number in range(20_000))
LABELS = b"BlockId,Label\nblk_1,Normal\nblk_2,Anomaly\n"


class Listener:
    """A progress that writes down what it is told, and can break in as Ctrl-C does."""

    def __init__(self, break_in_at: float = float("inf")) -> None:
        self.notes: list[str] = []
        self.steps: list[tuple[str, float | None, str]] = []
        self.done = 0.0
        self.break_in_at = break_in_at

    @contextmanager
    def step(self, name: str, total: float | None = None, unit: str = "") -> Iterator[Step]:
        self.steps.append((name, total, unit))
        yield self

    def advance(self, amount: float = 1, **facts: float | str) -> None:
        self.done += amount
        if self.done >= self.break_in_at:
            raise KeyboardInterrupt

    def note(self, text: str) -> None:
        self.notes.append(text)


def published(server: Server, content: bytes, archive: str, **more: object) -> Dataset:
    """Put an archive on the server and give the catalogue's entry of it."""
    server[archive] = content
    fields = {
        "name": "HDFS_v1",
        "about": "a stand-in",
        "archive": archive,
        "base": server.url,
        "page": "https://example.org/record",
        "logs": ("HDFS.log",),
        "bytes": len(content),
        "md5": hashlib.md5(content).hexdigest(),
        "labels": Labels("table", "blocks", "preprocessed/anomaly_label.csv", known=Count(2, 1)),
        "unpacked": len(LOG),
        "lines": 20_000,
        **more,
    }
    return Dataset(**fields)  # type: ignore[arg-type]


@cache
def made(kind: str) -> bytes:
    """Make an archive of the log, once."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / kind
        if kind == "zip":
            make_zip(path, {"HDFS.log": LOG, "preprocessed/anomaly_label.csv": LABELS})
        elif kind == "tar.gz":
            make_tar(path, {"Thunderbird.log": LOG})
        else:
            path.write_bytes(gzip.compress(LOG))
        return path.read_bytes()


@pytest.fixture
def zipped(server: Server) -> Dataset:
    return published(server, made("zip"), "HDFS_v1.zip")


@pytest.fixture
def tarred(server: Server) -> Dataset:
    more = {"name": "Thunderbird", "logs": ("Thunderbird.log",), "labels": None}
    return published(server, made("tar.gz"), "Thunderbird.tar.gz", **more)


@pytest.fixture
def packed(server: Server) -> Dataset:
    unknown = {"bytes": None, "md5": None, "labels": None, "checksums": "not published; the first download's is kept"}
    return published(server, made("gz"), "spirit2.gz", name="Spirit", logs=("spirit2.*",), **unknown)


def fetch(dataset: Dataset, data: Path, **options: object) -> Got:
    return get(dataset, data, patience=PATIENCE, **options)  # type: ignore[arg-type]


def held(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_a_set_is_fetched_checked_and_unpacked(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    data = tmp_path / "data"
    got = fetch(zipped, data)
    assert got.fresh
    assert held(data) == [
        "HDFS_v1/HDFS.log",
        "HDFS_v1/logbert-receipt.json",
        "HDFS_v1/preprocessed/anomaly_label.csv",
    ]
    assert (got.folder / "HDFS.log").read_bytes() == LOG
    assert got.receipt == read_receipt(got.folder)
    assert got.receipt
    assert (got.receipt.md5, got.receipt.published) == (zipped.md5, True)
    assert got.receipt.url == f"{server.url}/HDFS_v1.zip"


def test_a_set_that_is_there_is_not_fetched_again(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    fetch(zipped, tmp_path)
    again = fetch(zipped, tmp_path)
    assert not again.fresh
    assert len(server.requests) == 1


def test_without_a_folder_it_goes_into_the_cache(zipped: Dataset, cache: Path) -> None:
    assert get(zipped, patience=PATIENCE).folder == cache / "datasets" / "HDFS_v1"


def test_a_set_that_lost_a_file_is_fetched_again(zipped: Dataset, tmp_path: Path) -> None:
    got = fetch(zipped, tmp_path)
    (got.folder / "HDFS.log").write_bytes(LOG[:100])
    assert state(zipped, tmp_path) == "damaged"
    assert fetch(zipped, tmp_path).fresh
    assert (got.folder / "HDFS.log").read_bytes() == LOG


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_ctrl_c_leaves_a_part_and_nothing_that_looks_whole(
    zipped: Dataset, tmp_path: Path, server: Server, share: float
) -> None:
    data = tmp_path / "data"
    assert zipped.bytes
    with pytest.raises(KeyboardInterrupt):
        fetch(zipped, data, progress=Listener(break_in_at=share * zipped.bytes))
    assert held(data) == ["HDFS_v1.zip.part", "HDFS_v1.zip.part.json"]
    assert "fetched" in state(zipped, data)
    half = (data / "HDFS_v1.zip.part").stat().st_size
    assert fetch(zipped, data).fresh
    assert server.requests[-1]["range"] == f"bytes={half}-"
    assert held(data)[0].startswith("HDFS_v1/")


def test_ctrl_c_while_unpacking_leaves_the_archive_and_the_next_run_fetches_nothing(
    zipped: Dataset, tmp_path: Path, server: Server
) -> None:
    data = tmp_path / "data"
    assert zipped.bytes
    with pytest.raises(KeyboardInterrupt):
        fetch(zipped, data, progress=Listener(break_in_at=zipped.bytes + 1000))
    assert held(data) == ["HDFS_v1.zip"]
    assert state(zipped, data) == "fetched"
    fetch(zipped, data)
    assert len(server.requests) == 1
    assert "HDFS_v1.zip" not in held(data)


def test_a_wrong_checksum_is_an_error_and_what_came_is_thrown_away(zipped: Dataset, tmp_path: Path) -> None:
    wrong = replace(zipped, md5="0" * 32)
    with pytest.raises(InputError) as error:
        fetch(wrong, tmp_path / "data")
    message = str(error.value)
    assert f"(MD5 {zipped.md5}) is not the published one ({'0' * 32})" in message
    assert (
        f"fetch it by hand (see https://example.org/record), put it at {tmp_path / 'data' / 'HDFS_v1.zip'}" in message
    )
    assert "\n" not in message
    assert held(tmp_path / "data") == []


def test_a_part_that_was_wrong_is_fetched_anew_on_its_own(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    (tmp_path / "HDFS_v1.zip.part").write_bytes(b"x" * 10_000)
    listener = Listener()
    assert fetch(zipped, tmp_path, progress=listener).fresh
    assert any("beginning anew" in note for note in listener.notes)
    assert [request.get("range") for request in server.requests] == ["bytes=10000-", None]


def test_a_server_that_always_has_another_file_is_given_up(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    content = server["HDFS_v1.zip"].content
    swaps = [act for turn in range(9) for act in (Break(1000), Swap(bytes([turn]) + content[1:]))]
    server["HDFS_v1.zip"] = File(content, acts=[*swaps])
    with pytest.raises(InputError, match="changes at every try"):
        fetch(zipped, tmp_path / "data")


def test_an_archive_put_there_by_hand_is_used(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    (tmp_path / "HDFS_v1.zip").write_bytes(server["HDFS_v1.zip"].content)
    got = fetch(zipped, tmp_path)
    assert not server.requests
    assert got.receipt
    assert got.receipt.url == str(tmp_path / "HDFS_v1.zip")


def test_a_wrong_archive_put_there_by_hand_is_refused_and_left(zipped: Dataset, tmp_path: Path) -> None:
    (tmp_path / "HDFS_v1.zip").write_bytes(b"something else")
    with pytest.raises(
        InputError, match=r"has 14 bytes, the published file .* remove it, and the same command fetches it"
    ):
        fetch(zipped, tmp_path)
    assert held(tmp_path) == ["HDFS_v1.zip"]


def test_a_set_put_there_by_hand_is_taken_as_it_is(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    (tmp_path / "HDFS_v1" / "preprocessed").mkdir(parents=True)
    (tmp_path / "HDFS_v1" / "HDFS.log").write_bytes(LOG)
    (tmp_path / "HDFS_v1" / "preprocessed" / "anomaly_label.csv").write_bytes(LABELS)
    got = fetch(zipped, tmp_path)
    assert (got.fresh, got.receipt) == (False, None)
    assert state(zipped, tmp_path) == "here, by hand"
    assert not server.requests


def test_what_is_not_ours_is_not_replaced(zipped: Dataset, tmp_path: Path) -> None:
    (tmp_path / "HDFS_v1").mkdir()
    (tmp_path / "HDFS_v1" / "notes.txt").write_text("mine")
    with pytest.raises(OptionError, match="holds something else; move it away, or name another folder with -o"):
        fetch(zipped, tmp_path)
    (tmp_path / "HDFS_v1" / "notes.txt").unlink()
    assert fetch(zipped, tmp_path).fresh  # an empty folder is nobody's


@pytest.mark.parametrize("status", [404, 403])
def test_a_missing_file_says_where_to_get_it_by_hand(
    zipped: Dataset, tmp_path: Path, server: Server, status: int
) -> None:
    server["HDFS_v1.zip"] = File(b"", acts=[Answer(status)])
    with pytest.raises(
        InputError, match=rf"\({status}\); or fetch it by hand \(see https://example.org/record\), put it"
    ):
        fetch(zipped, tmp_path / "data")
    assert held(tmp_path / "data") == []


def test_a_mirror_serves_as_well(zipped: Dataset, tmp_path: Path, server: Server) -> None:
    server["mirror/HDFS_v1.zip"] = server["HDFS_v1.zip"].content
    away = replace(zipped, base="http://127.0.0.1:1")
    assert fetch(away, tmp_path, base=f"{server.url}/mirror/").fresh
    with pytest.raises(OptionError, match="no address"):
        fetch(away, tmp_path, base="/mnt/mirror")


def test_the_first_lines_of_a_tar_are_taken_off_the_network_and_no_more(
    tarred: Dataset, tmp_path: Path, server: Server
) -> None:
    listener = Listener()
    server["Thunderbird.tar.gz"] = File(server["Thunderbird.tar.gz"].content, acts=[Break(10_000), Break(20_000)])
    got = fetch(tarred, tmp_path / "data", first=1000, progress=listener)
    assert (got.folder / "Thunderbird.log").read_bytes().splitlines() == LOG.splitlines()[:1000]
    assert held(tmp_path / "data") == ["Thunderbird/Thunderbird.log", "Thunderbird/logbert-receipt.json"]
    assert listener.steps == [("fetching Thunderbird.log", 1000, "lines")]
    assert listener.done == 1000
    assert got.receipt
    assert (got.receipt.first, got.receipt.sha256, got.receipt.published) == (1000, None, False)
    assert state(tarred, tmp_path / "data") == "here, first 1,000"


def test_it_stops_fetching_when_there_are_lines_enough(tmp_path: Path, server: Server) -> None:
    noise = NOISE.randbytes(12_000_000).replace(b"\n", b"")
    path = make_tar(tmp_path / "made.tar", {"Thunderbird.log": LOG + noise}, "")
    dataset = published(server, path.read_bytes(), "Thunderbird.tar", name="Thunderbird", logs=("Thunderbird.log",))
    fetch(replace(dataset, labels=None), tmp_path / "data", first=1000)
    assert server.sent < 9_000_000  # what lay in the network's buffers comes on top of what was read


def test_ctrl_c_within_the_first_lines_leaves_a_part_that_is_taken_up(
    tarred: Dataset, tmp_path: Path, server: Server
) -> None:
    data = tmp_path / "data"
    with pytest.raises(KeyboardInterrupt):
        fetch(tarred, data, first=15_000, progress=Listener(break_in_at=5000))
    assert held(data) == ["Thunderbird.tar.gz.part", "Thunderbird.tar.gz.part.json"]
    half = (data / "Thunderbird.tar.gz.part").stat().st_size
    got = fetch(tarred, data, first=15_000)
    assert (got.folder / "Thunderbird.log").read_bytes() == b"".join(LOG.splitlines(keepends=True)[:15_000])
    assert server.requests[-1]["range"] == f"bytes={half}-"
    assert held(data) == ["Thunderbird/Thunderbird.log", "Thunderbird/logbert-receipt.json"]


def test_more_lines_take_the_place_of_fewer_and_never_the_other_way(tarred: Dataset, tmp_path: Path) -> None:
    log = tmp_path / "Thunderbird" / "Thunderbird.log"
    for first, fresh, lines in [(10, True, 10), (10, False, 10), (20, True, 20), (5, False, 20), (None, True, 20_000)]:
        assert fetch(tarred, tmp_path, first=first).fresh == fresh
        assert log.read_bytes().count(b"\n") == lines
    assert not fetch(tarred, tmp_path, first=10).fresh
    assert log.read_bytes() == LOG


def test_what_was_fetched_for_the_first_lines_is_a_beginning_of_the_whole(
    tarred: Dataset, tmp_path: Path, server: Server
) -> None:
    with pytest.raises(KeyboardInterrupt):
        fetch(tarred, tmp_path, first=15_000, progress=Listener(break_in_at=5000))
    half = (tmp_path / "Thunderbird.tar.gz.part").stat().st_size
    got = fetch(tarred, tmp_path)
    assert (got.folder / "Thunderbird.log").read_bytes() == LOG
    assert server.requests[-1]["range"] == f"bytes={half}-"


def test_the_first_lines_from_an_archive_that_is_there(tarred: Dataset, tmp_path: Path, server: Server) -> None:
    (tmp_path / "Thunderbird.tar.gz").write_bytes(server["Thunderbird.tar.gz"].content)
    got = fetch(tarred, tmp_path, first=10)
    assert (got.folder / "Thunderbird.log").read_bytes().count(b"\n") == 10
    assert not server.requests
    assert (tmp_path / "Thunderbird.tar.gz").exists()  # put there by hand, and more lines may be wanted


def test_the_first_lines_of_a_zip(zipped: Dataset, tmp_path: Path) -> None:
    got = fetch(zipped, tmp_path, first=10)
    assert (got.folder / "HDFS.log").read_bytes().count(b"\n") == 10
    assert (got.folder / "preprocessed" / "anomaly_label.csv").read_bytes() == LABELS
    assert got.receipt
    assert got.receipt.published  # all of it was fetched


def test_a_damaged_stream_leaves_no_part_to_go_on_from(tarred: Dataset, tmp_path: Path, server: Server) -> None:
    content = bytearray(server["Thunderbird.tar.gz"].content)
    content[200_000:200_100] = bytes(100)
    server["Thunderbird.tar.gz"] = bytes(content)
    with pytest.raises(InputError, match=r"is damaged .* what came was thrown away"):
        fetch(tarred, tmp_path / "data", first=15_000)
    assert held(tmp_path / "data") == []


def test_a_damaged_part_is_fetched_anew_on_its_own(tarred: Dataset, tmp_path: Path, server: Server) -> None:
    data = tmp_path / "data"
    with pytest.raises(KeyboardInterrupt):
        fetch(tarred, data, first=15_000, progress=Listener(break_in_at=5000))
    part = data / "Thunderbird.tar.gz.part"
    spoilt = bytearray(part.read_bytes())
    spoilt[100_000:100_100] = bytes(100)
    part.write_bytes(spoilt)
    got = fetch(tarred, data, first=15_000)
    assert (got.folder / "Thunderbird.log").read_bytes().count(b"\n") == 15_000


def test_a_packed_log_stays_packed_but_is_read_through(packed: Dataset, tmp_path: Path) -> None:
    got = fetch(packed, tmp_path)
    assert held(tmp_path) == ["Spirit/logbert-receipt.json", "Spirit/spirit2.gz"]
    assert got.receipt
    assert [(file.path, file.lines) for file in got.receipt.files] == [("spirit2.gz", 20_000)]
    assert got.receipt.sha256 == got.receipt.files[0].sha256
    assert not got.receipt.published


def test_a_packed_log_that_ends_early_is_not_taken_for_whole(packed: Dataset, tmp_path: Path, server: Server) -> None:
    server["spirit2.gz"] = server["spirit2.gz"].content[:-1000]
    with pytest.raises(InputError, match="ends too early"):
        fetch(packed, tmp_path)
    assert not (tmp_path / "Spirit").exists()


def test_the_first_lines_of_a_packed_log(packed: Dataset, tmp_path: Path) -> None:
    got = fetch(packed, tmp_path, first=100)
    assert held(tmp_path) == ["Spirit/logbert-receipt.json", "Spirit/spirit2.log"]
    assert (got.folder / "spirit2.log").read_bytes() == b"".join(LOG.splitlines(keepends=True)[:100])


def test_an_unpublished_checksum_is_kept_and_compared_with_at_the_next_download(
    packed: Dataset, tmp_path: Path, server: Server
) -> None:
    got = fetch(packed, tmp_path)
    (got.folder / "spirit2.gz").unlink()
    server["spirit2.gz"] = gzip.compress(LOG + b"- more\n")
    listener = Listener()
    assert fetch(packed, tmp_path, progress=listener).fresh
    assert any("not the file that was fetched on" in note for note in listener.notes)


def test_the_first_lines_of_many_logs_mean_nothing(zipped: Dataset, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="many logs"):
        fetch(replace(zipped, logs=("**/*.log",)), tmp_path, first=10)
    with pytest.raises(OptionError, match="0 lines are none"):
        fetch(zipped, tmp_path, first=0)


def test_an_archive_without_the_log_is_refused(zipped: Dataset, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no BGL.log, but HDFS.log, preprocessed/anomaly_label.csv"):
        fetch(replace(zipped, logs=("BGL.log",)), tmp_path)
    assert not (tmp_path / "HDFS_v1").exists()


def test_a_bomb_leaves_nothing_unpacked(server: Server, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "made.zip", {"HDFS.log": bytes(5_000_000)})
    dataset = published(server, path.read_bytes(), "HDFS_v1.zip", labels=None)
    path.unlink()
    with pytest.raises(InputError, match="unpacks to more than"):
        fetch(dataset, tmp_path, limits=Limits(times=100, at_least=1000))
    assert held(tmp_path) == ["HDFS_v1.zip"]


def test_an_archive_that_leads_out_leaves_nothing_unpacked(server: Server, tmp_path: Path) -> None:
    path = make_zip(tmp_path / "made.zip", {"HDFS.log": LOG, "../../evil": b"evil"})
    dataset = published(server, path.read_bytes(), "HDFS_v1.zip", labels=None)
    path.unlink()
    with pytest.raises(InputError, match="no path below the folder"):
        fetch(dataset, tmp_path / "data")
    assert held(tmp_path) == ["data/HDFS_v1.zip"]


@pytest.mark.parametrize("first", [None, 10_000])
def test_no_room_to_unpack_is_said_before_anything_is_fetched(
    tarred: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: Server, first: int | None
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 0, 10**6))  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"Thunderbird needs .* MB, and 1.0 MB are free; make room"):
        fetch(tarred, tmp_path, first=first)
    assert not server.requests
    assert held(tmp_path) == []
    assert fetch(tarred, tmp_path, first=100).fresh  # for so few there is room


def test_a_disk_that_fills_up_while_unpacking_leaves_the_archive(
    zipped: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    class Full(io.FileIO):
        def write(self, data: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def open_full(path: Path, mode: str = "r", *rest: object, **more: object) -> object:
        return Full(path, "x") if mode == "xb" else real(path, mode, *rest, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(InputError, match="the disk is full; make room and run this again"):
        fetch(zipped, tmp_path)
    assert held(tmp_path) == ["HDFS_v1.zip"]


def test_a_folder_that_is_a_file(zipped: Dataset, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="with -o"):
        fetch(zipped, tmp_path / "file")


def test_links_in_an_archive_are_left_out_and_said(server: Server, tmp_path: Path) -> None:
    link = tarfile.TarInfo("latest.log")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    path = make_tar(tmp_path / "made.tar.gz", {"HDFS.log": LOG, "latest.log": link})
    dataset = published(server, path.read_bytes(), "HDFS_v1.tar.gz", labels=None)
    path.unlink()
    listener = Listener()
    fetch(dataset, tmp_path, progress=listener)
    assert "HDFS_v1.tar.gz: 'latest.log' is a link or a device and was left out" in listener.notes
    assert held(tmp_path) == ["HDFS_v1/HDFS.log", "HDFS_v1/logbert-receipt.json"]
