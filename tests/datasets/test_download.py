from __future__ import annotations

import errno
import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from logbert.datasets.download import ChangedError, Download, Patience
from logbert.datasets.part import Part
from logbert.errors import InputError, OptionError
from tests.datasets.server import Act, Answer, Break, File, Server, Silence, Swap

CONTENT = random.Random(1).randbytes(300_000)
OTHER = random.Random(2).randbytes(300_000)


class Waits(list[float]):
    """A patience that waits for nothing and writes down how long it would have."""

    def patience(self, tries: int = 4, silence: float = 30.0) -> Patience:
        return Patience(tries=tries, silence=silence, sleep=self.append)


def fetch(
    server: Server,
    target: Path,
    *,
    patience: Patience | None = None,
    expected: int | None = None,
    checked: bool = False,
) -> bytes:
    with Part(target) as part:
        download = Download(
            f"{server.url}/{target.name}",
            part,
            expected=expected,
            checked=checked,
            patience=patience or Waits().patience(),
        )
        got = b"".join(download.chunks())
        part.become_whole()
    assert target.read_bytes() == got
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    return got


def leave_half(server: Server, target: Path, size: int = 100_000) -> None:
    """Leave what an interrupted run leaves."""
    with Part(target) as part:
        chunks = Download(f"{server.url}/{target.name}", part).chunks()
        while part.size < size:
            next(chunks)
        chunks.close()  # type: ignore[attr-defined]
    assert not target.exists()
    assert part.path.stat().st_size >= size


def test_a_file_arrives(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert server.requests[0]["accept-encoding"] == "identity"
    assert server.requests[0]["user-agent"].startswith("logbert/")


def test_an_empty_file_arrives(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = b""
    assert fetch(server, tmp_path / "a.zip") == b""


def test_a_connection_that_breaks_is_taken_up_where_it_broke(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, acts=[Break(70_000), Break(130_000), Break(0)])
    waits = Waits()
    assert fetch(server, tmp_path / "a.zip", patience=waits.patience()) == CONTENT
    assert server.sent == len(CONTENT)  # no byte twice
    ranges = [request.get("range") for request in server.requests]
    assert ranges == [None, "bytes=70000-", "bytes=200000-", "bytes=200000-"]
    assert {request["if-range"] for request in server.requests[1:]} == {server["a.zip"].tag}
    assert waits == [1, 1, 2]  # what brings something resets the patience


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    acts=st.lists(st.builds(Break, st.integers(0, 5000)) | st.just(Answer(503)), max_size=6),
    ranges=st.booleans(),
    length=st.booleans(),
)
def test_however_it_breaks_the_file_arrives(
    server: Server, tmp_path: Path, acts: list[Act], ranges: bool, length: bool
) -> None:
    content = CONTENT[:4000]
    server["a.zip"] = File(content, ranges=ranges, length=length, acts=acts)
    target = tmp_path / "a.zip"
    target.unlink(missing_ok=True)
    patience = Waits().patience(tries=10)
    assert fetch(server, target, patience=patience, expected=len(content), checked=True) == content


def test_an_interrupted_run_is_taken_up_by_the_next(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    leave_half(server, tmp_path / "a.zip")
    half = (tmp_path / "a.zip.part").stat().st_size
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert server.requests[-1]["range"] == f"bytes={half}-"


def test_a_server_that_ignores_ranges_sends_all_again(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, ranges=False, acts=[Break(100_000)])
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert server.sent == 100_000 + len(CONTENT)


def test_a_server_whose_file_changed_sends_it_whole_and_what_was_read_is_void(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, acts=[Break(100_000), Swap(OTHER)])
    with Part(tmp_path / "a.zip") as part:
        download = Download(f"{server.url}/a.zip", part, patience=Waits().patience())
        with pytest.raises(ChangedError):
            b"".join(download.chunks())
        assert part.size == 0
        assert b"".join(download.chunks()) == OTHER


@pytest.mark.parametrize("ranges", [True, False])
def test_a_server_that_sends_the_middle_of_another_version_is_noticed(
    server: Server, tmp_path: Path, ranges: bool
) -> None:
    server["a.zip"] = File(CONTENT, respects_if_range=False, ranges=ranges, acts=[Break(100_000), Swap(OTHER)])
    with pytest.raises(ChangedError):
        fetch(server, tmp_path / "a.zip")


def test_a_file_that_changed_between_runs_is_noticed(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    leave_half(server, tmp_path / "a.zip")
    server["a.zip"] = OTHER
    with pytest.raises(ChangedError):
        fetch(server, tmp_path / "a.zip")
    assert fetch(server, tmp_path / "a.zip") == OTHER


def test_a_version_may_be_named_by_its_date(server: Server, tmp_path: Path) -> None:
    date = "Sat, 01 Jan 2022 00:00:00 GMT"
    server["a.zip"] = File(CONTENT, etag='W/"weak"', changed=date, acts=[Break(100_000)])
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert server.requests[1]["if-range"] == date


@pytest.mark.parametrize("checked", [True, False])
def test_a_part_of_no_known_version_is_used_only_if_a_checksum_follows(
    server: Server, tmp_path: Path, checked: bool
) -> None:
    server["a.zip"] = File(CONTENT, etag=None)
    (tmp_path / "a.zip.part").write_bytes(CONTENT[:100_000])
    assert fetch(server, tmp_path / "a.zip", checked=checked) == CONTENT
    assert server.requests[0].get("range") == ("bytes=100000-" if checked else None)


def test_a_part_from_another_server_is_used_only_if_a_checksum_follows(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    leave_half(server, tmp_path / "a.zip")
    memo = tmp_path / "a.zip.part.json"
    memo.write_text(json.dumps({**json.loads(memo.read_text()), "url": "http://elsewhere/a.zip"}))
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert "range" not in server.requests[-1]


def test_without_versions_and_ranges_a_break_means_beginning_anew(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, etag=None, ranges=False, acts=[Break(100_000)])
    with pytest.raises(ChangedError):
        fetch(server, tmp_path / "a.zip")


def test_a_part_that_is_all_of_it_already_needs_no_more(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    leave_half(server, tmp_path / "a.zip", len(CONTENT))
    memo = tmp_path / "a.zip.part.json"
    memo.write_text(json.dumps({**json.loads(memo.read_text()), "total": None}))  # a server that told no size
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert server.requests[-1]["range"] == f"bytes={len(CONTENT)}-"  # answered with 416


def test_a_part_longer_than_the_file_is_not_its_beginning(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, etag='"same"')
    leave_half(server, tmp_path / "a.zip", len(CONTENT))
    memo = tmp_path / "a.zip.part.json"
    memo.write_text(json.dumps({**json.loads(memo.read_text()), "total": None}))
    server["a.zip"] = File(CONTENT[:1000], etag='"same"')
    with pytest.raises(ChangedError):
        fetch(server, tmp_path / "a.zip")
    assert fetch(server, tmp_path / "a.zip") == CONTENT[:1000]


def test_a_busy_server_is_given_the_time_it_asks_for(server: Server, tmp_path: Path) -> None:
    waits = Waits()
    busy = [Answer(503), Answer(503, {"Retry-After": "20"}), Answer(429, {"Retry-After": "3600"})]
    server["a.zip"] = File(CONTENT, acts=[*busy])
    assert fetch(server, tmp_path / "a.zip", patience=waits.patience()) == CONTENT
    assert waits == [1, 20, 60]  # an hour is more than we wait


def test_a_server_that_stays_busy_is_given_up(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, acts=[Break(100_000), *[Answer(503)] * 9])
    with pytest.raises(InputError, match=r"is busy \(503\), 4 times in a row; 100.0 kB are kept"):
        fetch(server, tmp_path / "a.zip")
    assert (tmp_path / "a.zip.part").stat().st_size == 100_000


@pytest.mark.parametrize(
    ("status", "words"), [(404, "does not have it"), (403, "refuses"), (401, "login"), (410, "no lon")]
)
def test_a_refusal_is_not_tried_again(server: Server, tmp_path: Path, status: int, words: str) -> None:
    server["a.zip"] = File(CONTENT, acts=[Answer(status)])
    with pytest.raises(InputError, match=words):
        fetch(server, tmp_path / "a.zip")
    assert len(server.requests) == 1
    assert list(tmp_path.iterdir()) == []  # not even an empty part


def test_no_server_at_all(tmp_path: Path, server: Server) -> None:
    server.url = "http://127.0.0.1:1"  # nothing listens there
    with pytest.raises(InputError, match="takes no connections, 4 times in a row"):
        fetch(server, tmp_path / "a.zip")


def test_a_server_that_falls_silent_is_asked_again(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, acts=[Silence()])
    assert fetch(server, tmp_path / "a.zip", patience=Waits().patience(tries=9, silence=0.5)) == CONTENT


def test_a_slow_start_is_waited_for(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(CONTENT, acts=[Silence(0.3)])
    assert fetch(server, tmp_path / "a.zip") == CONTENT
    assert len(server.requests) == 1


def test_another_size_than_the_published_is_noticed_before_anything_is_fetched(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    with pytest.raises(InputError, match="has 300,000 bytes, the published one 299,999"):
        fetch(server, tmp_path / "a.zip", expected=299_999)


def test_a_redirect_is_followed(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = File(b"", acts=[Answer(302, {"Location": "/real.zip"})])
    server["real.zip"] = CONTENT
    assert fetch(server, tmp_path / "a.zip") == CONTENT


@pytest.mark.parametrize("location", ["file:///etc/hostname", "ftp://127.0.0.1/x"])
def test_a_redirect_may_not_lead_elsewhere(server: Server, tmp_path: Path, location: str) -> None:
    server["a.zip"] = File(b"", acts=[Answer(302, {"Location": location})] * 9)
    with pytest.raises(InputError):
        fetch(server, tmp_path / "a.zip")
    assert not (tmp_path / "a.zip").exists()


def test_two_at_once_do_not_spoil_each_other(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT
    with Part(tmp_path / "a.zip"), pytest.raises(InputError, match="another process is fetching"):
        fetch(server, tmp_path / "a.zip")
    assert fetch(server, tmp_path / "a.zip") == CONTENT


def test_no_room_is_said_before_anything_is_fetched(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server["a.zip"] = CONTENT
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10**6, 10**6 - 1000, 1000))  # type: ignore[attr-defined]
    with pytest.raises(InputError, match=r"needs 300.0 kB, and 1.0 kB are free; make room, or name .* with -o"):
        fetch(server, tmp_path / "a.zip")


def test_a_disk_that_fills_up_keeps_what_was_fetched(server: Server, tmp_path: Path) -> None:
    server["a.zip"] = CONTENT

    class Full:
        """A file on a disk with room for 100,000 bytes."""

        def __init__(self, file: object) -> None:
            self.file = file

        def __getattr__(self, name: str) -> object:
            return getattr(self.file, name)

        def write(self, data: memoryview) -> int:
            room = 100_000 - self.file.tell()  # type: ignore[attr-defined]
            if room <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return self.file.write(data[:room])  # type: ignore[attr-defined, no-any-return]

    with Part(tmp_path / "a.zip") as part:
        part._file = Full(part._file)  # type: ignore[assignment]
        with pytest.raises(InputError, match="the disk is full; make room and run this again"):
            b"".join(Download(f"{server.url}/a.zip", part).chunks())
    assert (tmp_path / "a.zip.part").read_bytes() == CONTENT[:100_000]
    assert fetch(server, tmp_path / "a.zip") == CONTENT


def test_a_folder_that_cannot_be_made(server: Server, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="with -o"):
        fetch(server, tmp_path / "file" / "a.zip")


@pytest.mark.parametrize("base", ["ftp://example.org", "/mnt/mirror", "https://", "http://a b/", "http://a\n/"])
def test_an_address_must_be_one(base: str) -> None:
    from logbert.datasets.web import check_url

    with pytest.raises(OptionError, match="no address to fetch from"):
        check_url(base)
