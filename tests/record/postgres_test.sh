# SPDX-License-Identifier: Apache-2.0
# The record in PostgreSQL: starts a server of its own from the packaged programs, on a unix socket in a folder of its own,
# runs the common tests of the record against it, and then takes connections and the server away while things are appended.
. "${0%/*}/../cli/lib.sh"
export BUILD TOP

if ! command -v python3 >/dev/null; then
    echo "skip postgres: no python3 here"
    exit 0
fi
server=
for place in "$(dirname "$(command -v initdb)" 2>/dev/null)" "$(pg_config --bindir 2>/dev/null)" /usr/lib/postgresql/*/bin; do
    [ ! -x "$place/initdb" ] || [ ! -x "$place/postgres" ] || [ ! -x "$place/psql" ] || server=$place
done
if [ -z "$server" ]; then
    echo "skip postgres: no PostgreSQL server programs"
    exit 0
fi
export PYTHONDONTWRITEBYTECODE=1
cd "$scratch" || exit 3
python3 "$TOP/tests/record/postgres.py" "$server" "$@" </dev/null
