# SPDX-License-Identifier: Apache-2.0
"""The tests of the record in PostgreSQL; run by postgres_test.sh with the folder of the server's programs."""
import os
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pgserver import Proxy, Server  # noqa: E402

BUILD = os.environ["BUILD"]
WRITE = os.path.join(BUILD, "tests", "recordwrite")
LATE = 120
tests = []


def test(function):
    tests.append(function)
    return function


def check(truth, words):
    if not truth:
        raise AssertionError(words)


# ---------------------------------------------------------------- writing and counting

def writer(url, session, name, count, patience=30):
    return subprocess.Popen([WRITE, url, "append", session, name, str(count), str(patience)], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    """What was acknowledged: (key, first, last)."""
    out, err = process.communicate(timeout=LATE)
    check(not err, "words on stderr: " + err[-500:])
    check(process.returncode == 0, "a writer gave up: " + out[-500:])
    return [(key, int(first), int(last)) for _, key, first, last in (line.split() for line in out.splitlines())]


def finish_all(processes):
    return [ack for process in processes for ack in finish(process)]


def record(url, *words):
    """One command to the record, ended: what it said, and with which status."""
    return subprocess.run([WRITE, url, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LATE, check=False)


def entries(url, session):
    done = record(url, "read", session)
    check(done.returncode == 0 and not done.stderr, "cannot be read: " + done.stdout[-500:] + done.stderr[-500:])
    return [line.split(" ", 2) for line in done.stdout.splitlines()]


def exactly_once(url, session, acked, count):
    """Every append that was asked for is there once, whole, in order, and where its writer was told."""
    rows = entries(url, session)
    check([int(row[0]) for row in rows] == list(range(1, len(rows) + 1)), "the numbers have gaps")
    keys = [row[1] for row in rows if row[1] != "-"]
    check(len(keys) == len(set(keys)), "a key is there twice")
    check(len(acked) == count == len(keys), "asked %d, acknowledged %d, there %d" % (count, len(acked), len(keys)))
    for key, first, last in acked:
        number = int(key.rsplit("-", 1)[1])
        want = ["%s/%d" % (key, i) for i in range(1 + number % 3)]
        got = [row[2].split(" ")[-1] for row in rows[first - 1:last]]
        check(rows[first - 1][1] == key and got == want, "%s is torn: %s" % (key, got))
    check(len(rows) == sum(last - first + 1 for _, first, last in acked), "there is more than was appended")


# ---------------------------------------------------------------- the tests
# A server that starts again syncs all its files: those that kill it come before those that make databases.

def run_unit(server, name, database):
    program = os.path.join(BUILD, "tests", name)
    check(os.path.exists(program), name + " is not built")
    server.sql("CREATE DATABASE " + database)
    done = subprocess.run([program], env=dict(os.environ, FOVEA_TEST_STORE=server.url(database)), stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LATE, check=False)
    lines = done.stdout.splitlines()
    bad = [line for line in lines if line.startswith("not ok")]
    check(done.returncode == 0 and not bad, "%s\n%s" % ("\n".join(bad), done.stderr[-2000:]))
    return "%d of them" % sum(line.startswith("ok ") for line in lines)


@test
def a_server_killed_and_started_again_loses_nothing(server):
    """All its processes by SIGKILL while four writers append."""
    rounds, count = 4, 600
    writers = [writer(server.url(), "power", "p%d" % i, count) for i in range(4)]
    for _ in range(rounds):
        time.sleep(0.4)
        server.kill()
        server.start()
    left = sum(process.poll() is None for process in writers)
    acked = finish_all(writers)
    exactly_once(server.url(), "power", acked, 4 * count)
    check(left, "the writers were done before the last kill")
    return "%d kills, %d appends" % (rounds, 4 * count)


@test
def a_server_process_killed_at_commit_leaves_each_entry_once(server):
    rounds = 5
    proxy = Proxy(server, [word for _ in range(rounds) for word in ["pass"] * 5 + ["kill"]])
    url = server.url(folder=proxy.folder)
    writers = [writer(url, "killed", "k%d" % i, 20) for i in range(2)]
    acked = finish_all(writers)
    proxy.close()
    exactly_once(server.url(), "killed", acked, 40)
    check(proxy.done.get("kill", 0) == rounds, "too few kills: %s" % proxy.done)
    return "%d processes killed" % rounds


@test
def the_common_tests_hold_on_postgresql(server):
    return run_unit(server, "record_test", "common")


@test
def waits_end_and_memory_is_bounded(server):
    return run_unit(server, "record_postgres_test", "waits")


@test
def tables_and_servers_that_lie_are_told_of(server):
    return run_unit(server, "record_hostile_test", "hostile")


@test
def libpq_may_fail_at_each_call(server):
    return run_unit(server, "record_pq_test", "pq")


@test
def a_commit_whose_answer_is_lost_counts_once(server):
    """Cut before the server sees it, after it has done it, and at a moment that nobody knows."""
    rounds = 40
    plan = [word for _ in range(rounds) for word in ("after", "pass", "before", "blind")]
    proxy = Proxy(server, plan)
    url = server.url(folder=proxy.folder)
    writers = [writer(url, "cut", "c%d" % i, 50) for i in range(4)]
    acked = finish_all(writers)
    proxy.close()
    exactly_once(server.url(), "cut", acked, 200)
    check(all(proxy.done.get(word, 0) >= rounds // 2 for word in ("after", "before", "blind")), "too few cuts: %s" % proxy.done)
    return "cuts: %s" % ", ".join("%d %s" % (n, word) for word, n in sorted(proxy.done.items()) if word != "pass")


@test
def machines_that_start_at_once_on_an_empty_database_all_succeed(server):
    rounds = 4
    for i in range(rounds):
        name = "fresh%d" % i
        server.sql("CREATE DATABASE " + name)
        writers = [writer(server.url(name), "one", "m%d" % j, 5) for j in range(4)]
        acked = finish_all(writers)
        exactly_once(server.url(name), "one", acked, 20)
    return "%d databases" % rounds


@test
def sessions_are_deleted_while_others_append_the_same_blobs(server):
    """No blob goes that a session uses, whoever comes when."""
    writers = [writer(server.url(), "stays", "d%d" % i, 100) for i in range(2)]
    deleted = 0
    while any(process.poll() is None for process in writers):
        finish(writer(server.url(), "goes", "d0", 6))
        done = record(server.url(), "delete", "goes")
        check(done.returncode == 0, done.stdout)
        deleted += 1
    acked = finish_all(writers)
    exactly_once(server.url(), "stays", acked, 200)
    missing = server.sql("SELECT count(*) FROM fovea.uses u WHERE NOT EXISTS (SELECT FROM fovea.blobs b WHERE b.sha256 = u.sha256)")
    check(missing == "0", missing + " blobs are missing")
    unused = server.sql("SELECT count(*) FROM fovea.blobs b WHERE NOT EXISTS (SELECT FROM fovea.uses u WHERE b.sha256 = u.sha256)")
    check(unused == "0", unused + " blobs are left that nobody uses")
    return "%d deleted" % deleted


@test
def writers_killed_at_any_moment_append_once(server):
    """By SIGKILL; whoever comes after them asks under the same keys."""
    rounds, count = 12, 40
    told = set()
    for i in range(rounds):
        writers = [writer(server.url(), "mortal", "w%d" % j, count) for j in range(4)]
        time.sleep(0.05 + 0.02 * i)
        for process in writers:
            process.kill()
        for process in writers:
            out, _ = process.communicate(timeout=LATE)
            told |= {tuple(line.split()[1:]) for line in out[:out.rfind("\n") + 1].splitlines()}
    acked = finish_all([writer(server.url(), "mortal", "w%d" % j, count) for j in range(4)])
    exactly_once(server.url(), "mortal", acked, 4 * count)
    check(told <= {(key, str(first), str(last)) for key, first, last in acked}, "what was acknowledged is elsewhere now")
    return "%d kills, %d acknowledged before the last round" % (4 * rounds, len(told))


# What is done to a record, and what checking says of it: session, entry, whether repair mends it, and words.
DAMAGE = [
    ("UPDATE fovea.entries SET body = set_byte(body, 70, get_byte(body, 70) # 1) WHERE seq = 3", "s", 3, False, "not those that"),
    ("UPDATE fovea.entries SET hash = set_byte(hash, 31, get_byte(hash, 31) # 128) WHERE seq = 3", "s", 3, False, "not those that"),
    ("UPDATE fovea.entries SET key = set_byte(key, 0, 90) WHERE seq = 3", "s", 3, False, "not those that were written"),
    ("UPDATE fovea.entries SET at_ms = at_ms + 1 WHERE seq = 3", "s", 3, False, "not those that were written"),
    ("UPDATE fovea.entries SET seq = 100 WHERE seq = 4", "s", 4, False, "missing"),
    ("DELETE FROM fovea.entries WHERE seq = 4", "s", 4, False, "missing"),
    ("DELETE FROM fovea.entries WHERE seq = (SELECT max(seq) FROM fovea.entries)", "s", 11, False, "missing"),
    ("UPDATE fovea.sessions SET name = 'z'", "z", 1, False, "not those that were written"),
    ("UPDATE fovea.blobs SET data = set_byte(data, 2999, get_byte(data, 2999) # 4) WHERE sha256 ="
     " (SELECT sha256 FROM fovea.uses WHERE seq = 3 LIMIT 1)", "s", 3, False, "not those that were written"),
    ("UPDATE fovea.blobs SET sha256 = set_byte(sha256, 5, get_byte(sha256, 5) # 1) WHERE sha256 ="
     " (SELECT sha256 FROM fovea.uses WHERE seq = 3 LIMIT 1)", "s", 3, False, "not there"),
    ("DELETE FROM fovea.blobs WHERE sha256 = (SELECT sha256 FROM fovea.uses WHERE seq = 3 LIMIT 1)", "s", 3, False, "not there"),
    ("UPDATE fovea.variants SET width = 4", "-", 0, True, "not what was written"),
    ("UPDATE fovea.variants SET spec = '\\x00'", "-", 0, True, "not what was written"),
    ("UPDATE fovea.variants SET sha256 = set_byte(sha256, 0, get_byte(sha256, 0) # 1)", "-", 0, True, "not what was written"),
    ("UPDATE fovea.heads SET seq = 5", "s", 0, True, "not what its entries say"),
    ("UPDATE fovea.heads SET seq = -1", "s", 0, True, "not what its entries say"),
    ("UPDATE fovea.heads SET seq = 9223372036854775807", "s", 0, True, "not what its entries say"),
    ("INSERT INTO fovea.marks SELECT id, 100, 'x' FROM fovea.sessions WHERE name = 's'", "s", 0, True, "not what its entries say"),
    ("INSERT INTO fovea.uses SELECT id, 100, decode(repeat('00', 32), 'hex') FROM fovea.sessions WHERE name = 's'", "s", 0, True,
     "not what its entries say"),
    ("UPDATE fovea.heads SET uses = uses + 1", "s", 0, True, "not what its entries say"),
    ("UPDATE fovea.entries SET seq = 9223372036854775807 WHERE seq = (SELECT max(seq) FROM fovea.entries)", "s", 11, False,
     "cannot be read"),
    ("UPDATE fovea.sessions SET name = 'a b'", "-", 0, False, "a name that is none"),
    ("DELETE FROM fovea.blobs WHERE sha256 = (SELECT sha256 FROM fovea.variants)", "-", 0, True, "are not there"),
    ("UPDATE fovea.blobs SET data = set_byte(data, 0, get_byte(data, 0) # 1) WHERE sha256 = (SELECT sha256 FROM fovea.variants)",
     "-", 0, True, "smaller version"),
    ("ALTER TABLE fovea.blobs DROP CONSTRAINT blobs_sha256_check; INSERT INTO fovea.blobs VALUES ('\\x00', '\\x00')", "-", 0, False,
     "no hash"),
    ("DELETE FROM fovea.heads", "s", 0, True, "not what its entries say"),
    ("UPDATE fovea.marks SET seq = 2 WHERE seq = 1", "s", 0, True, "not what its entries say"),
    ("UPDATE fovea.marks SET name = 'other' WHERE seq = 1", "s", 0, True, "not what its entries say"),
    ("DELETE FROM fovea.uses WHERE seq = 3", "s", 0, True, "not what its entries say"),
    ("DROP INDEX fovea.entries_key", "-", 0, True, "structure"),
    ("DROP INDEX fovea.marks_name", "-", 0, True, "structure"),
    ("DROP INDEX fovea.uses_sha256", "-", 0, True, "structure"),
]


def problems(url, *words):
    done = record(url, "check", *words)
    check(done.returncode == 0, done.stdout + done.stderr)
    lines = done.stdout.splitlines()
    return [line.split(" ", 4)[1:] for line in lines[:-1]], int(lines[-1].split()[1])


TABLES = ("sessions", "entries", "blobs", "variants", "heads", "marks", "uses")
SAVE = "CREATE SCHEMA saved; " + "".join("CREATE TABLE saved.%s AS TABLE fovea.%s; " % (t, t) for t in TABLES)
RESTORE = "".join("DELETE FROM fovea.%s; " % t for t in reversed(TABLES)) + "".join(
    "INSERT INTO fovea.%s OVERRIDING SYSTEM VALUE TABLE saved.%s; " % (t, t) for t in TABLES)


@test
def checking_finds_what_was_changed_and_mends_what_it_can(server):
    server.sql("CREATE DATABASE damaged")
    url, wrong = server.url("damaged"), []
    finish(writer(url, "s", "d", 5))
    done = record(url, "keep", "s")
    check(done.returncode == 0, done.stdout)
    check(problems(url, "-") == ([], 0), "a whole record has problems: %s" % problems(url, "-")[0])
    server.sql(SAVE, "damaged")
    for sql, session, seq, mends, words in DAMAGE:
        server.sql(RESTORE + sql, "damaged")
        found, left = problems(url, "-")
        mended, left_then = problems(url, "-", "repair")
        named = any(p[0] == session and int(p[1]) == seq and (words in p[3] or words == "structure") for p in found)
        right = any(p[2] == "1" for p in mended) and not left_then and not problems(url, "-")[1] if mends else left_then
        if not named or not left or not right:
            wrong.append("%s: found %s, mended %s, left %d" % (sql, found, mended, left_then))
    check(not wrong, "\n".join(wrong))
    return "%d kinds of damage" % len(DAMAGE)


TORN = ("ALTER TABLE fovea.entries RENAME TO facts;"
        " CREATE FUNCTION fovea.torn(n bigint, b bytea) RETURNS bytea IMMUTABLE LANGUAGE plpgsql AS $$BEGIN IF n = 4 THEN RAISE 'torn' USING ERRCODE = 'XX001'; END IF; RETURN b; END$$; CREATE VIEW fovea.entries AS"
        " SELECT session, seq, at_ms, hash, key, fovea.torn(seq, body) AS body FROM fovea.facts")


@test
def an_entry_that_the_server_cannot_read_is_named_and_the_rest_is_given(server):
    server.sql("CREATE DATABASE torn")
    finish(writer(server.url("torn"), "s", "t", 5))
    server.sql(TORN, "torn")
    done = record(server.url("torn"), "read", "s")
    lines = done.stdout.splitlines()
    check(len(lines) == 4 and "entry 4 cannot be read" in lines[3], done.stdout)
    found, _ = problems(server.url("torn"), "s")
    check(any(p[1] == "4" and p[3].startswith("it cannot be read: ") for p in found) and not any(p[1] not in "04" for p in found), found)


@test
def a_newer_record_is_left_alone(server):
    server.sql("CREATE DATABASE newer")
    finish(writer(server.url("newer"), "s", "n", 1))
    server.sql("UPDATE fovea.version SET version = version + 1", "newer")
    for words in (("append", "s", "n", "2"), ("read", "s")):
        done = record(server.url("newer"), *words)
        check(done.returncode == 1 and "newer fovea" in done.stdout, done.stdout)
    check(server.sql("SELECT count(*) FROM fovea.entries", "newer") == "2", "entries were written")


@test
def a_version_that_never_was_is_damage(server):
    server.sql("CREATE DATABASE versions")
    finish(writer(server.url("versions"), "s", "n", 1))
    for sql in ("UPDATE fovea.version SET version = -3", "UPDATE fovea.version SET version = 0", "DELETE FROM fovea.version",
                "DROP TABLE fovea.version"):
        server.sql(sql, "versions")
        for words in (("append", "s", "n", "2"), ("read", "s")):
            done = record(server.url("versions"), *words)
            check(done.returncode == 1 and "its version is none" in done.stdout, sql + ": " + done.stdout)
        found, left = problems(server.url("versions"), "-")
        check(left and any("its version is none" in p[3] for p in found), found)
    check(server.sql("SELECT count(*) FROM fovea.entries", "versions") == "2", "entries were written")


@test
def reading_an_empty_database_makes_nothing(server):
    server.sql("CREATE DATABASE bare")
    done = record(server.url("bare"), "read", "s")
    check(done.returncode == 1 and 'no session "s"' in done.stdout, done.stdout)
    check(server.sql("SELECT count(*) FROM pg_namespace WHERE nspname = 'fovea'", "bare") == "0", "a schema was made")


@test
def no_fault_shows_a_password(server):
    with open(os.path.join(server.data, "pg_hba.conf"), encoding="ascii") as file:
        hba = file.read()
    server.sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
    with open(os.path.join(server.data, "pg_hba.conf"), "w", encoding="ascii") as file:
        file.write("local all locked scram-sha-256\n" + hba)
    server.sql("SELECT pg_reload_conf()")
    time.sleep(0.2)
    folder, secret = server.folder, "s3cret%40word"
    urls = {
        "postgresql://locked:%s@/postgres?host=%s" % (secret, folder): "refuses the user",
        "postgresql://locked@/postgres?host=%s&password=%s" % (folder, secret): "refuses the user",
        "postgresql://u:%s@/%s?host=%s" % (secret, secret, folder): "does not exist",
        "postgresql://u:%s@/x?host=/nowhere" % secret: "cannot be reached",
        "postgresql://u:%s@h:bad:port/x" % secret: "bad:port",
        "postgresql://u:%s@/x?host=%s&bogus=1" % (secret, folder): "no address",
        "postgresql://u:s3cret@word@h/x": "no address",
        "postgresql://u:s3cret/word@h/x": "no address",
        "postgresql://u:s3cret%%word@h/x": "no address",
    }
    for url, words in urls.items():
        done = record(url, "read", "s")
        said = done.stdout + done.stderr
        check(done.returncode == 1 and words in said and not done.stderr, "%s: %s" % (url, said))
        check("s3cret" not in said, "%s: %s" % (url, said))


def main():
    server = Server(sys.argv[1])
    bad = 0
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    try:
        server.start()
        for function in tests:
            if only not in function.__name__:
                continue
            start = time.monotonic()
            try:
                note = function(server)
                print("ok %s (%s%.1f s)" % (function.__name__, note + "; " if note else "", time.monotonic() - start), flush=True)
            except Exception as fault:
                bad = 1
                print("  %s" % ("%s: %s" % (type(fault).__name__, fault)).replace("\n", "\n  "), file=sys.stderr)
                print("not ok %s" % function.__name__, flush=True)
    finally:
        if server.process and server.process.poll() is None:
            server.kill()  # its files go anyway
        shutil.rmtree(server.folder, ignore_errors=True)
    return bad


sys.exit(main())
