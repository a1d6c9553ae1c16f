/* SPDX-License-Identifier: Apache-2.0 */
/* Every ceiling, in one table. A buffer, queue, loop or wait that names none of these is a bug. */
#ifndef FOVEA_LIMITS_H
#define FOVEA_LIMITS_H

#define KIB ((size_t)1 << 10)
#define MIB ((size_t)1 << 20)
#define GIB ((size_t)1 << 30)

/* Sources */
#define LIMIT_SNIFF_BYTES (256 * KIB)       /* how much of a file may decide its type */
#define LIMIT_VIEW_BYTES (20 * MIB)         /* view.maxBytes by default */
#define LIMIT_PATH_BYTES 4096               /* a path as given, NUL included */
#define LIMIT_PATH_VARIANTS 12              /* spellings tried for one path */
#define LIMIT_LINK_HOPS 40                  /* symbolic links followed, as the kernel does */
#define LIMIT_WALK_DEPTH 128                /* folders held open on the way to a file */
#define LIMIT_WALK_STEPS 20000              /* components, those of links included */
#define LIMIT_FLOOR_ENTRIES 16384           /* looked at for the other names of a file */
#define LIMIT_FLOOR_DEPTH 3                 /* and how deep beneath a folder of the floor */
#define LIMIT_SEAL_TRIES 8                  /* when the kernel itself is busy with a page */
#define LIMIT_OPEN_RETRIES 8                /* when the tree moves under us */
#define LIMIT_ROOTS 64                      /* folders in fs_reach */
#define LIMIT_OPEN_MS 10000                 /* a file system that makes no progress for so long */
#define LIMIT_FOLDER_MS 2000                /* for a folder that a host names to be found */
#define LIMIT_COPY_TOTAL_MS 10500           /* for all of a snapshot, however steadily it comes */
#define LIMIT_READ_TOTAL_MS 120000          /* for all of a text: 2 GiB from a slow disk */
#define LIMIT_KILL_MS 50                    /* waited for a killed reader; then it is left behind */
#define LIMIT_STRAY_READERS 16              /* left behind at once, in the whole process */
#define LIMIT_READ_PIECE (64 * KIB)         /* read from a file at once */
#define LIMIT_READERS 16                    /* processes of one gate that read files */
#define LIMIT_READERS_BUSY_MS 16000         /* waited for one of them when all are at work */
#define LIMIT_READER_TRIES (LIMIT_READERS + 2) /* readers found dead before one job gives up */
#define LIMIT_READER_IDLE_MS 60000          /* one without work ends: it holds a copy of the host's memory */
#define LIMIT_KEEPER_MS 1000                /* between two looks at idle readers */
#define LIMIT_GROUPS 1024                   /* of a process; one that is in more has new readers all the time */
#define LIMIT_READER_KEPT (64 * KIB)        /* of the memory of a text, for the next one */
#define LIMIT_CANCEL_NAP_MS 20              /* slept at once where a cancel cannot wake us */

/* The network, and bytes given as text */
#define LIMIT_URL_BYTES 2048                /* a URL as given, and one that a redirect makes */
#define LIMIT_URL_TARGET (3 * LIMIT_URL_BYTES + 2) /* its path and query with every byte escaped, NUL included */
#define LIMIT_HOST_BYTES 254                /* a host name, NUL included */
#define LIMIT_FETCH_BYTES (32 * MIB)        /* of one body */
#define LIMIT_FETCH_REDIRECTS 5
#define LIMIT_FETCH_HEADERS 256             /* lines of one answer, interim ones included */
#define LIMIT_FETCH_HEADER_BYTES (64 * KIB) /* and all of them together */
#define LIMIT_FETCH_DNS_MS 5000             /* one lookup */
#define LIMIT_FETCH_CONNECT_MS 5000         /* TCP and TLS, over all addresses of a host */
#define LIMIT_FETCH_HEADER_MS 10000         /* from the request to the end of the headers */
#define LIMIT_FETCH_STALL_MS 5000           /* the time in which a body must bring ... */
#define LIMIT_FETCH_STALL_BYTES (5 * KIB)   /* ... so much */
#define LIMIT_FETCH_TOTAL_MS 30000          /* a fetch with all its redirects and its wait for a place */
#define LIMIT_FETCH_TICK_MS 50              /* between two looks at the clocks */
#define LIMIT_FETCHES 16                    /* at once in the process */
#define LIMIT_FETCHES_HOST 4                /* and of one host, so that a slow one leaves places to others */
#define LIMIT_FETCHES_WAITING 256           /* for a place */
#define LIMIT_DNS_ANSWERS 64                /* addresses of one name */
#define LIMIT_STRAY_LOOKUPS 32              /* lookups left behind that have not ended yet */
#define LIMIT_B64_PIECE (64 * KIB)          /* characters decoded at once; a multiple of four */

/* Pixels */
#define LIMIT_SIDE 65535u
#define LIMIT_PIXELS 50000000ull            /* decoded in total, over the frames that are decoded */
#define LIMIT_FRAMES 1000000u               /* counted in an animation */
#define LIMIT_PAGES 1000000u                /* counted in a document */
#define LIMIT_DRAWING 2147483647u           /* a side of a drawing, in its units or CSS pixels, and how far from 0 its units begin */
#define LIMIT_DRAWN_SIDE 4096u              /* of what is drawn, where nothing else bounds it */
#define LIMIT_VIDEO_SECONDS 10000000000        /* that a time may name: three centuries, so that a wild guess is past the end */
#define LIMIT_SHEET_CELLS 64u               /* pictures in one contact sheet */
#define LIMIT_SHEET_FRAMES 12u              /* of them that show an animation */
#define LIMIT_REFS_BYTES (64 * KIB)         /* names of images in one Markdown */
#define LIMIT_INSET_BYTES (64 * MIB)        /* of the pixels that they are shown by */
#define LIMIT_REFS 32u                      /* of them shown */
#define LIMIT_DIFF_BOXES 32u                /* told of two pictures that differ */
#define LIMIT_TEXT_ROW (16 * KIB)           /* bytes of one row of text, with all that is piled up in it */
#define LIMIT_MARKDOWN_BYTES (512 * KIB)    /* of a Markdown that is laid out; a longer one is shown as its source */
#define LIMIT_MARKDOWN_TEXT (8 * MIB)       /* its text, with what acts made visible */
#define LIMIT_MARKDOWN_BLOCK 4096u          /* bytes set at once: Pango's time is quadratic where there is no blank */
#define LIMIT_MARKDOWN_PARTS (1u << 20)     /* blocks, cells, runs */
#define LIMIT_MARKDOWN_SLICES (1u << 21)    /* lines and rows on all pages */
#define LIMIT_MARKDOWN_LOOSE (64 * KIB)     /* of a row of a table that has no grid */
#define LIMIT_MARKDOWN_KEPT (64 * KIB)      /* of text that stays set between measuring and drawing */
#define LIMIT_MARKDOWN_IMAGES 512u          /* more are words */
#define LIMIT_MARKDOWN_ALT 300u             /* bytes of the words that stand for an image */
#define LIMIT_GLYPHS 1000000u               /* counted on one page */
#define LIMIT_RENDER_FILES 32               /* folders that a worker may read fonts and tables in */
#define LIMIT_RENDER_FDS 64                 /* of them open at once */
#define LIMIT_SVG_BYTES (64 * MIB)          /* markup of a compressed SVG */

#define LIMIT_VIDEO_MEMORY (2 * GIB)        /* address space: a score of reference frames at 4K, and many libraries */
#define LIMIT_VIDEO_MS 8500                 /* for all reading and decoding of a video; the rest is for its pixels */
#define LIMIT_VIDEO_LIST_MS 2500            /* of that, for finding its frames */
#define LIMIT_VIDEO_LOOK_MS 6000            /* from the start, for looking where it changes */
#define LIMIT_VIDEO_TIME ((int64_t)1 << 52) /* of a frame, in units of its stream: sums and scaling stay in 64 bits */
#define LIMIT_ICONS 256u                    /* images in one icon */
#define LIMIT_HEIF_IMAGES 4096              /* pictures in one HEIF file */
#define LIMIT_TIFF_SAMPLES 16u              /* of one pixel */
#define LIMIT_TIFF_ROWS (256 * MIB)         /* decoded at once: a strip, or a row of tiles */

#define LIMIT_ICC_BYTES (4 * MIB)           /* an embedded colour profile */
#define LIMIT_JPEG_SCANS 100                /* a progressive JPEG of more is built to waste time */
#define LIMIT_CODEC_STATE (512 * MIB)       /* held beside the rows: JPEG coefficients, lossless WebP pixels */

/* The record */
#define LIMIT_RECORD_WAIT_MS 10000          /* for another process to end its writing */
#define LIMIT_RECORD_TICK_MS 20             /* between two looks at the cancel while another thread has it */
#define LIMIT_RECORD_NAP_US 4000            /* between two looks at whether it has; the first ones are shorter */
#define LIMIT_RECORD_PAUSE_MS 1000          /* between two tries to reach a server that fell silent; as before */
#define LIMIT_RECORD_PAGES 250              /* of a log before it is folded into its file: the next start reads all of it */
#define LIMIT_RECORD_NAMES (64 * MIB)       /* of all sessions, while they are checked */
#define LIMIT_RECORD_INDEX (8 * MIB)        /* what is made of entries, before it is written */
#define LIMIT_ENTRY_BYTES (16 * MIB)        /* of one entry, without its pictures */
#define LIMIT_ENTRY_PARTS 4096              /* of one entry */
#define LIMIT_APPEND_ENTRIES 100000         /* appended at once */
#define LIMIT_JSON_SCAN_DEPTH 512           /* of values that are read in place */
#define LIMIT_REPORT_BYTES (1 * MIB)        /* of what a lowering left out */
#define LIMIT_TRANSCRIPT_BYTES (256 * MIB)  /* entries or a request that come in at once, pictures included */
#define LIMIT_TRANSCRIPT_VALUES 2000000     /* and what they are made of */
#define LIMIT_APPEND_TRIES 8                /* when others append at the same time */
#define LIMIT_JOIN_BACK 8                   /* stored entries in which the last speaker is looked for */
#define LIMIT_BATCH_ENTRIES 64              /* copied out of the record at once, for a host to read */
#define LIMIT_BATCH_BYTES (1 * MIB)         /* after so many the batch ends; its last entry may be longer */
#define LIMIT_CALLS_BACK 64                 /* entries that are looked at for the call that a tool answers */
#define LIMIT_CALL_ID 1024                  /* of a tool call, in bytes */
#define LIMIT_LOOKERS 2u                    /* threads that have pictures looked at */
#define LIMIT_LOOKS_MS 120000               /* for all pictures and documents of one append, import or lowering */
#define LIMIT_SESSION_ENTRIES ((size_t)1 << 24) /* of one session in memory, and things of one kind that are known of them */
#define LIMIT_SESSION_BYTES (1 * GIB)       /* of one session in memory, without its pictures */
#define LIMIT_SESSIONS ((size_t)1 << 20)    /* listed at once */
#define LIMIT_KEY_BYTES 200                 /* an append key */
#define LIMIT_MARK_BYTES (4096 + 16)        /* a name under which an entry is found */
#define LIMIT_BLOB_BYTES (64 * MIB)         /* one picture or document */

/* The record in PostgreSQL */
#define LIMIT_PG_CONNECT_MS 10000           /* one try, over all addresses of a server */
#define LIMIT_PG_NAP_MS 50                  /* before the second try, doubled for the next */
#define LIMIT_PG_NAP_MAX_MS 1000
#define LIMIT_PG_DEAD_MS 15000              /* bytes without acknowledgement from the other machine */
#define LIMIT_PG_SILENT_MS 30000            /* no byte of an answer; longer than two waits for other writers */
#define LIMIT_PG_LONG_MS 600000             /* the same of what goes through a whole record; and a whole answer */
#define LIMIT_PG_ANSWER_BYTES (LIMIT_BLOB_BYTES + 64 * MIB) /* of one answer: a page and its last row, or all sessions */
#define LIMIT_PG_IDLE_MS 60000              /* between two statements of a read: its server lets go */
#define LIMIT_PG_HELD_MS 8000               /* and of a write, which others wait for: less than they do */
#define LIMIT_PG_QUEUE 256                  /* statements sent ahead of their answers */
#define LIMIT_PG_QUEUE_BYTES (1 * MIB)      /* and their values, before the last one */
#define LIMIT_PG_UNASKED (32 * KIB)         /* of a blob that is sent without asking whether it is there */
#define LIMIT_PG_PAGE_ROWS 256              /* read at once */
#define LIMIT_PG_PAGE_BYTES (1 * MIB)       /* and their bodies, before the last one */
#define LIMIT_PG_WORDS 200                  /* characters of a server's words in a fault */
#define LIMIT_PG_URL 4096                   /* of record.store */
/* Lowering */
#define LIMIT_SINK_BYTES (64 * KIB)         /* collected before it is handed on */
#define LIMIT_GROUP_ENTRIES 65536u          /* of one message and its results; what is beyond begins another group */
#define LIMIT_GROUP_PARTS 131072u           /* and of all of them: about 20 and 40 MiB */
#define LIMIT_STUB_BYTES (16 * KIB)         /* words that stand for a picture */
#define LIMIT_ENVELOPE_BYTES (64 * MIB)     /* of a request without its messages */
#define LIMIT_OPEN_CALLS 1024               /* calls of tools that wait for their result; the oldest are forgotten */
#define LIMIT_BARS 4096                     /* parts of one session that a provider would not take */
#define LIMIT_SIM_POLICIES 8                /* compared at once */
#define LIMIT_SIM_TEXT (64 * MIB)           /* a simulation as a table or a plot */
#define LIMIT_TRACE_ENTRY (4 * MIB)         /* one generated entry */

/* Workers */
#define LIMIT_WORKER_MS 10000               /* wall clock of one picture; view.timeoutMs by default */
#define LIMIT_WORKER_CPU_S 30               /* both threads together */
#define LIMIT_WORKER_MEMORY (1 * GIB)
#define LIMIT_WORKER_ROOM (512 * MIB)       /* of it for all but the input, which is mapped whole: libraries, pixels, what is decoded */
#define LIMIT_VIEW_BYTES_MOST (LIMIT_WORKER_MEMORY - LIMIT_WORKER_ROOM) /* more could be allowed, but not shown */
#define LIMIT_VIDEO_BYTES_MOST (LIMIT_VIDEO_MEMORY - LIMIT_WORKER_ROOM)
#define LIMIT_WORKER_TASKS 2048u            /* threads above the tasks there are; others of the user may have come meanwhile */
#define LIMIT_WORKER_STACK (8 * MIB)        /* of each thread; the host's own may be beyond our memory */
#define LIMIT_WORKER_OUTPUT (64 * MIB)      /* what a worker may write */
#define LIMIT_RAW_OUTPUT (LIMIT_PIXELS * 4) /* the same of plain pixels, for another worker */
#define LIMIT_READY_WORKERS 8
#define LIMIT_WORKERS 64                    /* of one pool, at work and waiting */
#define LIMIT_WORKER_START_MS 5000          /* until it has locked itself in and says so */
#define LIMIT_EXPECTED_MS 3000              /* a worker started for a file that was not opened yet; what takes longer can bear a start */
#define LIMIT_WORKERS_BUSY_MS 16000         /* waited for a place: longer than a job that holds one may last */
#define LIMIT_WORKER_TRIES (LIMIT_READY_WORKERS + 2) /* workers found dead before one job gives up */
#define LIMIT_REAP_MS 2000                  /* for killed workers to be gone when a pool ends */
#define LIMIT_PREVIEW_SIDE 1024u

/* Reading text from pictures */
#define LIMIT_OCR_PATCHES 16000u            /* of 28 px: 12.5 million pixels, A4 at 350 dpi; a larger picture is scaled down */
#define LIMIT_OCR_SIDE 32000u               /* Tesseract's own is 32767 */
#define LIMIT_OCR_DRAWN 2200u               /* long side of a page that is drawn to be read: A4 at 190 dpi */
#define LIMIT_OCR_PAGES 10                  /* of a document, for one question */
#define LIMIT_OCR_MS 60000                  /* wall clock of one picture: a full page is slow */
#define LIMIT_OCR_CPU_S 75
#define LIMIT_OCR_MEMORY (2 * GIB)
#define LIMIT_OCR_DATA (64 * MIB)           /* of one language; the largest there is has 27 MiB */
#define LIMIT_OCR_TEXT (256 * KIB)
#define LIMIT_OCR_LINES 8192u
#define LIMIT_OCR_OUTPUT (1 * MIB)          /* both, and what is said of each line */
#define LIMIT_OCR_AT_ONCE 8u                /* and no more than there are processors */
#define LIMIT_OCR_BUSY_MS 60000             /* waited for a place */
#define LIMIT_OCR_LANGUAGE 32               /* letters of its name */

/* Text */
#define LIMIT_READ_LINES 2000               /* read's limit by default */
#define LIMIT_READ_WINDOW (8 * MIB)         /* text of one answer */
#define LIMIT_JSON_BYTES (32 * MIB)
#define LIMIT_CONFIG_BYTES (1 * MIB)
#define LIMIT_CONFIG_DEPTH 16               /* nested mappings and lists */
#define LIMIT_CONFIG_KEY 128                /* a dotted key, NUL included */
#define LIMIT_CONFIG_VALUE 4096             /* a string, NUL included */
#define LIMIT_CONFIG_LIST 256               /* entries of a list */
#define LIMIT_PERSONALITY_ID 64             /* letters of its name */

#define LIMIT_RENDER_BYTES (64 * MIB)       /* a call or a result as a terminal interface shows it */
#define LIMIT_RENDER_JOINED 16              /* characters on top of another one; what is piled up beyond is left out */

/* JSON Schema */
#define LIMIT_SCHEMA_DEPTH 128              /* nested values of a schema */
#define LIMIT_SCHEMA_VALUES 50000           /* of a schema and all it refers to */
#define LIMIT_SCHEMA_NAMES 1024             /* identifiers in them */
#define LIMIT_SCHEMA_URI 4096               /* bytes of a resolved reference */
#define LIMIT_SCHEMA_PATTERN (64 * KIB)     /* a regular expression, in PCRE2's words */
#define LIMIT_SCHEMA_PATTERNS 512           /* and how many */
#define LIMIT_SCHEMA_CHECK_DEPTH 512        /* schemas within schemas while one value is judged */
#define LIMIT_SCHEMA_STEPS 4000000          /* of one check, those of regular expressions included */
#define LIMIT_SCHEMA_REGEX_KIB 32768u       /* heap of one match */

/* Asking */
#define LIMIT_QUESTION_BYTES (256 * KIB)    /* of a question, NUL included */
#define LIMIT_SCHEMA_BYTES (1 * MIB)        /* of a format, as text */
#define LIMIT_ASK_TEXT 8000                 /* characters of an answer in its envelope */
#define LIMIT_ASK_VIDEO_TEXT 30000
#define LIMIT_ASK_IMAGE (20 * MIB)
#define LIMIT_ASK_IMAGE_ASIS 5000000        /* where it must be sent as it is */
#define LIMIT_ASK_PDF (32 * MIB)
#define LIMIT_ASK_PAGES 20                  /* of a document, drawn for one question; with more, Anthropic's are smaller */
#define LIMIT_ASK_PICTURES 4096             /* counted for one session; the oldest are forgotten */
#define LIMIT_ASK_WORDS (64 * KIB)          /* what is said of an answer that went wrong */
#define LIMIT_ASK_OBJECTS 16                /* open brackets among the words of an answer that has its JSON elsewhere */
#define LIMIT_ASK_NESTING 2048              /* of an answer's JSON; jansson reads no deeper */
#define LIMIT_ASK_SCHEMA_STEPS 4000         /* of a schema that a vendor is told of; a larger one is for the prompt */

/* Models */
#define LIMIT_MODEL_ID 192                  /* of a model or provider as it is named, NUL included */
#define LIMIT_MODELS 1024                   /* rows that the user's files add */
#define LIMIT_PROVIDERS 64                  /* hosts, the built-in ones included */
#define LIMIT_API_KEY 4096                  /* bytes, NUL included */

/* The command line */
#define LIMIT_CLI_OPTIONS 64                /* of one command */
#define LIMIT_CLI_ARGS 16                   /* words that are no options */
#define LIMIT_CLI_WORDS 4096                /* bytes of one line on stderr */
#define LIMIT_STDIN_BYTES (20 * MIB)        /* of a source; as view.maxBytes by default */
#define LIMIT_CLI_ANSWER (256 * MIB)        /* a result, with every character made visible or a picture in it */
#define LIMIT_CLI_ASK_STDIN (32 * MIB)      /* of a source to ask about; as a PDF may be */
#define LIMIT_CLI_PIECE (64 * KIB)          /* held of what is on its way to stdout */
#define LIMIT_CLI_PLOT (16 * MIB)           /* a drawing of figures */
#define LIMIT_CLI_MODELS 1024               /* that one session used */
#define LIMIT_CLI_PROGRESS_MS 1000          /* between two looks of the line that says how long it takes */
#define LIMIT_CLI_TEXT (1 * MIB)            /* help, man page, completions */
#define LIMIT_DRAW_BYTES (32 * MIB)         /* one picture as escape sequences */
#define LIMIT_DRAW_ROWS 24
#define LIMIT_SETUP_BYTES (16 * MIB)        /* an agent's config; some keep their history in it */
#define LIMIT_SETUP_WORDS (2 * LIMIT_ROOTS + 8) /* of the command line that an agent is to start */
#define LIMIT_SETUP_KEYS 8                  /* parts of a dotted key that are told apart */
#define LIMIT_ACL_BYTES 4096                /* access rights of a file that is replaced */
#define LIMIT_SETUP_DEPTH 64                /* nested lists and tables of a TOML value */
#define LIMIT_SETUP_NAME 48                 /* letters of a server's name */

/* The MCP server */
#define LIMIT_MCP_LINE (32 * MIB)           /* one message in */
#define LIMIT_MCP_DEPTH 128                 /* nested arrays and objects of a message */
#define LIMIT_MCP_REPLY (8 * MIB)           /* one message out; official clients hang up at 10 MiB */
#define LIMIT_MCP_IMAGE (5000 * 1000)       /* of a picture in it, before base64 */
#define LIMIT_MCP_FOOTER 200               /* of a page of text, for the line that says where it goes on */
#define LIMIT_MCP_ID 512                    /* of a request, as a string */
#define LIMIT_MCP_NOTICE 4096               /* an answer that only says why there is none */
#define LIMIT_MCP_VALUES 100000             /* values of one message: each costs memory whatever its length */
#define LIMIT_MCP_BATCH 256                 /* messages of one batch */
#define LIMIT_MCP_QUEUE 1024                /* calls that wait or run, of all clients */
#define LIMIT_MCP_QUEUE_BYTES (128 * MIB)   /* and what their messages hold */
#define LIMIT_MCP_RUNNERS 96                /* calls at work at once, of all kinds; 64 and more of them may ask */
#define LIMIT_MCP_PROGRESS_MS 4000          /* between two signs of life; clients give up after 5 s and more */
#define LIMIT_MCP_STATE (64 * KIB)          /* what a client carries for us between two calls */
#define LIMIT_MCP_LISTENERS 64              /* subscriptions held open, of all clients */
#define LIMIT_MCP_ROOTS_MS 5000             /* waited for a client to name its roots */
#define LIMIT_MCP_ASK_MS 60000              /* waited for any other answer of a client */
#define LIMIT_MCP_DRAIN_MS 330000           /* for accepted calls when the client has said all: as long as a question lasts */

/* Its HTTP side */
#define LIMIT_HTTP_CONNECTIONS 1024         /* open at once; when all of them work, a further one gets 503 */
#define LIMIT_HTTP_SPARE 64                 /* above that, long enough to be told so */
#define LIMIT_HTTP_SESSIONS 1024            /* the least recently used idle one goes first */
#define LIMIT_HTTP_POOL (16 * KIB)          /* of one connection; the header block must fit */
#define LIMIT_HTTP_HEADER_MS 10000          /* from the first byte of a request to the end of its headers */
#define LIMIT_HTTP_BODY_MS 30000            /* from there to the end of its body */
#define LIMIT_HTTP_STALL_MS 10000           /* without any byte of a body */
#define LIMIT_HTTP_RATE 1024                /* bytes of a body in a second, at least, once it lasts so long */
#define LIMIT_HTTP_IDLE_S 300u              /* between two requests, or for a reader that takes nothing */
#define LIMIT_HTTP_BODIES (128 * MIB)       /* bodies that are coming in, of all connections */
#define LIMIT_HTTP_SKIP (64 * KIB)          /* a body read although refused, to keep the connection */
#define LIMIT_HTTP_EVENTS (2 * LIMIT_MCP_REPLY) /* waiting for a client that reads slowly */
#define LIMIT_HTTP_LINGER_MS 2000           /* for a client to read why it was cut */
#define LIMIT_HTTP_END_MS 300               /* for open streams to be ended in order */
#define LIMIT_HTTP_TICK_MS 500              /* between two looks at the clocks of all connections */
#define LIMIT_HTTP_PEM (1 * MIB)            /* a certificate chain or key */
#define LIMIT_HTTP_TOKEN 512                /* characters */

/* Providers */
#define LIMIT_ANSWER_BYTES (4 * MIB)        /* text of one answer */
#define LIMIT_SSE_EVENT (12 * MIB)          /* one event: the last of a stream may hold the whole answer, escaped */
#define LIMIT_SSE_NAME 128
#define LIMIT_TOKENS 1000000000000          /* of one count; a host that says more is not believed in any */
#define LIMIT_REPLY_VALUES 250000           /* of an event, or of the JSON in an answer: some 60 MB of memory */
#define LIMIT_PROVIDER_WORDS (64 * KIB)     /* a refusal or an error, in the vendor's words */

#define LIMIT_PROVIDER_REPLY (64 * MIB)     /* all bytes of one answer; each token may come in an event of its own */
#define LIMIT_PROVIDER_ERROR (256 * KIB)    /* of an answer that is an error; the rest is not read */
#define LIMIT_PROVIDER_HEADERS (64 * KIB)
#define LIMIT_PROVIDER_URL (8 * KIB)
#define LIMIT_PROVIDER_BODY (256 * MIB)     /* one request */
#define LIMIT_PROVIDER_CONNECT_MS 30000
#define LIMIT_PROVIDER_IDLE_MS 300000       /* a model may think for minutes before its first word */
#define LIMIT_PROVIDER_LOOK_MS 1000         /* between two looks at what libcurl does not wake us for */
#define LIMIT_PROVIDER_DRAIN_MS 100         /* for the end of an answer that has said all */
#define LIMIT_PROVIDER_LINES 16             /* idle, kept with their connections */
#define LIMIT_PROVIDER_CONNECTIONS 4        /* open on one line */
#define LIMIT_PROVIDER_RETRIES 2            /* as the vendors' own SDKs */
#define LIMIT_PROVIDER_PAUSE_MS 500         /* before the first of them, doubled for the next */
#define LIMIT_PROVIDER_PAUSE_MAX_MS 8000
#define LIMIT_PROVIDER_RETRY_AFTER_MS 60000 /* a server that wants a longer wait is told of, not waited for */

/* What is kept on disk */
#define LIMIT_LEDGER_BUSY_MS 5000           /* waited for other programs that write down what they spent */
#define LIMIT_LEDGER_SHUN_MS 5000           /* after such a wait in vain, the next ones are brief */
#define LIMIT_LEDGER_BRIEF_MS 250
#define LIMIT_ANSWERS_BUSY_MS 250           /* and for those that use the answers: asking again beats waiting long */
#define LIMIT_LEDGER_NAP_MS 5               /* between two looks at a folder that is locked */
#define LIMIT_LEDGER_CACHE_KIB 256          /* of the pages of each file that stay in memory */
#define LIMIT_LEDGER_PAGES 250              /* of a log before it is folded into its file: the next start reads all of it */
#define LIMIT_KEPT_ANSWER (1 * MIB)         /* a longer one is asked for again */
#define LIMIT_KEPT_DAYS 30                  /* after which an answer is asked for again */
#define LIMIT_KEPT_TOUCH_S 60               /* between two notes that an answer was of use */
#define LIMIT_TELEMETRY_LINE 4096           /* one event */
#define LIMIT_USAGE_TEXT (32 * MIB)         /* all rows of `fovea usage`: some two hundred thousand */

/* Asking a host what it offers */
#define LIMIT_DISCOVER_BYTES (2 * MIB)      /* of one answer */
#define LIMIT_DISCOVER_MODELS 1024          /* of one host */
#define LIMIT_DISCOVER_TOKENS 1000000000    /* of a context; a host that says more is not believed */
#define LIMIT_DISCOVER_SHOWS 64             /* of those that must be asked about one by one */
#define LIMIT_DISCOVER_MS 2000              /* for one host, while somebody waits to ask it something else */
#define LIMIT_DISCOVER_ALL_MS 4000          /* for all hosts of one choice */
#define LIMIT_DISCOVER_LONG_MS 10000        /* for one host, when that is the whole question */
#define LIMIT_DISCOVER_TICK_MS 50           /* between two looks at the cancel while another thread asks */
#define LIMIT_DISCOVER_IDS 16               /* answers on single models that are kept of one host */
#define LIMIT_DISCOVER_KEPT 256             /* different facts on models of one host; past it their context is left out */
#define LIMIT_DISCOVER_AGAIN_MS 60000       /* until a host is asked again that failed, or knew of no model that sees */

/* A context */
#define LIMIT_VIEW_HANDLES 4096             /* earlier views that view:ID can name */
#define LIMIT_CACHE_BYTES (64 * MIB)        /* of pictures kept, to be shown again */
#define LIMIT_CACHE_ENTRIES 256
#define LIMIT_SESSION_NAME 64               /* letters */

#endif
