# SPDX-License-Identifier: Apache-2.0
# Model figures as they were collected (CSV) → data/models.tsv: one row a model, every figure with its source and date.
# An empty field is not known. Known faults of the inputs are mended here, each in one place.
# Usage: awk -f tools/models.awk ../shared/data/models.csv > data/models.tsv

# One CSV line into field[1..]; returns how many.
function split_csv(line,    n, i, c, quoted, word) {
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (quoted && c == "\"" && substr(line, i + 1, 1) == "\"") {
            word = word c
            i++
        } else if (c == "\"") {
            quoted = !quoted
        } else if (c == "," && !quoted) {
            field[++n] = word
            word = ""
        } else {
            word = word c
        }
    }
    field[++n] = word
    return n
}

function of(name) { return field[column[name]] }

# yes, no, or nothing: whoever reads it takes the unknown for no.
function flag(words) {
    if (words ~ /^yes/)
        return "yes"
    return words ~ /^(no|via)/ ? "no" : ""
}

# A rate of 0 beside a price that is not 0 means that nobody wrote it down.
function rate(words, price) { return words + 0 == 0 && price + 0 > 0 ? "" : words }

function json_number(text, name,    at) {
    at = index(text, "\"" name "\": ")
    if (!at)
        return ""
    text = substr(text, at + length(name) + 4)
    sub(/[,}].*/, "", text)
    return text
}

# [{"inputTokensAbove": N, ...}, ...] → N:in:out:read:write;...
function tiers(json,    n, i, part, out, price) {
    n = split(json, part, "}")
    for (i = 1; i < n; i++) {
        price = json_number(part[i] "}", "input")
        out = out (out ? ";" : "") json_number(part[i] "}", "inputTokensAbove") ":" price ":" \
            json_number(part[i] "}", "output") ":" rate(json_number(part[i] "}", "cacheRead"), price) ":" \
            rate(json_number(part[i] "}", "cacheWrite"), price)
    }
    return out
}

BEGIN {
    OFS = "\t"
    print "# Made by tools/models.awk; licences in data/NOTICE.models. Prices are US dollars a million tokens; an empty field is not known."
    print "# tiers: ABOVE:in:out:cache_read:cache_write;... a request with more input tokens than ABOVE has that price as a whole."
    print "#provider", "id", "vision", "pdf", "video", "tool_image", "context", "max_output", "in", "out", "cache_read", \
        "cache_write", "tiers", "request_bytes", "images", "price_source", "limits_source", "modality_source"
}
NR == 1 {
    sub(/\r$/, "")
    for (n = split_csv($0); n; n--)
        column[field[n]] = n
    next
}
{
    sub(/\r$/, "")
    split_csv($0)
    id = of("model")
    price_source = limits_source = of("price_source")
    modality_source = of("modality_source") ? of("modality_source") : of("price_source")
    input = of("usd_in_per_M"); output = of("usd_out_per_M")
    read = rate(of("usd_cache_read_per_M"), input); write = rate(of("usd_cache_write_per_M"), input)
    tier = tiers(of("price_tiers"))

    # Its input price is a slip of the catalogue: the batch price of the same model is twelve times as high.
    if (of("provider") == "openrouter" && id == "moonshotai/kimi-k3") {
        input = output = read = write = tier = ""
        price_source = "dropped: implausible in " price_source
    }
    # Routers and previews without a price are listed as 0; what is free says so in its name.
    if (input + 0 == 0 && output + 0 == 0 && input != "" && id !~ /:free$/) {
        input = output = read = write = tier = ""
        price_source = "none: 0 in " price_source
    }
    # The catalogue has the price cliff at 272000 in the place of the window.
    if (of("context") ~ /price cliff/)
        limits_source = "OpenAI docs 2026-08 (pi-ai has the price step, 272000)"
    if (of("pdf") ~ /^yes \(/)
        modality_source = modality_source "; pdf: litellm 2026-08-08 (models.dev says no)"
    if (of("pdf") ~ /^via/)
        modality_source = modality_source "; pdf only by a plugin of the host"
    print of("provider"), id, flag(of("vision")), flag(of("pdf")), flag(of("video")), flag(of("image_in_tool_result")), \
        of("context") + 0, of("max_output"), input, output, read, write, tier, of("max_request_bytes"), of("max_images"), \
        price_source, limits_source, modality_source
}
