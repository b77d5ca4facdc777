"""From a raw file to keys and sequences: the real HDFS log, each of loghub's systems, and the worst case."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.speed.measure import Done, call
from benchmarks.speed.peers import drain3_few_masks, drain3_same_masks
from benchmarks.speed.rows import Peer, Row, Target

if TYPE_CHECKING:
    from benchmarks.speed.data import Data
    from benchmarks.speed.measure import Call

SYSTEMS = (
    "Apache",
    "BGL",
    "HDFS",
    "HPC",
    "Hadoop",
    "Linux",
    "Mac",
    "OpenStack",
    "Proxifier",
    "Thunderbird",
    "Windows",
    "Zookeeper",
)
SYSTEM_LINES = 1_000_000
PROSE = 100_000
PROSE_OF_PEER = 5_000  # it slows down with each template: all of them would take it hours


def to_sequences(log: str, out: str, group: str = "auto") -> Done:
    """Read with everything on `auto`, learn the templates, write the sequences of keys as Parquet."""
    from logbert.pipeline import Pipeline
    from logbert.progress import SILENT

    taken = Pipeline(group=group).new_intake([log]).learn([log], SILENT)
    taken.sequences.write_parquet(out)
    return Done(taken.records, facts={"sequences": len(taken.sequences), "templates": len(taken.names)})


def _hdfs(data: Data) -> Call:
    return call(to_sequences, log=data.hdfs(10), out=data.out("hdfs.parquet"))


def _hdfs_peer(data: Data) -> Call:
    return call(drain3_few_masks, messages=data.hdfs_messages(), count=100_000)


def _system(data: Data, system: str) -> Call:
    return call(to_sequences, log=data.loghub(system, SYSTEM_LINES), out=data.out(f"{system}.parquet"))


def _system_peer(data: Data, system: str) -> Call:
    return call(drain3_same_masks, messages=data.loghub_messages(system, SYSTEM_LINES), count=20_000)


def _prose(data: Data) -> Call:
    return call(to_sequences, log=data.prose(PROSE), out=data.out("prose.parquet"))


def _prose_peer(data: Data) -> Call:
    return call(drain3_same_masks, messages=data.prose(PROSE), count=PROSE_OF_PEER)


ENTRIES = [
    Row(
        "hdfs",
        "HDFS x 10, raw file to sessions of keys in Parquet",
        "lines",
        _hdfs,
        Peer("drain3, bare messages, 3 masks", _hdfs_peer, "drain3"),
        (Target("ratio", 10, 15),),
    ),
    *(
        Row(
            f"1m-{system.lower()}",
            f"{system}, 1M lines, raw file to sequences, all on auto",
            "lines",
            partial(_system, system=system),
            Peer("drain3, bare messages, same masks", partial(_system_peer, system=system), "drain3"),
            (Target("ratio", 4, 10),),
            repeats=1,
        )
        for system in SYSTEMS
    ),
    Row(
        "prose",
        "free text, every message different, to sequences",
        "lines",
        _prose,
        Peer("drain3, 5,000 of them, same masks", _prose_peer, "drain3"),
        (Target("ratio", 1.5, 3),),
        repeats=1,
    ),
]
