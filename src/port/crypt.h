/*
 * crypt - digests, secrets, and tokens that only we can have made.
 *
 * Layer    port: the only place that knows libsodium.
 * Memory   caller's buffers.
 * Threads  any, after crypt_init.
 */
#ifndef PA_CRYPT_H
#define PA_CRYPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define CRYPT_HASH 32      /* bytes of a SHA-256 or HMAC */
#define CRYPT_HEX 64       /* the same in hexadecimal digits */
#define CRYPT_KEY 32       /* bytes of a key */
#define CRYPT_TOKEN_LEN 43 /* 32 bytes in base64url without padding */
#define CRYPT_COOKIE_ID_MAX 64
#define CRYPT_COOKIE_LEN_MAX                                                   \
	(CRYPT_COOKIE_ID_MAX + 1 + 20 + 1 + CRYPT_TOKEN_LEN)

struct crypt_key {
	unsigned char bytes[CRYPT_KEY];
};

/* Once, before threads; harmless when repeated.  ERR_INTERNAL: no library. */
enum err crypt_init(void) PA_MUST_USE;

void crypt_sha256(struct str s, unsigned char out[CRYPT_HASH]);

/* Lower-case hexadecimal, NUL-terminated; _of: over the pieces in turn. */
void crypt_sha256_hex(struct str s, char out[CRYPT_HEX + 1]);
void crypt_sha256_hex_of(
    const struct str *pieces, size_t n, char out[CRYPT_HEX + 1]);

/* A new key from the kernel; a key as hex and back. */
void crypt_key_new(struct crypt_key *k);
void crypt_key_hex(const struct crypt_key *k, char out[CRYPT_HEX + 1]);
enum err crypt_key_parse(struct str hex, struct crypt_key *out) PA_MUST_USE;

/* One key for one purpose, made from a master key and the purpose's name. */
void crypt_key_derive(
    const struct crypt_key *master, const char *purpose, struct crypt_key *out);

/* HMAC-SHA-256 (RFC 2104) under a key of any length. */
void crypt_hmac(struct str key, struct str s, unsigned char out[CRYPT_HASH]);
void crypt_hmac_hex(struct str key, struct str s, char out[CRYPT_HEX + 1]);

/* out holds 2 * n + 1 bytes or more. */
void crypt_hex(char *out, const void *p, size_t n);

/* Overwrite bytes that were secret; never optimised away. */
void crypt_wipe(void *p, size_t n);

/* Equal, in time that depends on the lengths alone.  Absent equals nothing. */
bool crypt_equal(struct str a, struct str b);

/*
 * Form token for who (an account or cookie id), masked so that no two pages
 * carry the same bytes (a compressed page then tells nothing: BREACH).
 */
void crypt_csrf_make(
    const struct crypt_key *k, struct str who, char out[CRYPT_TOKEN_LEN + 1]);
bool crypt_csrf_ok(const struct crypt_key *k, struct str who, struct str token);

/*
 * Guest cookie: "ID.ISSUED.SIGNATURE".  id is 1 to 64 of [a-z0-9]: our own
 * tokens.  On success *id is borrowed from cookie.
 */
void crypt_cookie_make(const struct crypt_key *k, struct str id, int64_t issued,
    char out[CRYPT_COOKIE_LEN_MAX + 1]);
enum err crypt_cookie_parse(const struct crypt_key *k, struct str cookie,
    struct str *id, int64_t *issued) PA_MUST_USE;

#endif /* PA_CRYPT_H */
