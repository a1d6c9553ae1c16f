# SPDX-License-Identifier: Apache-2.0
# data/models.tsv → the rows of src/model/table.c, so that the library needs no file at run time. Prices become whole
# millionths of a dollar a million tokens; -1 stands for not known.
BEGIN { FS = "\t" }
function micro(words) { return words == "" ? "-1" : sprintf("%.0f", words * 1000000) }
function whole(words) { return words == "" ? "0" : words }
function bit(words, name) { return words == "yes" ? " | MODEL_" name : "" }
function price(a, b, c, d) { return "{" micro(a) ", " micro(b) ", " micro(c) ", " micro(d) "}" }
function tier_list(words,    n, i, all, p, out) {
    n = split(words, all, ";")
    if (n > 2)
        exit 1
    for (i = 1; i <= n; i++) {
        split(all[i], p, ":")
        out = out "{" p[1] ", " price(p[2], p[3], p[4], p[5]) "}, "
    }
    return out
}
/^#/ { next }
NF != 18 { print FILENAME ":" NR ": " NF " fields" > "/dev/stderr"; exit 1 }
{
    printf "{\"%s\", \"%s\", 0%s%s%s%s, %s, %s, %s, %s, %s, {%s}, \"%s\", \"%s\", \"%s\"},\n", $1, $2, bit($3, "VISION"), \
        bit($4, "PDF"), bit($5, "VIDEO"), bit($6, "TOOL_IMAGE"), whole($7), whole($8), whole($14), whole($15), \
        price($9, $10, $11, $12), $13 == "" ? "{0}" : tier_list($13), $16, $17, $18
}
