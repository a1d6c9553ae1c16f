/* SPDX-License-Identifier: Apache-2.0 */
/* Connections of the provider: one request after another is read whole, whoever sends it and however it is cut. */
#include <openssl/x509v3.h>
#include <strings.h>
#include <sys/socket.h>

#include "host.h"

bool peer_send(struct peer *p, const char *bytes, size_t len)
{
    while (len) {
        ssize_t n = p->ssl ? SSL_write(p->ssl, bytes, (int)MIN(len, 1u << 20)) : send(p->fd, bytes, len, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

/* Some more bytes of the peer into b. */
static bool take_some(struct peer *p, struct buf *b)
{
    char *to = buf_reserve(b, 65536);
    if (!to)
        return false;
    ssize_t n = p->ssl ? SSL_read(p->ssl, to, 65536) : recv(p->fd, to, 65536, 0);
    if (n <= 0)
        return false;
    buf_grew(b, (size_t)n);
    return true;
}

static void header(const char *head, const char *name, char *to, size_t room)
{
    size_t n = strlen(name);
    *to = '\0';
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, n) || line[2 + n] != ':')
            continue;
        const char *value = line + 3 + n + strspn(line + 3 + n, " ");
        (void)snprintf(to, room, "%.*s", (int)strcspn(value, "\r\n"), value);
    }
}

static void find_key(struct request *q)
{
    static const char *const names[] = {"x-api-key", "x-goog-api-key", "authorization"};
    for (size_t i = 0; i < COUNT(names) && !*q->key; i++)
        header(q->head.data, names[i], q->key, sizeof q->key);
    if (!strncmp(q->key, "Bearer ", 7))
        memmove(q->key, q->key + 7, strlen(q->key + 7) + 1);
}

/* Gemini's is in the path, the others' at the start of the body, which may be too long to be parsed in no time. */
static void find_model(struct request *q)
{
    const char *path = strstr(q->path, "/models/"), *body = q->body.data ? q->body.data : "";
    const char *named = strstr(body, "\"model\":\"");
    if (path)
        (void)snprintf(q->model, sizeof q->model, "%.*s", (int)strcspn(path + 8, ":"), path + 8);
    else if (named)
        (void)snprintf(q->model, sizeof q->model, "%.*s", (int)strcspn(named + 9, "\""), named + 9);
    q->repair = strstr(body, "\"role\":\"assistant\"") || strstr(body, "\"role\":\"model\"");
}

bool request_take(struct peer *p, struct request *q)
{
    char length[32];
    struct buf all = p->left;
    p->left = (struct buf)BUF_INIT(MAX_BODY);
    *q = (struct request){.head = BUF_INIT(MAX_HEAD), .body = BUF_INIT(MAX_BODY)};
    const char *end;
    while (!(end = all.data ? strstr(all.data, "\r\n\r\n") : NULL))
        if (!take_some(p, &all))
            goto none;
    (void)buf_add(&q->head, all.data, (size_t)(end + 2 - all.data));
    if (q->head.error || sscanf(q->head.data, "%15s %2047s", q->method, q->path) != 2)
        goto none;
    header(q->head.data, "content-length", length, sizeof length);
    size_t want = strtoul(length, NULL, 10), have = (size_t)(end + 4 - all.data);
    if (want > MAX_BODY - MAX_HEAD)
        goto none;
    while (all.len < have + want)
        if (!take_some(p, &all))
            goto none;
    (void)buf_add(&q->body, all.data + have, want);
    (void)buf_add(&p->left, all.data + have + want, all.len - have - want);
    buf_done(&all);
    find_key(q);
    find_model(q);
    return !q->body.error && !p->left.error;
none:
    buf_done(&all);
    return false;
}

void request_done(struct request *q)
{
    buf_done(&q->head);
    buf_done(&q->body);
}

static bool certify(X509 *cert, EVP_PKEY *key)
{
    X509V3_CTX ctx;
    X509_NAME *name = X509_get_subject_name(cert);
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, &ctx, NID_subject_alt_name, "IP:127.0.0.1,DNS:localhost");
    bool good = names && X509_set_version(cert, 2) && ASN1_INTEGER_set(X509_get_serialNumber(cert), 1) &&
                X509_gmtime_adj(X509_getm_notBefore(cert), -3600) && X509_gmtime_adj(X509_getm_notAfter(cert), 86400) &&
                X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"loopback", -1, -1, 0) &&
                X509_set_issuer_name(cert, name) && X509_set_pubkey(cert, key) && X509_add_ext(cert, names, -1) &&
                X509_sign(cert, key, EVP_sha256());
    X509_EXTENSION_free(names);
    return good;
}

SSL_CTX *tls_new(const char *pem_file)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    FILE *pem = fopen(pem_file, "we");
    bool good = key && cert && ctx && pem && certify(cert, key) && SSL_CTX_use_certificate(ctx, cert) == 1 &&
                SSL_CTX_use_PrivateKey(ctx, key) == 1 && PEM_write_X509(pem, cert);
    if (pem && fclose(pem))
        good = false;
    if (!good) {
        SSL_CTX_free(ctx);
        ctx = NULL;
    }
    X509_free(cert);
    EVP_PKEY_free(key);
    return ctx;
}
