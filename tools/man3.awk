# SPDX-License-Identifier: Apache-2.0
# fovea.3 from fovea.h: the opening comment is the description, each heading a section, each declaration a block with
# the comment that stands before it.
function text(line) {
    gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line); gsub(/'/, "\\(aq", line)
    return (line ~ /^\./ ? "\\\\&" : "") line
}
function flush_comment() {
    if (comment != "") printf "%s", comment
    comment = ""
}
function add_comment(line) {
    sub(/^[ \t]*\/?\*+\/?[ \t]?/, "", line); sub(/[ \t]*\*\/[ \t]*$/, "", line)
    if (line ~ /^[ \t]*- /) { sub(/^[ \t]*- /, "", line); comment = comment ".IP \\(bu 2\n" text(line) "\n" }
    else if (line ~ /^[ \t]*$/) comment = comment ".PP\n"
    else { sub(/^[ \t]+/, "", line); comment = comment text(line) "\n" }
}
function begin(title) { print ".SH " toupper(title) }
BEGIN {
    print ".\\\" Made from fovea.h."
    print ".TH FOVEA 3 \"\" \"fovea\" \"Library Functions\""
    print ".SH NAME\nfovea \\- visual perception for LLM agents"
    print ".SH SYNOPSIS\n.B #include <fovea.h>\n.PP\nLink with \\fI\\-lfovea\\fR.\n.SH DESCRIPTION"
}
/^\/\* SPDX/ { next }
/^\/\* -----/ { flush_comment(); title = $0; gsub(/^\/\* -+ | \*\/$/, "", title); begin(title); next }
!in_comment && /^\/\*/ {
    if (opened) comment = comment ".PP\n"
    add_comment($0)
    if ($0 !~ /\*\/[ \t]*$/) in_comment = 1
    next
}
in_comment {
    if ($0 !~ /^ \*\/$/) add_comment($0)
    if ($0 ~ /\*\/[ \t]*$/) { in_comment = 0; if (!opened) { flush_comment(); opened = 1 } }
    next
}
/^#define FOVEA_VERSION/ { next }
/^#|^extern "C"|^}$/ && !in_block { next }
/^[ \t]*$/ { if (!in_block) flush_comment(); next }
{
    line = $0
    sub(/^FOVEA_API /, "", line); gsub(/\\/, "\\e", line); gsub(/-/, "\\-", line)
    if (!in_block) { flush_comment(); print ".PP\n.nf"; in_block = 1 }
    print (line ~ /^[.']/ ? "\\&" : "") line
    if (line ~ /^(struct|enum) [a-z_]+ \{$/) { in_body = 1; next }
    if (line ~ /^}/) in_body = 0
    if (!in_body && line ~ /;/) { print ".fi"; in_block = 0 }
}
END { flush_comment(); print ".SH SEE ALSO\n.BR fovea (1)" }
