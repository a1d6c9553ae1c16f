/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker that speaks the protocol and misbehaves as it is told, to prove that its parent survives all of it. What to
 * do at a job stands in the input as FAULT:name; what to do instead of a greeting is the name of the folder it was
 * started from. "none" is an honest answer: an 8x8 picture.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/limits.h"
#include "base/media.h"
#include "filter.h"
#include "sandbox/jail.h"
#include "sandbox/proto.h"

enum { SIDE = 8 };

struct job {
    struct work_request request;
    struct work_reply reply;
    int input, output, other; /* other -1: there is none */
};

extern char **environ;
static char birth[WORK_DETAIL]; /* what it was started with */

/* ---------------------------------------------------------------- tools */

/* Sleeps inside the jail, where no call is there for it but this. */
static void doze(long ms)
{
    static uint32_t never;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0);
}

static void hang(void)
{
    for (;;)
        doze(1000000);
}

static void send_bytes(const void *data, size_t len)
{
    (void)send(WORK_SOCKET, data, len, MSG_NOSIGNAL);
}

static void send_reply(const struct job *j)
{
    send_bytes(&j->reply, sizeof j->reply);
}

static uint32_t crc(const uint8_t *data, size_t len)
{
    uint32_t c = ~0u;
    for (size_t i = 0; i < len; i++) {
        c ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    }
    return ~c;
}

static uint8_t *put32(uint8_t *at, uint32_t v)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        *at++ = (uint8_t)(v >> shift);
    return at;
}

static uint8_t *put_chunk(uint8_t *at, const char *type, const uint8_t *data, size_t len)
{
    uint8_t *start = put32(at, (uint32_t)len);
    memcpy(start, type, 4);
    if (len)
        memcpy(start + 4, data, len);
    return put32(start + 4 + len, crc(start, len + 4));
}

/* A black grey-scale PNG of side x side, not compressed. Returns its length. */
static size_t make_png(uint8_t *out, uint32_t side)
{
    uint8_t header[13] = {0}, pixels[512] = {0x78, 1, 1}, *at = out;
    size_t len = (size_t)side * (side + 1);
    uint32_t low = 1, high = 0;
    put32(put32(header, side), side);
    header[8] = 8;
    pixels[3] = (uint8_t)len;
    pixels[4] = (uint8_t)(len >> 8);
    pixels[5] = (uint8_t)~pixels[3];
    pixels[6] = (uint8_t)~pixels[4];
    for (size_t i = 0; i < len; i++)
        high = (high + low) % 65521; /* adler of zeros */
    put32(pixels + 7 + len, high << 16 | low);
    memcpy(at, "\x89PNG\r\n\x1a\n", 8);
    at = put_chunk(at + 8, "IHDR", header, sizeof header);
    at = put_chunk(at, "IDAT", pixels, len + 11);
    return (size_t)(put_chunk(at, "IEND", NULL, 0) - out);
}

static void write_picture(struct job *j, uint32_t side)
{
    uint8_t png[1024];
    j->reply.image_len = make_png(png, side);
    (void)!pwrite(j->output, png, (size_t)j->reply.image_len, 0);
}

static struct work_reply honest(void)
{
    return (struct work_reply){.magic = WORK_MAGIC, .status = WORK_OK, .source_w = SIDE, .source_h = SIDE,
                               .extent_w = SIDE, .extent_h = SIDE, .frames = 1, .pages = 1, .orientation = 1, .media = MEDIA_PNG, .width = SIDE, .height = SIDE,
                               .crop = {0, 0, SIDE, SIDE}};
}

/* ---------------------------------------------------------------- answers */

static void none(struct job *j)
{
    send_reply(j);
}
static void refuse(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_MALFORMED, .detail = "all of it is wrong"};
    send_reply(j);
}
static void tell_birth(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_UNSUPPORTED};
    memcpy(j->reply.detail, birth, sizeof birth);
    send_reply(j);
}
static void slow(struct job *j)
{
    doze(100);
    send_reply(j);
}
/* What stands in the other input. */
static void tell_other(struct job *j)
{
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = WORK_MALFORMED, .detail = "there is none"};
    if (j->other >= 0 && j->request.other_len < WORK_DETAIL) {
        memset(j->reply.detail, 0, sizeof j->reply.detail);
        (void)!pread(j->other, j->reply.detail, (size_t)j->request.other_len, 0);
    }
    send_reply(j);
}
static void two_replies(struct job *j)
{
    send_reply(j);
    j->reply.status = WORK_MALFORMED;
    send_reply(j);
    hang();
}
static void garbage(struct job *j)
{
    memset(&j->reply, 0xa5, sizeof j->reply);
    send_reply(j);
}
static void short_reply(struct job *j)
{
    send_bytes(&j->reply, sizeof j->reply - 1);
}
static void empty_reply(struct job *j)
{
    (void)j;
    send_bytes("", 0);
    hang();
}
static void long_reply(struct job *j)
{
    char bytes[sizeof j->reply + 16] = {0};
    memcpy(bytes, &j->reply, sizeof j->reply);
    send_bytes(bytes, sizeof bytes);
}
static void wrong_magic(struct job *j)
{
    j->reply.magic++;
    send_reply(j);
}
static void wrong_status(struct job *j)
{
    j->reply.status = WORK_STATUS_COUNT;
    send_reply(j);
}
static void endless_detail(struct job *j)
{
    j->reply.status = WORK_MALFORMED;
    memset(j->reply.detail, 'x', sizeof j->reply.detail);
    send_reply(j);
}
static void escape_in_detail(struct job *j)
{
    j->reply.status = WORK_MALFORMED;
    memcpy(j->reply.detail, "\033[2J", 5);
    send_reply(j);
}
static void huge_length(struct job *j)
{
    j->reply.image_len = UINT64_MAX - 3;
    send_reply(j);
}
static void no_length(struct job *j)
{
    j->reply.image_len = 0;
    (void)!ftruncate(j->output, 0);
    send_reply(j);
}
static void lying_size(struct job *j)
{
    (void)!ftruncate(j->output, (off_t)j->reply.image_len + 1);
    send_reply(j);
}
static void lying_length(struct job *j)
{
    j->reply.image_len += 4096;
    send_reply(j);
}
static void lying_media(struct job *j)
{
    j->reply.media = MEDIA_JPEG;
    send_reply(j);
}
static void barred_media(struct job *j)
{
    j->reply.media = MEDIA_WEBP;
    send_reply(j);
}
static void lying_dimensions(struct job *j)
{
    j->reply.width = j->reply.height = SIDE + 1;
    write_picture(j, SIDE + 1);
    send_reply(j);
}
static void lying_header(struct job *j)
{
    write_picture(j, SIDE + 1);
    send_reply(j);
}
static void crop_outside(struct job *j)
{
    j->reply.crop.x = 1;
    send_reply(j);
}
static void source_of_nothing(struct job *j)
{
    j->reply.source_w = 0;
    send_reply(j);
}
static void unknown_fact(struct job *j)
{
    j->reply.facts = 1u << 31;
    send_reply(j);
}
static void preview_unasked(struct job *j)
{
    j->reply.preview_w = j->reply.preview_h = 1;
    (void)!ftruncate(j->output, (off_t)j->reply.image_len + 4);
    send_reply(j);
}

/* ---------------------------------------------------------------- ends */

static void crash(struct job *j)
{
    (void)j;
    int *volatile nowhere = NULL;
    *nowhere = 1;
}
static void aborts(struct job *j)
{
    (void)j;
    abort();
}
static void exit_0(struct job *j)
{
    (void)j;
    _exit(0);
}
static void exit_1(struct job *j)
{
    (void)j;
    _exit(1);
}
static void hangs(struct job *j)
{
    (void)j;
    hang();
}
static void spins(struct job *j)
{
    for (volatile int on = 1; on;)
        (void)j;
}
static void stops(struct job *j)
{
    (void)j;
    (void)syscall(SYS_tgkill, getpid(), gettid(), SIGSTOP);
    hang();
}
static void closed_socket(struct job *j)
{
    (void)j;
    (void)close(WORK_SOCKET);
    hang();
}
static void forks(struct job *j)
{
    (void)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    send_reply(j);
}
static void opens(struct job *j)
{
    (void)syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", NULL, 0);
    send_reply(j);
}
static void output_beyond_limit(struct job *j)
{
    (void)!ftruncate(j->output, (off_t)LIMIT_RAW_OUTPUT + 1);
    send_reply(j);
}
static void oom(struct job *j)
{
    bool full = false;
    size_t pieces = JAIL_SANITIZED ? 1 : LIMIT_WORKER_MEMORY / (16 * MIB); /* no limit there */
    for (size_t i = 0; i < pieces && !full; i++) {
        void *volatile piece = malloc(16 * MIB);
        full = !piece;
    }
    j->reply = (struct work_reply){.magic = WORK_MAGIC, .status = full ? WORK_NO_MEMORY : WORK_UNSUPPORTED};
    send_reply(j);
}

/* ---------------------------------------------------------------- descriptors and mappings */

static void send_descriptors(const void *data, size_t len)
{
    int fds[100];
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control = {{0}};
    struct iovec words = {.iov_base = (void *)data, .iov_len = len};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    memset(fds, 0, sizeof fds);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(c), fds, sizeof fds);
    (void)sendmsg(WORK_SOCKET, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}
static void fds_with_reply(struct job *j)
{
    send_descriptors(&j->reply, sizeof j->reply);
    hang();
}
static void fd_bomb(struct job *j)
{
    for (int i = 0; i < 1000; i++)
        send_descriptors("boom", 4);
    (void)j;
    hang();
}
static void writable_mapping(struct job *j)
{
    char *map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, j->output, 0);
    send_reply(j);
    for (volatile char *at = map;;)
        ++*at;
}
static void writes_on(struct job *j)
{
    send_reply(j);
    for (;;)
        (void)!pwrite(j->output, "evil", 4, 0);
}
static void grows_on(struct job *j)
{
    send_reply(j);
    for (off_t size = 4096;; size++)
        (void)!ftruncate(j->output, size % 8192);
}

static const struct {
    const char *name;
    void (*act)(struct job *j);
} faults[] = {
    {"none", none}, {"refuse", refuse}, {"birth", tell_birth}, {"slow", slow}, {"other", tell_other}, {"two-replies", two_replies},
    {"garbage", garbage}, {"short-reply", short_reply}, {"empty-reply", empty_reply}, {"long-reply", long_reply},
    {"wrong-magic", wrong_magic}, {"wrong-status", wrong_status}, {"endless-detail", endless_detail},
    {"escape-in-detail", escape_in_detail}, {"huge-length", huge_length}, {"no-length", no_length},
    {"lying-size", lying_size}, {"lying-length", lying_length}, {"lying-media", lying_media},
    {"barred-media", barred_media}, {"lying-dimensions", lying_dimensions}, {"lying-header", lying_header},
    {"crop-outside", crop_outside}, {"source-of-nothing", source_of_nothing}, {"unknown-fact", unknown_fact},
    {"preview-unasked", preview_unasked}, {"crash", crash}, {"abort", aborts}, {"exit-0", exit_0}, {"exit-1", exit_1},
    {"hang", hangs}, {"spin", spins}, {"stop", stops}, {"closed-socket", closed_socket}, {"fork", forks},
    {"open", opens}, {"output-beyond-limit", output_beyond_limit}, {"oom", oom}, {"fds-with-reply", fds_with_reply},
    {"fd-bomb", fd_bomb}, {"writable-mapping", writable_mapping}, {"writes-on", writes_on}, {"grows-on", grows_on},
};

/* ---------------------------------------------------------------- life */

static void note_birth(void)
{
    int env = 0, fds = 0, blocked = 0, ignored = 0;
    sigset_t mask;
    struct sigaction now;
    while (environ && environ[env])
        env++;
    for (int fd = 0; fd < 1024; fd++)
        fds += fcntl(fd, F_GETFD) >= 0;
    (void)sigprocmask(SIG_BLOCK, NULL, &mask);
    for (int s = 1; s < NSIG; s++) {
        blocked += sigismember(&mask, s) == 1;
        ignored += !sigaction(s, NULL, &now) && now.sa_handler == SIG_IGN;
    }
    (void)snprintf(birth, sizeof birth, "env %d fds %d blocked %d ignored %d session %s", env, fds, blocked, ignored,
                   getsid(0) == getpid() ? "own" : "shared");
}

/* Instead of a greeting. */
static void at_birth(const char *program)
{
    char dir[LIMIT_PATH_BYTES];
    (void)snprintf(dir, sizeof dir, "%s", program);
    char *end = strrchr(dir, '/');
    if (end)
        *end = 0;
    const char *name = end && strrchr(dir, '/') ? strrchr(dir, '/') + 1 : "";
    if (!strcmp(name, "hello-exit"))
        _exit(1);
    if (!strcmp(name, "hello-crash"))
        (void)raise(SIGKILL);
    if (!strcmp(name, "hello-hang"))
        hang();
    if (!strcmp(name, "hello-garbage"))
        send_bytes("hello", 5);
    if (!strcmp(name, "hello-no-landlock")) {
        struct work_hello hello = {.magic = WORK_MAGIC, .error = EOPNOTSUPP, .layer = "landlock"};
        send_bytes(&hello, sizeof hello);
        _exit(1);
    }
}

static bool receive_job(struct job *j)
{
    int fds[3] = {-1, -1, -1};
    union {
        char bytes[CMSG_SPACE(sizeof fds)];
        struct cmsghdr align;
    } control;
    struct iovec words = {.iov_base = &j->request, .iov_len = sizeof j->request};
    struct msghdr m = {
        .msg_iov = &words, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *c;
    if (recvmsg(WORK_SOCKET, &m, 0) != sizeof j->request || !(c = CMSG_FIRSTHDR(&m)))
        return false;
    memcpy(fds, CMSG_DATA(c), MIN(c->cmsg_len - CMSG_LEN(0), sizeof fds));
    j->input = fds[0];
    j->output = fds[1];
    j->other = fds[2];
    return true;
}

static void work(struct job *j)
{
    char text[256] = {0};
    (void)!pread(j->input, text, sizeof text - 1, 0);
    const char *name = strstr(text, "FAULT:");
    j->reply = honest();
    write_picture(j, SIDE);
    for (size_t i = 0; name && i < COUNT(faults); i++)
        if (!strcmp(name + 6, faults[i].name))
            faults[i].act(j);
}

int main(int argc, char **argv)
{
    struct jail_report report;
    struct work_hello hello = {.magic = WORK_MAGIC, .codecs = "nothing but faults"};
    static struct job job;
    note_birth();
    at_birth(argc ? argv[0] : "");
    if (jail_enter(getppid(), WORK_SOCKET, &report)) {
        hello.error = report.error;
        (void)snprintf(hello.layer, sizeof hello.layer, "%s", report.layer);
    }
    hello.landlock_abi = (uint32_t)report.landlock_abi;
    send_bytes(&hello, sizeof hello);
    if (!hello.error && receive_job(&job))
        work(&job);
    _exit(0);
}
