#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The fetch of URLs against hostile DNS, TLS and HTTP servers, in a network of its own.
# Usage: BUILD=... tests/net/net_test.sh [PART OF A TEST'S NAME]
set -u
here=$(cd "$(dirname "$0")" && pwd)
exec sh "$here/space.sh" "$here/lab.py" "${1:-}"
