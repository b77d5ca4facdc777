"""Quarry, a replicated block store that does not exist: its machines, and what they can write.

Clients put objects through gateways; a coordinator places each as a *slab* on three storage nodes, the *bays*; reads,
audits, moves and copies follow; in the end a slab's lease is released or the slab is reclaimed. One slab's life is one
session, and `slab-` with twelve hexadecimal digits is its name in every record about it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

BAYS = tuple(f"bay-{number:02d}" for number in range(1, 13))
GATEWAYS = tuple(f"gw-{number}" for number in range(1, 5))
COORDINATORS = ("coord-1", "coord-2")
NODES = BAYS + GATEWAYS + COORDINATORS
ADDRESSES = {node: f"10.40.{number // 8}.{11 + number}" for number, node in enumerate(NODES)}

TENANTS = ("atlas", "borealis", "cinder", "delta-lab", "ember", "fjord", "granite", "harbour")
FOLDERS = ("scans", "backups/daily", "backups/weekly", "exports", "media/raw", "media/proxy", "ledger", "models")
SUFFIXES = ("tar", "parquet", "mov", "bin", "json.gz", "img", "csv", "pt")

FORMAT = r"<Date> <Time> <Level> <Node> \[<Thread>\] <Component>: <Content>"
SESSION = r"session:slab-[0-9a-f]{12}"


@dataclass(frozen=True, slots=True)
class Event:
    """Something a node can write.

    Attributes
    ----------
    name
        What the simulator calls it; never written to the log.
    level, component, threads
        Parts of the header; `threads` is the pool whose threads write it, or a single thread when it ends in no dash.
    text
        The message, with named places for its values.
    trace
        Continuation lines, such as a stack trace, with places of the same names.
    """

    name: str
    level: str
    component: str
    threads: str
    text: str
    trace: tuple[str, ...] = ()


class Step(NamedTuple):
    """An event that happened: when (seconds since the period began), on which node, with which values."""

    at: float
    event: Event
    node: str
    values: dict[str, object]


RESET_TRACE = (
    "io.quarry.net.PeerClosedException: connection reset by peer",
    "\tat io.quarry.net.Channel.fill(Channel.java:{line})",
    "\tat io.quarry.net.Channel.readFrame(Channel.java:188)",
    "\tat io.quarry.gateway.Pipeline$Hop.run(Pipeline.java:342)",
    "\tat java.base/java.lang.Thread.run(Thread.java:1583)",
)
DIGEST_TRACE = (
    "io.quarry.disk.DigestException: expected {expected}, read {found}",
    "\tat io.quarry.disk.SlabFile.verify(SlabFile.java:{line})",
    "\tat io.quarry.bay.ReadTask.call(ReadTask.java:97)",
    "\t... 6 more",
)

_SESSION_EVENTS = (
    Event("put", "INFO", "gateway.FrontDoor", "http-", "PUT {path} ({size} bytes) from {client} becomes {slab}"),
    Event("copy", "INFO", "coord.Placement", "place-", "{slab} is to be a copy of {source}, asked for by {tenant}"),
    Event(
        "quota", "WARN", "coord.Quota", "place-", "Tenant {tenant} uses {percent}% of its quota, placing {slab} anyway"
    ),
    Event("placed", "INFO", "coord.Placement", "place-", "{slab} placed on {bays} for {tenant}, lease {lease} s"),
    Event("opened", "INFO", "gateway.Pipeline", "pipe-", "Pipeline for {slab} is open over {hops} hops"),
    Event("sent", "DEBUG", "gateway.Pipeline", "pipe-", "Sent chunk {chunk}/{chunks} of {slab}, {size} bytes"),
    Event("taking", "INFO", "bay.Receiver", "rx-", "Taking {slab} from {peer}"),
    Event("stored", "INFO", "bay.Disk", "rx-", "Stored {slab}: {size} bytes in {ms} ms, crc {crc}, volume {volume}"),
    Event("acknowledged", "INFO", "gateway.Pipeline", "pipe-", "{bay} acknowledged {slab} after {ms} ms"),
    Event(
        "sealed", "INFO", "coord.Placement", "place-", "{slab} sealed with {replicas} replicas, generation {generation}"
    ),
    Event("answered", "INFO", "gateway.FrontDoor", "http-", "201 for {slab} after {ms} ms"),
    Event(
        "journalled",
        "INFO",
        "coord.Journal",
        "journal",
        "{slab} has only {size} bytes, kept in the journal at {offset}",
    ),
    Event("slow", "WARN", "gateway.Pipeline", "pipe-", "{bay} is slow on {slab}, sending again (attempt {attempt})"),
    Event("duplicate", "INFO", "bay.Receiver", "rx-", "Already have {slab}, ignoring the second copy"),
    Event("declined", "WARN", "bay.Receiver", "rx-", "Declined {slab}: volume {volume} is {percent}% full"),
    Event("replaced", "INFO", "coord.Placement", "place-", "{slab}: {other} takes the place of {bay}"),
    Event(
        "reset",
        "WARN",
        "gateway.Pipeline",
        "pipe-",
        "Connection to {bay} was reset while sending {slab}, connecting again",
        RESET_TRACE,
    ),
    Event("resumed", "INFO", "gateway.Pipeline", "pipe-", "Back with {bay}, resuming {slab} at offset {offset}"),
    Event("aborted", "INFO", "gateway.FrontDoor", "http-", "Client {client} went away before {slab} was complete"),
    Event("abandoned", "INFO", "coord.Placement", "place-", "{slab} abandoned, {replicas} bays let go"),
    Event("get", "INFO", "gateway.FrontDoor", "http-", "GET {slab} range {first}-{last} from {client}"),
    Event("cached", "DEBUG", "gateway.Cache", "http-", "{slab} answered from the cache, age {age} s"),
    Event("serving", "INFO", "bay.Sender", "tx-", "Serving {slab} to {peer}"),
    Event("served", "INFO", "gateway.FrontDoor", "http-", "200 for {slab}, {size} bytes in {ms} ms"),
    Event("mismatch", "WARN", "bay.Sender", "tx-", "Digest of {slab} does not match at offset {offset}", DIGEST_TRACE),
    Event("repaired", "INFO", "bay.Repair", "repair", "Repaired {slab} from {bay}, {size} bytes rewritten"),
    Event("audit", "INFO", "coord.Auditor", "audit", "Audit of {slab} begins, round {round}"),
    Event("busy", "INFO", "coord.Auditor", "audit", "Audit of {slab} waits {seconds} s: {bay} is busy"),
    Event("digest", "DEBUG", "bay.Disk", "digest-", "Digest of {slab} is {digest} ({ms} ms)"),
    Event("passed", "INFO", "coord.Auditor", "audit", "Audit of {slab} passed, {replicas} of {replicas} agree"),
    Event(
        "moving", "INFO", "coord.Balancer", "balance", "Moving {slab} from {bay} to {other}: {percent}% against {less}%"
    ),
    Event("moved", "INFO", "coord.Placement", "place-", "{slab} is now on {other} as well"),
    Event("dropped", "INFO", "bay.Disk", "drop", "Dropped {slab}, {size} bytes free again on volume {volume}"),
    Event("renewed", "INFO", "coord.Lease", "lease", "Lease on {slab} renewed for {lease} s"),
    Event("released", "INFO", "coord.Lease", "lease", "Lease on {slab} released, {replicas} replicas stay"),
    Event("deleted", "INFO", "coord.Reaper", "reaper", "{slab} deleted by {tenant}, reclaiming after {grace} s"),
    Event("erased", "INFO", "bay.Disk", "drop", "Erased {slab} from {file}"),
    Event("forgotten", "INFO", "coord.Reaper", "reaper", "Forgot {slab} after {age} s, {replicas} replicas gone"),
)
EVENTS = {event.name: event for event in _SESSION_EVENTS}
