"""One request to a server: a file, from some byte on."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from logbert.errors import InputError, OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

CHUNK = 1 << 16  # bytes asked of the connection at a time

# What a server says of itself rather than of the file: worth another try.
PASSING = {408: "timed out", 425: "was not ready", 429: "has had too many requests", 500: "failed"}
PASSING |= {502: "is not reachable behind its gateway", 503: "is busy", 504: "timed out behind its gateway"}

FINAL = {401: "wants a login for it", 403: "refuses to give it", 404: "does not have it", 410: "no longer has it"}


class PassingError(Exception):
    """Something that may be gone at the next try; `wait` is how long the server asks to wait, if it does."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.wait = wait


class BeyondEndError(Exception):
    """The file ends before the byte asked for; `total` is its size, if the server tells."""

    def __init__(self, total: int | None) -> None:
        super().__init__(total)
        self.total = total


@dataclass(frozen=True)
class Reply:
    """A server's answer.

    Attributes
    ----------
    start
        The byte its body begins with: the one asked for, or 0 if the server sends all.
    total
        The size of the whole file, if the server tells.
    validator
        What names this version of the file: a strong ETag, or else the time it was changed.
    body
        What is left to read.
    """

    start: int
    total: int | None
    validator: str | None
    body: http.client.HTTPResponse

    def chunks(self) -> Iterator[bytes]:
        """Give the body as it comes.

        Raises
        ------
        PassingError
            If the connection breaks; one that merely ends early is for the caller to notice.
        """
        try:
            while chunk := self.body.read(CHUNK):
                yield chunk
        except (http.client.HTTPException, OSError) as error:
            raise PassingError(_say(error)) from error


@contextmanager
def ask(url: str, start: int, validator: str | None, timeout: float) -> Iterator[Reply]:
    """Ask for a file from byte `start` on, provided it is still the version that `validator` names.

    Parameters
    ----------
    url
        An http or https URL.
    start
        The first byte wanted.
    validator
        The version the bytes before belong to; a server that has another one sends that from its first byte on.
    timeout
        Seconds of silence after which to give up.

    Raises
    ------
    PassingError
        If another try may help.
    BeyondEndError
        If the file has no byte `start`.
    InputError
        If no other try will help.
    """
    request = urllib.request.Request(url, headers=_headers(start, validator))  # noqa: S310 - the opener knows http only
    try:
        response = _opener().open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        with error:
            raise _refusal(url, error) from error
    except (urllib.error.URLError, http.client.HTTPException, OSError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, ssl.SSLCertVerificationError):
            raise InputError(f"{url}: the server's certificate is not trusted ({reason.verify_message})") from error
        raise PassingError(_say(reason)) from error
    with response:
        yield _reply(response, start)


def check_url(base: str) -> None:
    """Refuse what is not the http or https URL of a folder.

    Examples
    --------
    >>> check_url("http://127.0.0.1:8000/mirror")
    >>> check_url("ftp://example.org")
    Traceback (most recent call last):
    ...
    logbert.errors.OptionError: 'ftp://example.org' is no address to fetch from; give one such as https://example.org/loghub
    """
    parts = urllib.parse.urlsplit(base)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not base.isprintable() or " " in base:
        raise OptionError(f"{base!r} is no address to fetch from; give one such as https://example.org/loghub")


def _headers(start: int, validator: str | None) -> dict[str, str]:
    from logbert import __version__

    # Bytes as they lie on the server: a transfer packed on the way could not be resumed.
    headers = {"User-Agent": f"logbert/{__version__}", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        if validator:
            headers["If-Range"] = validator
    return headers


def _opener() -> urllib.request.OpenerDirector:
    """Make an opener for http and https only: no redirect may lead to a file of this machine."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.UnknownHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


def _reply(response: http.client.HTTPResponse, asked: int) -> Reply:
    headers = response.headers
    validator = _validator(headers)
    if response.status == http.client.PARTIAL_CONTENT:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", headers.get("Content-Range", ""))
        if found is None or int(found[1]) != asked:
            raise PassingError(
                f"the server sent {headers.get('Content-Range')!r} instead of what follows byte {asked:,}"
            )
        return Reply(asked, None if found[2] == "*" else int(found[2]), validator, response)
    if response.status != http.client.OK:
        raise PassingError(f"the server answered {response.status} {response.reason}")
    length = headers.get("Content-Length", "")
    return Reply(0, int(length) if length.isdecimal() else None, validator, response)


def _validator(headers: Message) -> str | None:
    """Give what may stand in If-Range: a weak ETag may not."""
    tag: str | None = headers.get("ETag")
    return tag if tag and not tag.startswith("W/") else headers.get("Last-Modified")


def _refusal(url: str, error: urllib.error.HTTPError) -> Exception:
    if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
        found = re.fullmatch(r"bytes \*/(\d+)", error.headers.get("Content-Range", ""))
        return BeyondEndError(int(found[1]) if found else None)
    if error.code in PASSING:
        wait = error.headers.get("Retry-After", "")
        return PassingError(
            f"the server {PASSING[error.code]} ({error.code})", float(wait) if wait.isdecimal() else None
        )
    what = FINAL.get(error.code, f"answers {error.reason}")
    return InputError(f"{url}: the server {what} ({error.code})")


def _say(error: object) -> str:
    if isinstance(error, socket.gaierror):
        return "the server's name is not known here: no network, or a wrong address"
    if isinstance(error, TimeoutError):
        return "the server is silent"
    if isinstance(error, ConnectionRefusedError):
        return "the server takes no connections"
    if isinstance(error, (ConnectionError, http.client.HTTPException)):
        return "the connection broke"
    return str(error) or type(error).__name__
