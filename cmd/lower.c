/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fovea lower`: the messages of the next request, from the record. They go out as they are made; an exit code other than 0 says
 * that they are not whole.
 */
#include "lower.h"

#include <string.h>

#include "out.h"
#include "sink.h"

/* ---------------------------------------------------------------- what was asked for */

static int conflict(const char *words)
{
    say("lower: %s", words);
    say_plain("try 'fovea lower --help'");
    return EXIT_USAGE;
}

/* Options that would do nothing are a misunderstanding. */
static int check(const struct invocation *in, const struct lower_values *v)
{
    bool lowering = !v->simulate && !v->trace;
    if (in->n_args && v->trace)
        return conflict("a session or --trace, not both");
    if (!in->n_args && !v->trace)
        return conflict("it needs SESSION or --trace NAME");
    if (!v->simulate && (v->policies || v->plot || v->json || v->base))
        return conflict("--policies, --plot, --base-tokens and --json go with --simulate");
    if (!lowering && (v->retain || v->at || v->report || v->full || v->bridge))
        return conflict("--retain, --at, --full, --bridge and --report go with a session that is lowered");
    if (!lowering && !v->simulate && (v->model || v->wire))
        return conflict("--trace alone prints entries; --model and --wire go with --simulate");
    int bad = wire_check("lower", v->wire);
    return bad ? bad : trace_check(v->trace);
}

/* ---------------------------------------------------------------- lowering */

/* "-" is stderr: stdout is the request. */
static int write_report(fovea_session *s, const char *file)
{
    auto_free char *report = fovea_session_report_new(s);
    auto_buf line = BUF_INIT(LIMIT_CLI_ANSWER);
    (void)buf_add_format(&line, "%s\n", report ? report : "");
    if (!report || line.error) {
        say("out of memory");
        return EXIT_FAULT;
    }
    if (strcmp(file, "-") != 0)
        return write_file(file, line.data, line.len);
    say_plain("%s", report);
    return EXIT_DONE;
}

static int lower_session(struct invocation *in)
{
    const struct lower_values *v = in->values;
    struct fovea_fault fault;
    struct fovea_lowered lowered;
    auto_opened o = {0};
    auto_sink sink;
    struct fovea_lower_request request = {
        .model = v->model, .wire = v->wire, .retain = v->retain, .full = v->full, .bridge = v->bridge};
    sink_init(&sink);
    int bad = number_above_0("lower", "at", v->at, &request.at);
    bad = bad ? bad : session_open(in, in->args[0], false, &o);
    bad = bad ? bad : session_exists(&o, in->args[0], false);
    if (bad)
        return bad;
    int r = fovea_lower(o.session, &request, sink_write, &sink, &lowered, &fault);
    if (r == -EINVAL && !sink.error)
        return out_fault(&fault, false, EXIT_USAGE);
    bad = sink_end(&sink, r, "\n", &fault);
    return bad || !v->report ? bad : write_report(o.session, v->report);
}

static int run(struct invocation *in)
{
    const struct lower_values *v = in->values;
    int bad = check(in, v);
    return bad ? bad : (v->simulate ? lower_simulate : v->trace ? lower_trace : lower_session)(in);
}

#define AT(member) offsetof(struct lower_values, member)
static const struct option options[] = {
    {"model", 'm', OPTION_STRING, "P/M", AT(model), "the provider and model that is asked next; default: the config's"},
    {"wire", 0, OPTION_STRING, "anthropic|openai-chat|openai-responses|gemini", AT(wire),
     "whose messages; default: the provider's"},
    {"retain", 0, OPTION_STRING, "POLICY", AT(retain),
     "which earlier pictures stay: auto, all or turns:N; default: the config's retention.policy"},
    {"at", 0, OPTION_STRING, "N", AT(at), "as of turn N; default: now"},
    {"full", 0, OPTION_FLAG, NULL, AT(full), "an object {wire, headers, body} with all that the request needs"},
    {"bridge", 0, OPTION_FLAG, NULL, AT(bridge),
     "an assistant message between tool results and a user message, for hosts that need one"},
    {"report", 0, OPTION_STRING, "FILE", AT(report), "write what was elided, changed or left out, as JSON; '-' is stderr"},
    {"simulate", 0, OPTION_FLAG, NULL, AT(simulate), "say what each policy would cost, and lower nothing"},
    {"trace", 0, OPTION_TRACE, "NAME", AT(trace), "a generated conversation instead of a session (alone: print its entries)"},
    {"policies", 0, OPTION_STRING, "LIST", AT(policies),
     "with --simulate; default: 'all turns:1 newest:3 batch:20:8 auto'"},
    {"base-tokens", 0, OPTION_STRING, "N", AT(base), "with --simulate: of the system prompt and tools; default: 4000"},
    {"plot", 0, OPTION_STRING, "FILE", AT(plot), "with --simulate: draw it too, as SVG"},
    {"json", 0, OPTION_FLAG, NULL, AT(json), "with --simulate: JSON instead of a table"},
    {0},
};

const struct command command_lower = {
    .name = "lower",
    .summary = "print the messages of the next request, from the record",
    .arguments = "[SESSION]",
    .about = "Prints the array that the provider's API wants (messages, input or contents), made from the record alone: always "
             "legal for that model, and the same bytes for the same record, on any machine. Earlier pictures stay or give way "
             "to a line that names them, as the policy says; the record itself never changes. It is written as it is made: "
             "only with exit status 0 it is whole. With --simulate: what the policies would cost, request by request.",
    .examples = "fovea lower work --model anthropic/claude-opus-4-7\n"
                "fovea lower work -m openai/gpt-5 --full --report report.json\n"
                "fovea lower work -m google/gemini-3.1-pro-preview --retain turns:2 --at 5\tas it was in turn 5\n"
                "fovea lower --simulate work -m anthropic/claude-opus-4-7 --plot cost.svg\n"
                "fovea lower --trace short | fovea session append try\n",
    .options = options,
    .values_size = sizeof(struct lower_values),
    .max_args = 1,
    .context = true,
    .run = run,
};
