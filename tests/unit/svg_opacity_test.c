/* SPDX-License-Identifier: Apache-2.0 */
/* Which see-through marks are drawn without a layer: those that look the same, and nobody else. */
#include "render/svg/opacity.c"
#include "test.h"

static const struct {
    const char *why, *markup;
    const char *spared; /* NULL: as it is */
} rows[] = {
    {"filled", "<svg><path fill='red' opacity='.5'/></svg>",
     "<svg><path fill='red' fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"filled by default", "<svg><rect opacity = \"0.25\" x='1'/></svg>",
     "<svg><rect fill-opacity=\"0.25\" stroke-opacity=\"0.25\" x='1'/></svg>"},
    {"stroked, not filled from above", "<svg><g fill='none'><path opacity='0.7' stroke='red'/></g></svg>",
     "<svg><g fill='none'><path fill-opacity=\"0.7\" stroke-opacity=\"0.7\" stroke='red'/></g></svg>"},
    {"a line has no inside", "<svg><line stroke='red' opacity='.5'/></svg>",
     "<svg><line stroke='red' fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"what is above ends with its end", "<svg><g stroke='red'></g><rect opacity='.5'/></svg>",
     "<svg><g stroke='red'></g><rect fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"what is closed hands nothing down", "<svg><g stroke='red'/><rect opacity='.5'/></svg>",
     "<svg><g stroke='red'/><rect fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"with a > in a value", "<svg><path d='>' opacity='.5'/></svg>",
     "<svg><path d='>' fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"behind a remark with a tag", "<?xml version='1.0' encoding='UTF-8'?><!-- <g stroke='red'> --><svg><path opacity='.5'/></svg>",
     "<?xml version='1.0' encoding='UTF-8'?><!-- <g stroke='red'> --><svg><path fill-opacity=\".5\" stroke-opacity=\".5\"/></svg>"},
    {"behind a remark that seems to end at once", "<svg><!--><g stroke='red'>--><!---><g>--><path opacity='.5'></path></svg>",
     "<svg><!--><g stroke='red'>--><!---><g>--><path fill-opacity=\".5\" stroke-opacity=\".5\"></path></svg>"},
    {"two of them", "<svg><path opacity='.5'/><path opacity='1'/><path opacity='.1'/></svg>",
     "<svg><path fill-opacity=\".5\" stroke-opacity=\".5\"/><path opacity='1'/><path fill-opacity=\".1\" stroke-opacity=\".1\"/></svg>"},
    {"nothing of filled and stroked", "<svg><path stroke='red' opacity='0'/></svg>",
     "<svg><path stroke='red' fill-opacity=\"0\" stroke-opacity=\"0\"/></svg>"},
    {"nothing under a paint with an opacity", "<svg fill-opacity='.5'><path opacity='0.0'/></svg>",
     "<svg fill-opacity='.5'><path fill-opacity=\"0.0\" stroke-opacity=\"0.0\"/></svg>"},
    {"nothing of a text", "<svg><text opacity='0'>12:00</text></svg>",
     "<svg><text fill-opacity=\"0\" stroke-opacity=\"0\">12:00</text></svg>"},

    {"filled and stroked", "<svg><path fill='red' stroke='blue' opacity='.5'/></svg>", NULL},
    {"filled, and stroked from above", "<svg stroke='blue'><g><path opacity='.5'/></g></svg>", NULL},
    {"a paint that is a reference", "<svg><path stroke='url(#a)' opacity='.5'/></svg>", NULL},
    {"inherited", "<svg stroke='red'><path stroke='inherit' opacity='.5'/></svg>", NULL},
    {"a style of its own", "<svg><path style='stroke:red' opacity='.5'/></svg>", NULL},
    {"a style above", "<svg><g style='stroke:red'><path opacity='.5'/></g></svg>", NULL},
    {"a paint with an opacity", "<svg><path fill-opacity='.5' opacity='.5'/></svg>", NULL},
    {"a paint with an opacity above", "<svg><g stroke-opacity='.5'><path opacity='.5'/></g></svg>", NULL},
    {"something inside, which would inherit", "<svg><path opacity='.5'><pattern id='p'><rect/></pattern></path></svg>", NULL},
    {"nothing, with something inside", "<svg><path opacity='0'><mask id='m'><rect/></mask></path></svg>", NULL},
    {"a group", "<svg><g opacity='.5'><path/></g></svg>", NULL},
    {"a text", "<svg><text opacity='.5'>12:00</text></svg>", NULL},
    {"nothing of a text with parts", "<svg><text opacity='0'>a<tspan fill-opacity='1'>b</tspan></text></svg>", NULL},
    {"nothing of a picture in a text", "<svg><text opacity='0'>\xf0\x9f\x98\x80</text></svg>", NULL},
    {"nothing of a number in a text", "<svg><text opacity='0'>&#x1f600;</text></svg>", NULL},
    {"nothing of a group", "<svg><g opacity='0'><path fill-opacity='1'/></g></svg>", NULL},
    {"all of it", "<svg><path opacity='1'/></svg>", NULL},
    {"less than a tenth, which many would show", "<svg><path opacity='.09'/><path opacity='0.05'/></svg>", NULL},
    {"a percentage", "<svg><path opacity='50%'/></svg>", NULL},
    {"a number by its code", "<svg><path opacity='&#46;5'/></svg>", NULL},
    {"an empty one", "<svg><path opacity=''/></svg>", NULL},
    {"another's opacity", "<svg xmlns:a='b'><path a:opacity='.5' stop-opacity='.5'/></svg>", NULL},
    {"a mask", "<svg><path mask='url(#m)' opacity='.5'/></svg>", NULL},
    {"a filter", "<svg><path filter='url(#m)' opacity='.5'/></svg>", NULL},
    {"a clip", "<svg><path clip-path='url(#m)' opacity='.5'/></svg>", NULL},
    {"a blend", "<svg><path mix-blend-mode='screen' opacity='.5'/></svg>", NULL},
    {"rules", "<svg><style>path{stroke:red}</style><path opacity='.5'/></svg>", NULL},
    {"rules elsewhere", "<?xml-stylesheet href='a'?><svg><path opacity='.5'/></svg>", NULL},
    {"an entity", "<!DOCTYPE svg [<!ENTITY e \"stroke='red'\">]><svg><path opacity='.5'/></svg>", NULL},
    {"used elsewhere", "<svg><path id='a' opacity='.5'/><use stroke='red' href='#a'/></svg>", NULL},
    {"used by a filter", "<svg><path id='a' opacity='.5'/><filter><feImage stroke='red' href='#a'/></filter></svg>", NULL},
    {"included", "<svg xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='data:,a'/><path opacity='.5'/></svg>", NULL},
    {"digits of a colour font", "<svg><text font-family='Noto Color Emoji' opacity='0'>12</text></svg>", NULL},
    {"markers", "<svg><path marker-end='url(#m)' opacity='.5'/></svg>", NULL},
    {"letters of another alphabet", "<?xml version='1.0' encoding='ISO-2022-JP'?><svg><path opacity='.5'/></svg>", NULL},
    {"no markup: quotes", "<svg><path opacity='.5/></svg>", NULL},
    {"no markup: twice", "<svg><path opacity='.5' opacity='.5'/></svg>", NULL},
    {"no markup: no quotes", "<svg><path opacity=.5 fill='red'/></svg>", NULL},
    {"no markup: cut in a tag", "<svg><path opacity='.5'", NULL},
    {"no markup: ends too often", "<svg><path opacity='.5'/></svg></svg></svg>", NULL},
};

/* In a block of its own size, so that a byte behind it is found. */
static char *spare(const char *markup, size_t len, struct svg_markup *ret)
{
    char *copy = malloc(len);
    memcpy(copy, markup, len);
    *ret = (struct svg_markup){(const uint8_t *)copy, len};
    char *spared = svg_spare_layers(ret);
    free(copy);
    return spared;
}

TEST(marks_that_look_the_same_lose_their_layer_and_no_others)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct svg_markup m;
        char *spared = spare(rows[i].markup, strlen(rows[i].markup), &m);
        CHECK_MSG(!spared == !rows[i].spared, "%s: %s", rows[i].why, spared ? spared : "as it is");
        if (spared && rows[i].spared)
            CHECK_MSG(m.len == strlen(rows[i].spared) && !memcmp(m.data, rows[i].spared, m.len), "%s: %s", rows[i].why, spared);
        free(spared);
    }
}

TEST(markup_that_is_cut_anywhere_is_read_to_its_end_and_no_further)
{
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t len = 1; len <= strlen(rows[i].markup); len++) {
            struct svg_markup m;
            char *spared = spare(rows[i].markup, len, &m);
            CHECK(!spared || m.len > len);
            free(spared);
        }
}

TEST(markup_with_zeros_and_markup_that_is_too_deep_stays_as_it_is)
{
    static const char mark[] = "<path opacity='.5'/>";
    char deep[DEEPEST * 3 + sizeof mark + 3];
    struct svg_markup m;
    char *spared = spare("<svg>\0<path opacity='.5'/></svg>", 32, &m);
    CHECK(!spared);
    for (size_t levels = DEEPEST - 3; levels < DEEPEST + 1; levels++) {
        size_t len = 0;
        for (size_t i = 0; i < levels; i++, len += 3)
            memcpy(deep + len, "<g>", 3);
        memcpy(deep + len, mark, sizeof mark - 1);
        spared = spare(deep, len + sizeof mark - 1, &m);
        CHECK_MSG(!spared == (levels > DEEPEST - 2), "%zu levels", levels);
        free(spared);
    }
}
