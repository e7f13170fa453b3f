/* This file knows how to make and check what nobody else can forge. */
#include "config.h"

#include "port/crypt.h"

#include <sodium.h>

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

/* A form token is a random mask and the masked proof, half each. */
#define HALF 16
#define TOKEN_RAW ((size_t)2 * HALF)

static void hmac(
    struct str key, const char *purpose, struct str, unsigned char out[32]);
static void sign(
    const struct crypt_key *, struct str, char out[CRYPT_TOKEN_LEN + 1]);
static const unsigned char *bytes(struct str);
static struct str key_str(const struct crypt_key *);
static bool is_id(struct str id);

_Static_assert(CRYPT_HASH == crypto_hash_sha256_BYTES, "SHA-256 is 32 bytes");
_Static_assert(CRYPT_HASH == crypto_auth_hmacsha256_BYTES, "and so is HMAC");

enum err
crypt_init(void)
{
	if (sodium_init() < 0) {
		log_error("libsodium does not start");
		return ERR_INTERNAL;
	}
	return ERR_OK;
}

void
crypt_sha256(struct str s, unsigned char out[CRYPT_HASH])
{
	(void)crypto_hash_sha256(out, bytes(s), s.n);
}

void
crypt_sha256_hex(struct str s, char out[CRYPT_HEX + 1])
{
	crypt_sha256_hex_of(&s, 1, out);
}

void
crypt_sha256_hex_of(const struct str *pieces, size_t n, char out[CRYPT_HEX + 1])
{
	crypto_hash_sha256_state state;
	unsigned char raw[32];

	(void)crypto_hash_sha256_init(&state);
	for (size_t i = 0; i < n; i++)
		(void)crypto_hash_sha256_update(
		    &state, bytes(pieces[i]), pieces[i].n);
	(void)crypto_hash_sha256_final(&state, raw);
	crypt_hex(out, raw, CRYPT_HASH);
}

void
crypt_key_new(struct crypt_key *k)
{
	randombytes_buf(k->bytes, sizeof(k->bytes));
}

void
crypt_key_hex(const struct crypt_key *k, char out[CRYPT_HEX + 1])
{
	crypt_hex(out, k->bytes, CRYPT_HASH);
}

enum err
crypt_key_parse(struct str hex, struct crypt_key *out)
{
	struct crypt_key k;
	size_t n;

	if (hex.n != CRYPT_HEX ||
	    sodium_hex2bin(
		k.bytes, sizeof(k.bytes), hex.p, hex.n, NULL, &n, NULL) != 0 ||
	    n != sizeof(k.bytes))
		return ERR_INVALID;
	*out = k;
	crypt_wipe(k.bytes, sizeof(k.bytes));
	return ERR_OK;
}

void
crypt_key_derive(
    const struct crypt_key *master, const char *purpose, struct crypt_key *out)
{
	hmac(key_str(master), "derive/1", str_of(purpose), out->bytes);
}

void
crypt_hmac(struct str key, struct str s, unsigned char out[CRYPT_HASH])
{
	hmac(key, NULL, s, out);
}

void
crypt_hmac_hex(struct str key, struct str s, char out[CRYPT_HEX + 1])
{
	unsigned char raw[CRYPT_HASH];

	crypt_hmac(key, s, raw);
	crypt_hex(out, raw, sizeof(raw));
}

void
crypt_hex(char *out, const void *p, size_t n)
{
	(void)sodium_bin2hex(out, 2 * n + 1, p, n);
}

void
crypt_wipe(void *p, size_t n)
{
	sodium_memzero(p, n);
}

bool
crypt_equal(struct str a, struct str b)
{
	if (a.p == NULL || b.p == NULL || a.n != b.n)
		return false;
	return sodium_memcmp(a.p, b.p, a.n) == 0;
}

void
crypt_csrf_make(
    const struct crypt_key *k, struct str who, char out[CRYPT_TOKEN_LEN + 1])
{
	unsigned char proof[32];
	unsigned char raw[TOKEN_RAW];

	hmac(key_str(k), "csrf/1", who, proof);
	randombytes_buf(raw, HALF);
	for (size_t i = 0; i < HALF; i++)
		raw[HALF + i] = raw[i] ^ proof[i];
	(void)sodium_bin2base64(out, CRYPT_TOKEN_LEN + 1, raw, sizeof(raw),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

bool
crypt_csrf_ok(const struct crypt_key *k, struct str who, struct str token)
{
	unsigned char proof[32];
	unsigned char raw[TOKEN_RAW];
	size_t n;

	if (token.p == NULL || token.n != CRYPT_TOKEN_LEN ||
	    sodium_base642bin(raw, sizeof(raw), token.p, token.n, NULL, &n,
		NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
	    n != sizeof(raw))
		return false;
	hmac(key_str(k), "csrf/1", who, proof);
	for (size_t i = 0; i < HALF; i++)
		raw[HALF + i] ^= raw[i];
	return sodium_memcmp(raw + HALF, proof, HALF) == 0;
}

void
crypt_cookie_make(const struct crypt_key *k, struct str id, int64_t issued,
    char out[CRYPT_COOKIE_LEN_MAX + 1])
{
	char signature[CRYPT_TOKEN_LEN + 1];
	int n;

	assert(is_id(id));
	n = snprintf(out, CRYPT_COOKIE_LEN_MAX + 1, "%.*s.%" PRId64, (int)id.n,
	    id.p, issued);
	assert(n > 0);
	sign(k, (struct str){ out, (size_t)n }, signature);
	(void)snprintf(
	    out + n, CRYPT_COOKIE_LEN_MAX + 1 - (size_t)n, ".%s", signature);
}

enum err
crypt_cookie_parse(const struct crypt_key *k, struct str cookie, struct str *id,
    int64_t *issued)
{
	char signature[CRYPT_TOKEN_LEN + 1];
	struct str rest = cookie;
	struct str head, name, when;
	int64_t t;

	if (cookie.p == NULL || cookie.n > CRYPT_COOKIE_LEN_MAX ||
	    cookie.n < CRYPT_TOKEN_LEN + 2)
		return ERR_INVALID;
	head = (struct str){ cookie.p, cookie.n - CRYPT_TOKEN_LEN - 1 };
	if (cookie.p[head.n] != '.')
		return ERR_INVALID;
	rest = (struct str){ cookie.p + head.n + 1, CRYPT_TOKEN_LEN };
	sign(k, head, signature);
	/* Nothing is read out of it before the signature is known good. */
	if (!crypt_equal(rest, (struct str){ signature, CRYPT_TOKEN_LEN }))
		return ERR_INVALID;
	name = str_cut(&head, '.');
	when = head;
	if (!is_id(name) || str_int(when, INT64_MIN, INT64_MAX, &t) != ERR_OK)
		return ERR_INVALID;
	*id = name;
	*issued = t;
	return ERR_OK;
}

/* The purpose, ended by a NUL, keeps the uses of one key apart. */
static void
hmac(struct str key, const char *purpose, struct str s, unsigned char out[32])
{
	crypto_auth_hmacsha256_state state;

	(void)crypto_auth_hmacsha256_init(&state, bytes(key), key.n);
	if (purpose != NULL)
		(void)crypto_auth_hmacsha256_update(&state,
		    (const unsigned char *)purpose, strlen(purpose) + 1);
	(void)crypto_auth_hmacsha256_update(
	    &state, (const unsigned char *)s.p, s.n);
	(void)crypto_auth_hmacsha256_final(&state, out);
	sodium_memzero(&state, sizeof(state));
}

static void
sign(const struct crypt_key *k, struct str s, char out[CRYPT_TOKEN_LEN + 1])
{
	unsigned char raw[32];

	hmac(key_str(k), "cookie/1", s, raw);
	(void)sodium_bin2base64(out, CRYPT_TOKEN_LEN + 1, raw, sizeof(raw),
	    sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static const unsigned char *
bytes(struct str s)
{
	return (const unsigned char *)(s.p == NULL ? "" : s.p);
}

static struct str
key_str(const struct crypt_key *k)
{
	return (struct str){ (const char *)k->bytes, sizeof(k->bytes) };
}

static bool
is_id(struct str id)
{
	if (id.n == 0 || id.n > CRYPT_COOKIE_ID_MAX)
		return false;
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')))
			return false;
	}
	return true;
}
