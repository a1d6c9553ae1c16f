# SPDX-License-Identifier: Apache-2.0
# awk -v most=BYTES -v from=DIR/ -f tools/fuzz_pick.awk CONTROL: of the inputs that a merge of the fuzzer measured (its control file, which
# has all features of each, see -set_cover_merge), those beneath DIR that hold most features in so many bytes of base64: one path a line.
# Each time the one that adds most for its size. What other inputs have, the seeds, is there anyway and counts for nothing.

# What it takes as a line.
function cost(i) { return int((size[i] + 2) / 3) * 4 + 1 }

# Features that it has and no one before; asked for again only when it is about to be taken.
function gain(i,    n, k, j, f) {
    n = split(features[i], f, " ")
    for (j = 1; j <= n; j++)
        k += !(f[j] in had)
    return k
}

function have(i,    n, j, f) {
    n = split(features[i], f, " ")
    for (j = 1; j <= n; j++)
        had[f[j]]
}

NR == 1 { files = $1; next }
NR == 2 { next }
NR <= files + 2 { path[NR - 3] = $0; next }
$1 == "STARTED" { size[$2] = $3; next }
$1 == "FT" { i = $2; $1 = $2 = ""; features[i] = $0 }

END {
    for (i = 0; i < files; i++)
        if ((i in features) && index(path[i], from) != 1)
            have(i)
    for (i = 0; i < files; i++)
        if ((i in features) && index(path[i], from) == 1) {
            left[i]
            worth[i] = gain(i) / cost(i)
        }
    for (;;) {
        best = -1
        for (i in left)
            if (worth[i] > 0 && (best < 0 || worth[i] > worth[best] || (worth[i] == worth[best] && path[i] < path[best])))
                best = i
        if (best < 0)
            exit
        now = gain(best) / cost(best)
        if (now < worth[best]) {
            worth[best] = now
            continue
        }
        delete left[best]
        if (sum + cost(best) > most)
            continue # a smaller one may still fit
        sum += cost(best)
        have(best)
        print path[best]
    }
}
