# SPDX-License-Identifier: Apache-2.0
"""JSONTestSuite as lines: what is no JSON gets exactly one error, whatever else is JSON or may be gets exactly one
reply, and the next good line always gets its own. The server is the same one throughout."""
import os
import sys

from stdio import Server, finish, request, said

SUITE = os.path.join(os.environ["SHARED"], "corpora", "JSONTestSuite")


def is_one_line(data):
    body = data[:-1] if data.endswith(b"\n") else data
    return b"\n" not in body and body.strip(b" \t\r\n") != b""


def cases(kind):
    for name in sorted(os.listdir(SUITE)):
        if name.startswith(kind) and name.endswith(".json"):
            with open(os.path.join(SUITE, name), "rb") as file:
                data = file.read()
            if is_one_line(data):
                yield name, data.rstrip(b"\n") + b"\n"


def one_error(server, data, codes):
    """None, or what is wrong with the reply to these bytes."""
    server.send(data)
    reply = server.next()
    if not isinstance(reply, dict) or reply.get("jsonrpc") != "2.0" or "result" in reply:
        return f"no error object: {reply}"
    if reply.get("error", {}).get("code") not in codes or not isinstance(reply["error"].get("message"), str):
        return f"wrong error: {reply}"
    if "id" in reply and not isinstance(reply["id"], (str, int)):
        return f"wrong id: {reply}"
    return None


def run(version):
    with Server() as server:
        if version:
            server.hello(version)
        for kind, codes, want in (("n_", (-32700,), 183), ("y_", (-32700, -32600), 93), ("i_", (-32700, -32600), 35)):
            bad, count = [], 0
            for name, data in cases(kind):
                wrong = one_error(server, data, codes)
                server.send(request(name, "ping"))
                after = server.next()
                if not wrong and (after.get("id") != name or "result" not in after):
                    wrong = f"the next line got {after}"
                count += 1
                if wrong:
                    bad.append(f"{name}: {wrong}")
            when = f"after_initialize_{version.replace('-', '_')}" if version else "before_initialize"
            said(f"json_suite_{kind}lines_each_get_one_error_{when}", not bad and count >= want,
                 f"{count} cases, {len(bad)} bad: " + "; ".join(bad[:6]))
        rest, status = server.close()
        said(f"json_suite_server_ends_well_{when}", not rest and status == 0, f"{rest[:3]} {server.ending()}")


if not os.path.isdir(SUITE):
    print("skip json_suite: no ../shared/corpora/JSONTestSuite here")
    sys.exit(0)
run("2025-11-25")
run(None)
finish()
