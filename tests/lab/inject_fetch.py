# SPDX-License-Identifier: Apache-2.0
"""inject_fetch.py BUILD FOLDER [POINTS]: plays the injector's scenes of fetching against the servers of tests/net. POINTS calls of each
kind for a whole fetch, and all of the short one that is refused."""
import os
import ssl
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "net"))
import servers  # noqa: E402

BUILD, FOLDER = sys.argv[1], sys.argv[2]
POINTS = int(sys.argv[3] or 0) if len(sys.argv) > 3 else 0
KINDS = [os.environ["INJECT_KINDS"]] if os.environ.get("INJECT_KINDS") else []


def main():
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(FOLDER + "/good.pem", FOLDER + "/key.pem")
    hold = servers.start_servers({"": tls})
    env = {**os.environ, "INJECT_CA": FOLDER + "/ca.pem"}
    bad = 0
    for scene in ("fetch_refused", "fetch"):
        status = subprocess.run([BUILD + "/tests/lab/inject", str(POINTS), scene] + KINDS, env=env, check=False).returncode
        bad |= status not in (0, 4)  # 4: it makes no call of that kind
    del hold
    sys.stdout.flush()
    os._exit(1 if bad else 0)


main()
