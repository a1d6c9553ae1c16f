# SPDX-License-Identifier: Apache-2.0
# fovea: one Makefile. `make demo` and `make test` set the machine up, build and run; `make help` lists the rest.

VERSION   := $(shell sed -n 's/^\#define FOVEA_VERSION "\(.*\)"/\1/p' include/fovea.h)
SOVERSION := 0

CC      ?= cc
ifeq ($(origin CC),default)
CC      := gcc
endif
AR      := ar
PREFIX  ?= /usr/local
DESTDIR ?=
SAN     ?=
WERROR  ?= $(if $(CI),-Werror)

# Sanitized builds stand beside the ordinary one.
empty :=
comma := ,
BUILD ?= build$(if $(SAN),/san-$(subst $(comma),-,$(SAN))$(if $(findstring clang,$(CC)),-clang))
OBJ   := $(BUILD)/obj

BINDIR  := $(PREFIX)/bin
LIBDIR  := $(PREFIX)/lib
EXECDIR := $(PREFIX)/libexec/fovea
INCDIR  := $(PREFIX)/include
SHAREDIR := $(PREFIX)/share
MANDIR  := $(SHAREDIR)/man

# ---------------------------------------------------------------- flags

IS_CLANG := $(findstring clang,$(shell $(CC) --version 2>/dev/null | head -n 1))

WARN := -Wall -Wextra -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wpointer-arith -Wwrite-strings -Wvla -Walloca -Wformat=2 -Wundef -Wimplicit-fallthrough -Werror=format-security \
        -Werror=implicit-function-declaration -Werror=incompatible-pointer-types -Werror=int-conversion \
        $(if $(IS_CLANG),,-Wtrampolines -Wduplicated-cond -Wlogical-op) $(WERROR)

# The OpenSSF list, as far as gcc 12 and clang 14 know it.
HARDEN := -fstack-protector-strong -fstack-clash-protection -fno-delete-null-pointer-checks -fno-strict-overflow \
          -fno-strict-aliasing -ftrivial-auto-var-init=$(if $(IS_CLANG),pattern,zero) \
          $(if $(filter x86_64,$(shell uname -m)),-fcf-protection=full) \
          $(if $(SAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
HARDEN_LD := -Wl,-z,relro,-z,now,-z,noexecstack -Wl,--as-needed -Wl,--no-copy-dt-needed-entries

SAN_FLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer -g)

OPT      ?= -O2
CPPFLAGS += -D_GNU_SOURCE -Iinclude -Isrc -I$(BUILD)/gen -include src/base/banned.h
CFLAGS   += -std=gnu17 $(OPT) -g -fPIC -fvisibility=hidden -ffunction-sections -fdata-sections -pthread \
            -ffile-prefix-map=$(CURDIR)=. $(WARN) $(HARDEN) $(SAN_FLAGS)
LDFLAGS  += -pthread $(HARDEN_LD) -Wl,--gc-sections $(SAN_FLAGS)

LIB_LIBS    := -ljansson -lyaml -lunistring -lidn2 -lpcre2-8 -lsqlite3 -lcrypto -ldl -lm
WORKER_LIBS := -ljpeg -lwebp -llcms2 -ldeflate -lm
# What each renderer is made with, by pkg-config.
PKG_photo := libtiff-4 libheif
PKG_svg   := librsvg-2.0 pangocairo harfbuzz fontconfig
PKG_text  := pangocairo fontconfig md4c
PKG_pdf   := poppler-glib cairo fontconfig
PKG_video := libavformat libavcodec libswscale libavutil
OCR_LIBS    := -ltesseract -llept -lm
CLI_LIBS    := -ldl -lmicrohttpd

# ---------------------------------------------------------------- files, by room

rooms      = $(foreach r,$(1),$(sort $(wildcard src/$(r)/*.c)))
objects    = $(patsubst %.c,$(OBJ)/%.o,$(1))

# What runs inside workers and what only the parent may link.
SHARED_SRC := $(filter-out src/base/sha256.c src/base/curl.c src/base/json_read.c,$(call rooms,base fit)) src/sandbox/jail.c \
              src/sandbox/serve.c
LIB_SRC    := $(filter-out src/sandbox/allocate.c,$(call rooms,base fit model source sandbox percept schema provider ledger ask record transcript lower api))
WORKER_SRC := $(sort $(wildcard worker/*.c))
RENDERERS  := $(notdir $(patsubst %/,%,$(sort $(dir $(wildcard render/*/*.c)))))
OCR_SRC    := $(sort $(wildcard ocr/*.c))
MCP_SRC    := $(sort $(wildcard mcp/*.c))
CLI_SRC    := $(sort $(wildcard cmd/*.c)) $(MCP_SRC)
UNIT_SRC   := $(sort $(wildcard tests/unit/*_test.c))
UNITS      := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(UNIT_SRC))

LIB_OBJ    := $(call objects,$(LIB_SRC))
SHARED_OBJ := $(call objects,$(SHARED_SRC))
WORKER_OBJ := $(call objects,$(WORKER_SRC))
OCR_OBJ    := $(call objects,$(OCR_SRC))
# What a worker program allocates by; not in a library, whose users it would surprise.
ALLOCATE   := $(OBJ)/src/sandbox/allocate.o
MCP_OBJ    := $(call objects,$(MCP_SRC))
CLI_OBJ    := $(call objects,$(CLI_SRC))

.PHONY: all help setup demo test lab check coverage bench fuzz install uninstall clean
.DELETE_ON_ERROR:
# V=1 shows the commands in full.
$(if $(V),,.SILENT:)
say = @printf '  %-6s %s\n' $(1) $(2)
.SECONDARY:

PROGRAMS := $(BUILD)/fovea $(BUILD)/fovea-worker $(RENDERERS:%=$(BUILD)/fovea-%) $(BUILD)/fovea-ocr
all: $(PROGRAMS) $(BUILD)/libfovea.so $(BUILD)/libfovea.a $(BUILD)/man/fovea.1 $(BUILD)/man/fovea.3 ## build everything into build/

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):[^#]*## /  make \1\t/p' Makefile

# A change of compiler or flags rebuilds everything; a change of PREFIX what has it compiled in.
keep = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || printf '%s\n' '$(subst ','\'',$(1))' > $@
FLAGS_NOW := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS)
$(OBJ)/flags: FORCE
	$(call keep,$(FLAGS_NOW))
$(OBJ)/execdir: FORCE
	$(call keep,$(EXECDIR))
.PHONY: FORCE

$(OBJ)/src/api/fovea.o $(OBJ)/cmd/doctor.o: CPPFLAGS += -DFOVEA_EXECDIR='"$(EXECDIR)"'
$(OBJ)/src/api/fovea.o $(OBJ)/cmd/doctor.o: $(OBJ)/execdir

$(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,cc,$<)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(OBJ)/cmd/mcp.o: CPPFLAGS += -I.

# Pixel loops earn -O3.
$(OBJ)/worker/%.o: OPT := -O3
$(OBJ)/render/svg/svg.o: OPT := -O3

# Only the types; the library is loaded when a record is in PostgreSQL.
$(OBJ)/src/record/postgre%.o $(OBJ)/tests/lab/inject/scene_record.o $(addprefix $(BUILD)/tests/record_,hostile_test postgres_test pq_test): CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libpq 2>/dev/null))

# Only the types; the library is loaded when something is drawn.
$(OBJ)/cmd/draw.o: CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags chafa 2>/dev/null))

$(OBJ)/libshared.a: $(SHARED_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
$(OBJ)/libinternal.a: $(LIB_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

# The seccomp allow-list is compiled to a filter once, here; libseccomp is not linked into anything that ships.
$(BUILD)/mkfilter: tools/mkfilter.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $< -o $@ $(LDFLAGS) -lseccomp
$(BUILD)/gen/filter.h: $(BUILD)/mkfilter
	@mkdir -p $(@D)
	$< > $@
$(OBJ)/src/sandbox/jail.o $(ALLOCATE): $(BUILD)/gen/filter.h

# The model table is compiled in; nothing is read when the program runs.
$(BUILD)/gen/models.inc: tools/models_c.awk data/models.tsv
	@mkdir -p $(@D)
	awk -f $^ > $@
$(OBJ)/src/model/table.o: $(BUILD)/gen/models.inc

$(OBJ)/libworker.a: $(filter-out %/worker/main.o,$(WORKER_OBJ))
	@rm -f $@
	$(AR) rcs $@ $^

$(BUILD)/fovea-worker: $(OBJ)/worker/main.o $(ALLOCATE) $(OBJ)/libworker.a $(OBJ)/libshared.a
	$(call say,link,$@)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(WORKER_LIBS)

# A renderer is a folder of its own: the program fovea-NAME and whatever parts it has.
define renderer
$(OBJ)/render/$(1)/%.o: CPPFLAGS += -Iworker $$(patsubst -I%,-isystem %,$$(shell pkg-config --cflags $(PKG_$(1)) 2>/dev/null))
$(BUILD)/fovea-$(1): $$(call objects,$$(sort $$(wildcard render/$(1)/*.c))) $(ALLOCATE) $(OBJ)/libworker.a $(OBJ)/libshared.a
	$$(call say,link,$$@)
	$$(CC) -pie $$^ -o $$@ $$(LDFLAGS) $(WORKER_LIBS) $$(shell pkg-config --libs $(PKG_$(1))) $$(LIBS_$(1))
endef
$(foreach r,$(RENDERERS),$(eval $(call renderer,$(r))))

$(BUILD)/fovea-ocr: $(OCR_OBJ) $(ALLOCATE) $(OBJ)/libshared.a
	$(call say,link,$@)
	$(CC) -pie $(OCR_OBJ) $(ALLOCATE) $(OBJ)/libshared.a -o $@ $(LDFLAGS) $(OCR_LIBS)

$(BUILD)/fovea: $(CLI_OBJ) $(OBJ)/libinternal.a
	$(call say,link,$@)
	$(CC) -pie $(CLI_OBJ) $(OBJ)/libinternal.a -o $@ $(LDFLAGS) $(LIB_LIBS) $(CLI_LIBS)

# The program writes its own manual and completions, from the table that parses its options.
$(BUILD)/man/fovea.1: $(BUILD)/fovea
	@mkdir -p $(@D) $(BUILD)/completions
	$< generate man > $@
	$< generate bash > $(BUILD)/completions/fovea
	$< generate zsh > $(BUILD)/completions/_fovea
	$< generate fish > $(BUILD)/completions/fovea.fish

$(BUILD)/man/fovea.3: tools/man3.awk include/fovea.h
	@mkdir -p $(@D)
	awk -f $^ > $@

$(BUILD)/libfovea.so.$(VERSION): $(LIB_OBJ)
	$(call say,link,$@)
	$(CC) -shared -Wl,-soname,libfovea.so.$(SOVERSION) $(if $(SAN),,-Wl,--no-undefined) $^ -o $@ $(LDFLAGS) $(LIB_LIBS)
$(BUILD)/libfovea.so: $(BUILD)/libfovea.so.$(VERSION)
	ln -sf $(<F) $(BUILD)/libfovea.so.$(SOVERSION)
	ln -sf $(<F) $@

# One object, so that only fovea_ symbols are seen from outside.
$(BUILD)/libfovea.a: $(LIB_OBJ)
	$(call say,link,$@)
	$(LD) -r $^ -o $(OBJ)/fovea-all.o
	objcopy --localize-hidden $(OBJ)/fovea-all.o
	@rm -f $@
	$(AR) rcs $@ $(OBJ)/fovea-all.o

# ---------------------------------------------------------------- set-up, demo, tests

# Set-up may install the compiler, so the build runs in a make of its own, after it.
setup: ## install the Debian packages that are missing
	@tools/setup.sh

demo: setup ## build, then show what fovea does with a sample picture
	@$(MAKE) --no-print-directory -s -j$$(nproc) all
	@tools/demo.sh $(BUILD)/fovea

test: ## build and run every test
	@tools/setup.sh python3 openssl curl postgresql librsvg2-bin poppler-utils strace libimage-exiftool-perl
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@tests/run $(BUILD)

lab: ## run the labs, all or LAB=name: faults, power loss, networks, hours of work
	@tools/setup.sh python3 openssl curl postgresql librsvg2-bin poppler-utils strace libimage-exiftool-perl
	@$(MAKE) --no-print-directory -j$$(nproc) all tests
	@tests/lab/run $(BUILD) $(LAB)

.PHONY: tests
TEST_TOOLS := $(addprefix $(BUILD)/tests/,bounded jsonget maxrss toolfields viewms)
TEST_PROGRAMS := $(addprefix $(BUILD)/,tests/fetchlab tests/seedledger tests/lowerall tests/recordcrash tests/recordwrite tests/askhost bench/mcp_load tests/picdiff tests/videolook)
LABS := $(patsubst tests/lab/%.c,$(BUILD)/tests/lab/%,$(sort $(wildcard tests/lab/*.c)))
tests: all $(UNITS) $(LABS) $(BUILD)/tests/lab/inject $(patsubst %,$(BUILD)/tests/lab/inject-%,worker ocr $(RENDERERS)) $(TEST_TOOLS) $(TEST_PROGRAMS) $(BUILD)/fixtures/good.tsv $(BUILD)/fixtures/video/good.tsv $(BUILD)/photos/good.tsv

# Pictures for the tests, made by our own code.
FIXTURE_OBJ := $(call objects,$(sort $(wildcard tests/fixture/*.c)))
$(FIXTURE_OBJ): CPPFLAGS += -Itests
$(BUILD)/tests/mkfixture: $(FIXTURE_OBJ) $(OBJ)/libshared.a
	@mkdir -p $(@D)
	$(CC) $^ -o $@ $(LDFLAGS) -ljpeg -lwebp -lwebpmux -lgif -ldeflate -llcms2 -lm
$(BUILD)/fixtures/good.tsv: $(BUILD)/tests/mkfixture
	$< $(@D)

# The same for what fovea-photo reads.
PHOTO_OBJ := $(call objects,$(sort $(wildcard tests/fixture/photo/*.c)) $(addprefix tests/fixture/,canvas.c pieces.c png.c save.c))
$(PHOTO_OBJ): CPPFLAGS += -Itests
$(OBJ)/tests/fixture/photo/%.o: CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKG_photo) 2>/dev/null))
$(BUILD)/tests/mkphoto: $(PHOTO_OBJ) $(OBJ)/libshared.a
	@mkdir -p $(@D)
	$(CC) $^ -o $@ $(LDFLAGS) -ljpeg -ldeflate -llcms2 -lm $(shell pkg-config --libs $(PKG_photo))
$(BUILD)/photos/good.tsv: $(BUILD)/tests/mkphoto
	ASAN_OPTIONS=detect_leaks=0 $< $(@D) # x265 leaks when it encodes

# Videos for the tests, and a program that tells which of their frames is shown.
MKVIDEO_OBJ := $(call objects,$(sort $(wildcard tests/video/*.c)))
$(MKVIDEO_OBJ): CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKG_video) 2>/dev/null))
$(BUILD)/tests/mkvideo: $(MKVIDEO_OBJ) $(OBJ)/libshared.a
	@mkdir -p $(@D)
	$(CC) $^ -o $@ $(LDFLAGS) $(shell pkg-config --libs $(PKG_video)) -lm
$(BUILD)/fixtures/video/good.tsv: $(BUILD)/tests/mkvideo
	@mkdir -p $(@D)
	ASAN_OPTIONS=detect_leaks=0 $< $(@D) # x265 leaks when it encodes
$(BUILD)/tests/videolook: $(OBJ)/tests/tools/videolook.o $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

# Small programs that the tests of the command line use.
$(TEST_TOOLS): $(BUILD)/tests/%: $(OBJ)/tests/tools/%.o $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

# Fetches URLs inside the lab of tests/net.
$(BUILD)/tests/fetchlab: $(OBJ)/tests/net/fetchlab.o $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

# Is a provider for the tests of asking.
ASKHOST_OBJ := $(call objects,$(sort $(wildcard tests/host/*.c)))
$(BUILD)/tests/askhost: $(ASKHOST_OBJ) $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) -lssl -lcrypto -ljansson

# Tools of the tests: one writes to a record and reads it, one kills those who do, one writes down what asking would have, one
# lowers generated conversations turn by turn, one compares drawings with what they should look like.
$(addprefix $(BUILD)/tests/,recordwrite recordcrash seedledger lowerall picdiff): $(BUILD)/tests/%: $(OBJ)/tests/tools/%.o $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

# A unit test sees everything inside; those of the worker's parts link these too.
$(BUILD)/tests/%: tests/unit/%.c tests/unit/test.h $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(OBJ)/libinternal.a $(LDFLAGS) $(LIB_LIBS) $(TEST_LIBS)
$(BUILD)/tests/worker_%: tests/unit/worker_%.c tests/unit/test.h $(WORKER_OBJ) $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(filter-out %/worker/main.o,$(WORKER_OBJ)) \
	    $(OBJ)/libinternal.a $(LDFLAGS) $(WORKER_LIBS) $(LIB_LIBS) -lgif -lspng

# A program of a lab sees everything inside too.
$(LABS): $(BUILD)/tests/lab/%: tests/lab/%.c $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(OBJ)/libinternal.a $(LDFLAGS) $(LIB_LIBS) $(TEST_LIBS)

# The one whose gate is broken on purpose, to show that the lab would see it.
$(BUILD)/tests/lab/network_open: TEST_LIBS := -Wl,--wrap=netaddr_judge,--wrap=netaddr_judge_answer
# Lets every call fail, one after the other: its own malloc and open stand before libc's.
INJECT_OBJ := $(call objects,$(sort $(wildcard tests/lab/inject/*.c)))
$(INJECT_OBJ): CPPFLAGS += -I. -Itests/lab/inject -Itests/unit
# What stands before libc runs before a sanitizer is ready.
INJECT_BARE := $(addprefix $(OBJ)/tests/lab/inject/,inject.o stand_in_alloc.o stand_in_calls.o)
$(INJECT_BARE): SAN_FLAGS := $(if $(SAN),-fno-sanitize=all -g)
$(INJECT_BARE): CPPFLAGS += $(if $(findstring address,$(SAN)),-DUNDER_ASAN)
# And some are declared anew by fortified headers.
$(INJECT_BARE): CFLAGS += -U_FORTIFY_SOURCE
INJECT_PARTS := $(INJECT_OBJ) $(filter-out %/cmd/main.o,$(CLI_OBJ)) $(OBJ)/libinternal.a
$(BUILD)/tests/lab/inject: $(INJECT_PARTS)
	@mkdir -p $(@D) $(BUILD)/tests/libexec
	@ln -sfn ../.. $(BUILD)/tests/libexec/fovea # where commands look for workers
	$(call say,link,$@)
	$(CC) -pie $(INJECT_PARTS) -o $@ $(LDFLAGS) $(LIB_LIBS) $(CLI_LIBS)

# The same of worker programs: each as it is, but for the jail, its main by another name.
INJECT_PLAYER := $(INJECT_BARE) $(addprefix $(OBJ)/tests/lab/inject/,main.o function.o outcome.o worker/served.o)
INJECT_LOOKER := $(INJECT_PLAYER) $(OBJ)/tests/lab/inject/worker/look.o $(OBJ)/worker/program_whole.o
$(OBJ)/tests/lab/inject/worker/%.o: CPPFLAGS += -I. -Iworker -Itests/lab/inject
$(OBJ)/%/program_main.o: $(OBJ)/%/main.o
	objcopy --redefine-sym main=program_main $< $@
INJECT_LINK = @mkdir -p $(@D); $(CC) -pie $^ -o $@ $(LDFLAGS) $(WORKER_LIBS)
$(OBJ)/worker/program_whole.o: $(OBJ)/worker/program.o
	objcopy --redefine-sym worker_main=whole_worker_main $< $@
$(BUILD)/tests/lab/inject-worker: $(INJECT_LOOKER) $(OBJ)/tests/lab/inject/worker/worker.o $(OBJ)/worker/program_main.o $(OBJ)/libworker.a $(OBJ)/libshared.a
	$(call say,link,$@)
	$(INJECT_LINK)
define renderer_injected
$(BUILD)/tests/lab/inject-$(1): $(INJECT_LOOKER) $(OBJ)/tests/lab/inject/worker/$(1).o $(OBJ)/render/$(1)/program_main.o \
    $$(call objects,$$(filter-out %/main.c,$$(sort $$(wildcard render/$(1)/*.c)))) $(OBJ)/libworker.a $(OBJ)/libshared.a
	$$(call say,link,$$@)
	$$(INJECT_LINK) $$(shell pkg-config --libs $(PKG_$(1)))
endef
$(foreach r,$(RENDERERS),$(eval $(call renderer_injected,$(r))))
$(BUILD)/tests/lab/inject-ocr: $(INJECT_PLAYER) $(OBJ)/tests/lab/inject/worker/ocr.o $(OBJ)/ocr/program_main.o \
    $(filter-out %/main.o,$(OCR_OBJ)) $(OBJ)/libshared.a
	$(call say,link,$@)
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(OCR_LIBS)

# Makes pictures of its own, and looks at those that come out.
$(BUILD)/tests/lab/scaling: TEST_LIBS := -lspng -ljpeg -lwebp -lheif

# Those of fovea-photo's decoders link these besides.
PHOTO_PARTS := $(call objects,$(filter-out %/main.c,$(sort $(wildcard render/photo/*.c))))
$(BUILD)/tests/photo_%: tests/unit/photo_%.c tests/unit/test.h $(PHOTO_PARTS) $(OBJ)/libworker.a $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. -Iworker $(CFLAGS) -MMD -MP $< -o $@ $(PHOTO_PARTS) $(OBJ)/libworker.a $(OBJ)/libinternal.a \
	    $(LDFLAGS) $(WORKER_LIBS) $(LIB_LIBS) $(shell pkg-config --libs $(PKG_photo))
# Those of what a renderer does by arithmetic alone.
$(BUILD)/tests/video_%: tests/unit/video_%.c tests/unit/test.h $(OBJ)/render/video/whole.o $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(OBJ)/render/video/whole.o $(LDFLAGS) -lm

# Those of the server's parts link these.
$(BUILD)/tests/mcp_%: tests/unit/mcp_%.c tests/unit/test.h $(MCP_OBJ) $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(MCP_OBJ) $(OBJ)/libinternal.a $(LDFLAGS) $(LIB_LIBS) $(CLI_LIBS) $(TEST_LIBS)

# Lets calls of the system and of memory fail when told to.
$(BUILD)/tests/mcp_lines_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,poll writev read eventfd dup2 malloc calloc client_new buf_add buf_add_str)

$(BUILD)/tests/mcp_http_token_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,getrandom openat fsync fstat linkat read write_all strdup buf_add_str)

$(BUILD)/tests/mcp_exchange_test: TEST_LIBS := -Wl,--wrap=buf_add_json_str

$(BUILD)/tests/mcp_http_conn_test: TEST_LIBS := -Wl,--wrap=calloc,--wrap=getrandom

$(BUILD)/tests/mcp_roots_test: TEST_LIBS := -Wl,--wrap=strdup,--wrap=calloc,--wrap=fovea_session_new

$(BUILD)/tests/mcp_http_run_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,socket listen getsockname epoll_create1 eventfd getrlimit \
    MHD_is_feature_supported)

# Is the HTTP library itself, and says when there is no memory.
$(BUILD)/tests/mcp_http_request_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,MHD_get_connection_info MHD_get_connection_values_n \
    MHD_create_response_from_buffer MHD_create_response_from_callback MHD_add_response_header MHD_queue_response MHD_destroy_response \
    MHD_suspend_connection MHD_resume_connection calloc client_new http_outlet_new sessions_add buf_add)

# Those of the command line's parts.
CMD_PARTS := $(filter-out %/cmd/main.o,$(CLI_OBJ))
$(BUILD)/tests/cmd_%: tests/unit/cmd_%.c tests/unit/test.h $(CMD_PARTS) $(OBJ)/libinternal.a $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(CC) $(CPPFLAGS) -Itests/unit -I. $(CFLAGS) -MMD -MP $< -o $@ $(CMD_PARTS) $(OBJ)/libinternal.a $(LDFLAGS) $(LIB_LIBS) $(CLI_LIBS)

# Lets inner calls, SQLite and the system fail when told to.
$(BUILD)/tests/record_calls_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,sq_one sq_enter_read sqlite3_exec sqlite3_system_errno sqlite3_file_control \
    sqlite3_column_blob sqlite3_column_text canonicalize_file_name lstat fstatat fcntl)

# Has a libpq that fails when told to.
$(BUILD)/tests/record_pq_test: TEST_LIBS := -Wl,--wrap=pq_load

# Includes what it tests, which the worker's library has too.
$(BUILD)/tests/quick_test: TEST_LIBS := -ldeflate

# Takes openat2 away, to force the fallback.
$(BUILD)/tests/gate_test: TEST_LIBS := -lseccomp

# Lets calls fail.
$(BUILD)/tests/replace_test: TEST_LIBS := $(addprefix -Wl$(comma)--wrap=,getrandom fstat fchown lgetxattr fremovexattr fsetxattr fchmod renameat2 link rename fsync open close)

# Has a clock that can be put forward.
$(BUILD)/tests/reader_test: TEST_LIBS := -Wl,--wrap=clock_gettime

# Brings a libcurl, a resolver and a clock of its own.
$(BUILD)/tests/fetch_faults_test: TEST_LIBS := $(patsubst %,-Wl$(comma)--wrap=%,curl_load getaddrinfo freeaddrinfo __res_init getifaddrs freeifaddrs \
    clock_gettime write_all memory_seal place_take)

# Have workers that are late when told to.
$(BUILD)/tests/refit_test $(BUILD)/tests/statuses_test: TEST_LIBS := -Wl,--wrap=pool_run

# Has copies fail when told to.
$(BUILD)/tests/result_test: TEST_LIBS := -Wl,--wrap=strdup

# Is a provider with a certificate of its own.
$(BUILD)/tests/provider_http_test $(BUILD)/tests/ask_test: TEST_LIBS := -lssl

# Includes arithmetic of a renderer.
$(BUILD)/tests/text_wrap_test: CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0 2>/dev/null)) -Irender/text
$(BUILD)/tests/text_wrap_test: TEST_LIBS := -lglib-2.0

# Looks at documents that a renderer makes.
MD_PARTS := $(addprefix $(OBJ)/render/text/,md_doc.o md_text.o md_html.o md_lines.o wrap.o)
$(BUILD)/tests/text_markdown_test: $(MD_PARTS)
$(BUILD)/tests/text_markdown_test: CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0 md4c 2>/dev/null)) -Irender/text
$(BUILD)/tests/text_markdown_test: TEST_LIBS := $(MD_PARTS) $(OBJ)/libinternal.a $(shell pkg-config --libs glib-2.0 md4c)

# Of the drawings' renderer; one asks Pango itself.
SVG_TESTS := $(addprefix $(BUILD)/tests/,svg_metrics_test svg_opacity_test)
$(SVG_TESTS): CPPFLAGS += $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PKG_svg) 2>/dev/null)) -Irender/svg -Iworker
$(SVG_TESTS): TEST_LIBS := $(shell pkg-config --libs $(PKG_svg) 2>/dev/null)

# Allocates as worker programs do.
$(BUILD)/tests/allocate_test: $(ALLOCATE)
$(BUILD)/tests/allocate_test: TEST_LIBS := $(ALLOCATE)

# A worker that misbehaves on request, for the tests of its parent.
FAULT_OBJ := $(call objects,$(sort $(wildcard tests/fault/*.c)))
$(FAULT_OBJ): $(BUILD)/gen/filter.h
$(BUILD)/tests/fault/fovea-worker: $(FAULT_OBJ) $(OBJ)/libshared.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) -lm
$(addprefix $(BUILD)/tests/,pool_test pool_refused_test refit_test statuses_test lab/faults): $(BUILD)/tests/fault/fovea-worker
# Refuses calls of the pool, one at a time.
$(BUILD)/tests/pool_refused_test: TEST_LIBS := -Wl,--wrap=syscall,--wrap=__clone,--wrap=getrlimit,--wrap=poll,--wrap=sendmsg,--wrap=recv,--wrap=pthread_cond_timedwait
$(BUILD)/tests/jail_test $(BUILD)/tests/allocate_test: $(BUILD)/gen/filter.h

check: ## layering, sizes, exported symbols, hardening, what compilers and analyzers say, a build that is the same anywhere, coverage on record
	@tools/setup.sh clang clang-tidy cppcheck libcairo2-dev libpng-dev python3
	@$(MAKE) --no-print-directory -s -j$$(nproc) all
	@tools/check_layers.sh
	@tools/measure.sh
	@tools/check_binaries.sh $(BUILD)
	@tools/check_static.sh $(BUILD)
	@tools/check_repro.sh $(BUILD)
	@python3 tools/coverage.py --check

coverage: ## which lines and branches the tests and the labs' quick forms take; writes docs/coverage.tsv
	@tools/setup.sh clang llvm-14 libclang-rt-14-dev python3 openssl curl postgresql librsvg2-bin poppler-utils strace \
	    libimage-exiftool-perl
	@tools/coverage.sh

# ---------------------------------------------------------------- benchmark

# The corpus maker draws with cairo and the DejaVu fonts; nothing that ships does.
CORPUS_SRC := bench/corpus.c $(sort $(wildcard bench/gen_*.c bench/write_*.c))
CORPUS_OBJ := $(call objects,$(CORPUS_SRC))
$(CORPUS_OBJ): CPPFLAGS += $(shell pkg-config --cflags cairo 2>/dev/null)
$(BUILD)/bench/corpus: $(CORPUS_OBJ)
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) -lcairo -lpng -ljpeg -lwebp -lgif -lm
$(BUILD)/bench/meter: $(OBJ)/bench/meter.o $(OBJ)/bench/tree.o
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) -lm
$(BUILD)/bench/mcp_load: $(addprefix $(OBJ)/bench/,mcp_load.o mcp_child.o tree.o)
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS)
$(BUILD)/bench/fovea_bench: $(OBJ)/bench/fovea_bench.o $(BUILD)/libfovea.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

# What retention costs is arithmetic of the inside.
$(BUILD)/bench/retention: $(OBJ)/bench/retention.o $(OBJ)/libinternal.a
	@mkdir -p $(@D)
	$(CC) -pie $^ -o $@ $(LDFLAGS) $(LIB_LIBS)

BENCH := $(addprefix $(BUILD)/bench/,corpus meter mcp_load fovea_bench retention)
.PHONY: benches
benches: $(BENCH)
bench: ## measure against peers; writes docs/benchmarks.md
	@tools/setup.sh libcairo2-dev libpng-dev fonts-dejavu-core
	@$(MAKE) --no-print-directory -s -j$$(nproc) all $(BENCH)
	@bench/run.sh $(BUILD)

# ---------------------------------------------------------------- fuzzing

TIME ?= 60
JOBS ?= 2
FUZZ_NAMES := $(filter-out replay,$(patsubst fuzz/%.c,%,$(sort $(wildcard fuzz/*.c))))
FUZZERS := $(FUZZ_NAMES:%=$(BUILD)/fuzz/%)

# clang's run-time libraries are named because set-up installs nothing that is only recommended.
fuzz: ## fuzz each parser, or FUZZ=name, until it has had TIME CPU-seconds (clang)
	@tools/setup.sh clang llvm libclang-rt-14-dev
	@$(MAKE) --no-print-directory -j$$(nproc) CC=clang SAN=address,undefined,fuzzer-no-link BUILD=build/fuzzing fuzzers
	@JOBS=$(JOBS) FUZZ_STATIC='$(FUZZ_STATIC)' tools/fuzz.sh build/fuzzing $(TIME) $(FUZZ)

fuzz-libs: ## rebuild the libraries of decoders with the fuzzers' checks, for make fuzz (20 minutes); some: FUZZ_LIBS="jpeg webp"
	@tools/setup.sh clang libclang-rt-14-dev cmake dpkg-dev patch xz-utils bzip2 diffutils debianutils \
	    libdav1d-dev libde265-dev libaom-dev libx265-dev libjbig-dev liblerc-dev liblzma-dev libzstd-dev zlib1g-dev
	@JOBS=$(JOBS) tools/fuzz_libs.sh build/fuzz-libs $(FUZZ_LIBS)

fuzz-coverage: ## lines and branches of each parser that the kept inputs reach (clang, llvm)
	@tools/setup.sh clang llvm libclang-rt-14-dev jq
	@CFLAGS='-fprofile-instr-generate -fcoverage-mapping' LDFLAGS='-fprofile-instr-generate' LLVM_PROFILE_FILE=/dev/null \
	    $(MAKE) --no-print-directory -j$$(nproc) CC=clang OPT=-O1 BUILD=build/fuzzcov replays
	@tools/fuzz_coverage.sh build/fuzzcov $(FUZZ)

# What a target needs beyond the rest.
FUZZ_LIBS_url := -lcurl
# choose() is the parent's here, not the worker's.
FUZZ_PARTS_words := $(OBJ)/libinternal.a
FUZZ_LIBS_words := -lcurl
FUZZ_FLAGS_wrap := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags glib-2.0 2>/dev/null)) -Irender/text
FUZZ_LIBS_wrap := -lglib-2.0
FUZZ_PARTS_setup := $(call objects,$(addprefix cmd/,setup_agents.c setup_json.c setup_toml.c jsonc.c out.c))
$(BUILD)/fuzz/setup $(BUILD)/tests/fuzz/setup: $(FUZZ_PARTS_setup)
FUZZ_PARTS_decode_ocr := $(call objects,ocr/read.c)
$(BUILD)/fuzz/decode_ocr $(BUILD)/tests/fuzz/decode_ocr: $(FUZZ_PARTS_decode_ocr)
FUZZ_LIBS_decode_ocr := $(OCR_LIBS)
FUZZ_LIBS_roots := -Wl,--wrap=fovea_session_new
FUZZ_LIBS_postgres := -Wl,--wrap=pq_load
FUZZ_FLAGS_postgres := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libpq 2>/dev/null))

FUZZ_STATIC ?= build/fuzz-libs/lib
FUZZ_REBUILT := $(wildcard $(FUZZ_STATIC)/*.a)

# Each target twice: for the fuzzer, and with a main that gives it what was kept, for make test.
.PHONY: fuzzers replays fuzz-coverage fuzz-libs
fuzzers: $(FUZZERS) $(BUILD)/fuzzpack $(BUILD)/fixtures/good.tsv
$(BUILD)/fuzzpack: $(OBJ)/fuzz/replay.o $(OBJ)/libshared.a
	$(CC) $^ -o $@ $(LDFLAGS) -lm
FUZZ_REPLAYS := $(FUZZ_NAMES:%=$(BUILD)/tests/fuzz/%)
replays: $(FUZZ_REPLAYS) $(BUILD)/fixtures/good.tsv $(BUILD)/photos/good.tsv $(BUILD)/fixtures/video/good.tsv
tests: $(FUZZ_REPLAYS)
# Archives, so that a target takes what it names: some names are both the worker's and the parent's.
FUZZ_PARTS := $(OBJ)/libworker.a $(OBJ)/libmcp.a $(OBJ)/libinternal.a
$(OBJ)/libmcp.a: $(MCP_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^
# Asserts are what a target judges by, and do its work too: they stay where others are left out.
FUZZ_CC = $(CC) $(CPPFLAGS) -UNDEBUG -I. -Itests/unit $(FUZZ_FLAGS_$*) $(CFLAGS) -MMD -MP
FUZZ_LINK = $(FUZZ_PARTS_$*) $(FUZZ_PARTS) $(LDFLAGS) $(FUZZ_LIBS_$*) $(WORKER_LIBS) $(LIB_LIBS) $(CLI_LIBS)
$(BUILD)/fuzz/%: fuzz/%.c $(FUZZ_PARTS) $(OBJ)/flags $(FUZZ_REBUILT)
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(FUZZ_CC) -fsanitize=fuzzer $< -o $@ $(FUZZ_LINK)
$(BUILD)/tests/fuzz/%: fuzz/%.c $(OBJ)/fuzz/replay.o $(FUZZ_PARTS) $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,link,$@)
	$(FUZZ_CC) $< -o $@ $(OBJ)/fuzz/replay.o $(FUZZ_LINK)

# Decoders of renderers are fuzzed with that renderer's parts and libraries: renderer:target.
RENDERER_FUZZERS := photo:decode_bmp photo:decode_tiff photo:decode_heif svg:decode_svg pdf:decode_pdf text:decode_text \
                    text:decode_markdown video:decode_video
FUZZ_LIBS_decode_png := -lspng
define renderer_fuzzer
FUZZ_FLAGS_$(2) := -Iworker $$(patsubst -I%,-isystem %,$$(shell pkg-config --cflags $$(PKG_$(1)) 2>/dev/null))
FUZZ_PARTS_$(2) := $$(call objects,$$(filter-out %/main.c,$$(sort $$(wildcard render/$(1)/*.c))))
FUZZ_LIBS_$(2) := $$(shell pkg-config --libs $$(PKG_$(1)) 2>/dev/null)
$(BUILD)/fuzz/$(2) $(BUILD)/tests/fuzz/$(2): $$(FUZZ_PARTS_$(2))
endef
$(foreach t,$(RENDERER_FUZZERS),$(eval $(call renderer_fuzzer,$(word 1,$(subst :, ,$(t))),$(word 2,$(subst :, ,$(t))))))
fuzzers: $(BUILD)/photos/good.tsv $(BUILD)/fixtures/video/good.tsv

# Libraries that tools/fuzz_libs.sh rebuilt stand in for the system's, with what they need in turn. Nothing but the target sees
# them: other libraries stay with those that they were made for.
ifneq ($(FUZZ_REBUILT),)
FUZZ_HIDDEN := $(subst $(empty) $(empty),:,$(notdir $(FUZZ_REBUILT)))
$(BUILD)/fuzz/%: WORKER_LIBS += -L$(FUZZ_STATIC) -Wl,--exclude-libs,$(FUZZ_HIDDEN) -lheif -ltiff -lwebp -ljpeg -ldeflate -lzstd -llzma \
                                -ljbig -lLerc -lz -lde265 -ldav1d -laom -lx265 -lavcodec -lavutil -lm -lstdc++
endif

# ---------------------------------------------------------------- install

install: all ## install under DESTDIR and PREFIX
	install -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(EXECDIR) $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCDIR)
	install -m 755 $(BUILD)/fovea $(DESTDIR)$(BINDIR)/fovea
	install -m 755 $(filter-out $(BUILD)/fovea,$(PROGRAMS)) $(DESTDIR)$(EXECDIR)
	install -m 755 $(BUILD)/libfovea.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libfovea.so.$(VERSION)
	ln -sf libfovea.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libfovea.so.$(SOVERSION)
	ln -sf libfovea.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libfovea.so
	install -m 644 $(BUILD)/libfovea.a $(DESTDIR)$(LIBDIR)/libfovea.a
	install -m 644 include/fovea.h $(DESTDIR)$(INCDIR)/fovea.h
	install -D -m 644 $(BUILD)/man/fovea.1 $(DESTDIR)$(MANDIR)/man1/fovea.1
	install -D -m 644 $(BUILD)/man/fovea.3 $(DESTDIR)$(MANDIR)/man3/fovea.3
	install -D -m 644 $(BUILD)/completions/fovea $(DESTDIR)$(SHAREDIR)/bash-completion/completions/fovea
	install -D -m 644 $(BUILD)/completions/_fovea $(DESTDIR)$(SHAREDIR)/zsh/site-functions/_fovea
	install -D -m 644 $(BUILD)/completions/fovea.fish $(DESTDIR)$(SHAREDIR)/fish/vendor_completions.d/fovea.fish
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' tools/fovea.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/fovea.pc

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(BINDIR)/fovea $(DESTDIR)$(INCDIR)/fovea.h $(DESTDIR)$(LIBDIR)/pkgconfig/fovea.pc
	rm -f $(DESTDIR)$(LIBDIR)/libfovea.a $(DESTDIR)$(LIBDIR)/libfovea.so*
	rm -f $(DESTDIR)$(MANDIR)/man1/fovea.1 $(DESTDIR)$(MANDIR)/man3/fovea.3 \
	    $(DESTDIR)$(SHAREDIR)/bash-completion/completions/fovea \
	    $(DESTDIR)$(SHAREDIR)/zsh/site-functions/_fovea $(DESTDIR)$(SHAREDIR)/fish/vendor_completions.d/fovea.fish
	rm -rf $(DESTDIR)$(EXECDIR)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

clean: ## remove what was built
	rm -rf build
