# SPDX-License-Identifier: Apache-2.0
. "${0%/*}/lib.sh"
python drawn.py "$@"
