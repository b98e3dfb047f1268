"""Writes the seeds that are not text: corpus/health_report and corpus/store.

Usage: make_seeds.py [CORPUS_FOLDER]
"""

import pathlib
import sqlite3
import sys
import tempfile

CORPUS = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "corpus")


def varint(value):
    out = b""
    value &= 2**64 - 1
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def device(pool, name, health, timeout=30, message=b"", updated=1_800_000_000):
    identifier = field(1, pool) + field(2, name)
    body = field(1, identifier) + field(2, health) + field(3, updated) + field(4, timeout)
    return field(1, body + field(5, message))


def health_reports():
    yield "two_devices", device(b"node-1", b"gpu-0", 1) + device(b"node-1", b"gpu-1", 2, 60, b"Xid 79")
    yield "twice", device(b"p", b"d", 1) + device(b"p", b"d", 2, message=b"worse")
    yield "no_utf8", device(b"p\xff", b"d\xc3\x28", 2, message=b"\x1b[31m\xed\xa0\x80\xf4\x90\x80\x80")
    yield "long", device(b"p" * 253, b"d" * 254, 0) + device(b"p", b"d", 2, message="\u20ac".encode() * 400)
    yield "leases", device(b"p", b"a", 1, -1) + device(b"p", b"b", 1, 2**63 - 1) + device(b"p", b"c", 7, 0)
    yield "many", b"".join(device(b"p", b"d%d" % i, i % 3) for i in range(10))


def edit(offset, change):
    return offset.to_bytes(3, "big") + bytes([len(change)]) + change


def database(script):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.db"
        connection = sqlite3.connect(path)
        connection.executescript("PRAGMA page_size = 512;" + script)
        connection.close()
        return path.read_bytes()


OURS = "PRAGMA application_id = 0x44524148;"


def stores():
    yield "sound", b"\x01"
    yield "killed", b"\x02"
    yield "first_version", b"\x03"
    yield "cut", b"\x01" + edit(20_000, b"")
    yield "wal_cut", b"\x02" + edit(90_000, b"")
    yield "first_page", b"\x01" + edit(100, b"\x5a" * 255)
    yield "no_version", b"\x01" + edit(60, b"\0\0\0\0")
    yield "older_version", b"\x01" + edit(60, b"\0\0\0\1")
    yield "newer_version", b"\x01" + edit(60, b"\0\0\3\xe7")
    yield "middle", b"\x01" + edit(16_384, b"\xff" * 64) + edit(40_960, b"\0" * 64)
    yield "text", b"kind: Pod\n"
    yield "others", database("CREATE TABLE t (a); INSERT INTO t VALUES (1);")
    yield "ours_empty", database(OURS + "CREATE TABLE t (a);")
    endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    yield (
        "endless_view",
        database(
            OURS + "PRAGMA user_version = 2;"
            f"CREATE VIEW alive AS {endless} SELECT x AS boot_id, x AS boot_ns, x AS wall_ms FROM c;"
        ),
    )


for name, seeds in ("health_report", health_reports()), ("store", stores()):
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    for seed, content in seeds:
        (folder / seed).write_bytes(content)
