"""A server on this machine that breaks off, changes its mind, and keeps count."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Break:
    """Send so many bytes of the body, then close the connection."""

    after: int


@dataclass(frozen=True)
class Answer:
    """Send no file, but this."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Swap:
    """Have another file from now on."""

    content: bytes


@dataclass(frozen=True)
class Silence:
    """Say nothing until the test is over, or, with `seconds`, for that long."""

    seconds: float | None = None


Act = Break | Answer | Swap | Silence


@dataclass
class File:
    """What lies on the server.

    Attributes
    ----------
    ranges
        Whether parts are given.
    etag, changed
        What names the version; no header if `None`.
    respects_if_range
        Whether another version is sent whole when If-Range names this one.
    length
        Whether it says how long the file is.
    acts
        What happens at the next requests, one after the other; then it just serves.
    """

    content: bytes
    ranges: bool = True
    etag: str | None = ""
    changed: str | None = None
    respects_if_range: bool = True
    length: bool = True
    acts: list[Act] = field(default_factory=list)

    @property
    def tag(self) -> str | None:
        return self.etag if self.etag != "" else f'"{hashlib.sha256(self.content).hexdigest()[:12]}"'


class Server:
    def __init__(self, address: str) -> None:
        self.url = address
        self.files: dict[str, File] = {}
        self.requests: list[dict[str, str]] = []
        self.sent = 0
        self.over = threading.Event()

    def __setitem__(self, name: str, file: File | bytes) -> None:
        self.files[f"/{name}"] = file if isinstance(file, File) else File(file)

    def __getitem__(self, name: str) -> File:
        return self.files[f"/{name}"]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    house: Server

    def log_message(self, *_: object) -> None:
        pass

    def do_GET(self) -> None:
        house = self.house
        house.requests.append({"path": self.path, **{key.lower(): value for key, value in self.headers.items()}})
        self.close_connection = True
        file = house.files.get(self.path)
        if file is None:
            self._answer(Answer(404))
            return
        act = file.acts.pop(0) if file.acts else None
        if isinstance(act, Answer):
            self._answer(act)
        elif isinstance(act, Silence) and act.seconds is None:
            house.over.wait()
        else:
            if isinstance(act, Silence):
                house.over.wait(act.seconds)
            if isinstance(act, Swap):
                file.content = act.content
            self._serve(file, act.after if isinstance(act, Break) else None)

    def _answer(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _serve(self, file: File, stop: int | None) -> None:
        start, total = 0, len(file.content)
        wanted = self.headers.get("Range")
        version = self.headers.get("If-Range")
        if wanted and file.ranges and (version in {None, file.tag, file.changed} or not file.respects_if_range):
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
            if start >= total:
                self._answer(Answer(416, {"Content-Range": f"bytes */{total}"}))
                return
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{total - 1}/{total}")
        else:
            self.send_response(200)
        if file.tag:
            self.send_header("ETag", file.tag)
        if file.changed:
            self.send_header("Last-Modified", file.changed)
        body = file.content[start:]
        if file.length:
            self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        body = body if stop is None else body[:stop]
        try:
            for at in range(0, len(body), 1 << 14):
                self.house.sent += len(body[at : at + (1 << 14)])  # before it goes: who has it all looks at once
                self.wfile.write(body[at : at + (1 << 14)])
        except ConnectionError:
            pass  # whoever asked has heard enough


@contextmanager
def serving() -> Iterator[Server]:
    handler = type("Handler", (_Handler,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as listener:
        listener.daemon_threads = True
        house = Server(f"http://127.0.0.1:{listener.server_port}")
        handler.house = house  # type: ignore[attr-defined]
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield house
        finally:
            house.over.set()
            listener.shutdown()
            thread.join()
