/* This file knows how src/port/crypt.h must behave. */
#include "port/crypt.h"

#include "../tap.h"

static void
test_digests(void)
{
	struct str pieces[] = { STR("a"), STR(""), STR("bc") };
	char key[20];
	char z[CRYPT_HEX + 1];

	crypt_sha256_hex(STR("abc"), z);
	is_str(z,
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "SHA-256 of abc");
	crypt_sha256_hex_of(pieces, 3, z);
	is_str(z,
	    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
	    "in pieces");
	crypt_sha256_hex(str_of(NULL), z);
	is_str(z,
	    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
	    "of nothing");
	memset(key, 0x0b, sizeof(key));
	crypt_hmac_hex((struct str){ key, sizeof(key) }, STR("Hi There"), z);
	is_str(z,
	    "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
	    "HMAC-SHA256, RFC 4231");
}

static void
test_keys(void)
{
	struct crypt_key a, b, c;
	char z[CRYPT_HEX + 1];

	crypt_key_new(&a);
	crypt_key_new(&b);
	ok(memcmp(&a, &b, sizeof(a)) != 0, "two keys differ");
	crypt_key_hex(&a, z);
	is_int(crypt_key_parse(str_of(z), &b), ERR_OK, "key from hex");
	ok(memcmp(&a, &b, sizeof(a)) == 0, "is the same");
	is_int(crypt_key_parse(STR("abc"), &b), ERR_INVALID, "short hex");
	z[5] = 'g';
	is_int(crypt_key_parse(str_of(z), &b), ERR_INVALID, "no hex");
	crypt_key_derive(&a, "cookie", &b);
	crypt_key_derive(&a, "form", &c);
	ok(memcmp(&b, &c, sizeof(b)) != 0, "purposes have their own keys");
	ok(crypt_equal(STR("12"), STR("12")) &&
		!crypt_equal(STR("12"), STR("13")) &&
		!crypt_equal(STR("12"), STR("1")) &&
		!crypt_equal(str_of(NULL), str_of(NULL)),
	    "equality");
	crypt_wipe(&a, sizeof(a));
	ok(a.bytes[0] == 0 && a.bytes[31] == 0, "wiped");
}

static void
test_csrf(void)
{
	struct crypt_key k, other;
	char a[CRYPT_TOKEN_LEN + 1], b[CRYPT_TOKEN_LEN + 1];
	int accepted = 0;

	crypt_key_new(&k);
	crypt_key_new(&other);
	crypt_csrf_make(&k, STR("alice"), a);
	crypt_csrf_make(&k, STR("alice"), b);
	is_int(strlen(a), CRYPT_TOKEN_LEN, "length");
	ok(strcmp(a, b) != 0, "two pages differ");
	ok(crypt_csrf_ok(&k, STR("alice"), str_of(a)), "first is good");
	ok(crypt_csrf_ok(&k, STR("alice"), str_of(b)), "second is good");
	ok(!crypt_csrf_ok(&k, STR("bob"), str_of(a)), "not for another");
	ok(!crypt_csrf_ok(&other, STR("alice"), str_of(a)), "nor other key");
	ok(!crypt_csrf_ok(&k, STR("alice"), STR("")), "empty");
	ok(!crypt_csrf_ok(&k, STR("alice"), str_of(NULL)), "absent");
	for (size_t i = 0; i < CRYPT_TOKEN_LEN; i++) {
		char was = a[i];

		a[i] = was == 'A' ? 'B' : 'A';
		if (crypt_csrf_ok(&k, STR("alice"), str_of(a)))
			accepted++;
		a[i] = was;
	}
	is_int(accepted, 0, "no changed letter is accepted");
}

static void
test_cookie(void)
{
	struct crypt_key k, other;
	char z[CRYPT_COOKIE_LEN_MAX + 1];
	struct str id = STR("before");
	int64_t t = 7;
	int accepted = 0;
	size_t n;

	crypt_key_new(&k);
	crypt_key_new(&other);
	crypt_cookie_make(&k, STR("abc234"), 1795990651, z);
	n = strlen(z);
	is_int(crypt_cookie_parse(&other, str_of(z), &id, &t), ERR_INVALID,
	    "other key");
	is_str(id, "before", "out untouched");
	for (size_t i = 0; i < n; i++) {
		char was = z[i];

		z[i] = was == '7' ? '8' : '7';
		if (crypt_cookie_parse(&k, str_of(z), &id, &t) == ERR_OK)
			accepted++;
		z[i] = was;
	}
	is_int(accepted, 0, "no changed letter is accepted");
	is_int(crypt_cookie_parse(&k, (struct str){ z, n - 1 }, &id, &t),
	    ERR_INVALID, "cut");
	is_int(crypt_cookie_parse(&k, STR(""), &id, &t), ERR_INVALID, "empty");
	is_int(crypt_cookie_parse(&k, str_of(NULL), &id, &t), ERR_INVALID,
	    "absent");
	is_int(crypt_cookie_parse(&k, str_of(z), &id, &t), ERR_OK, "good");
	is_str(id, "abc234", "id");
	is_int(t, 1795990651, "issued");
}

int
main(void)
{
	is_int(crypt_init(), ERR_OK, "init");
	is_int(crypt_init(), ERR_OK, "twice is no harm");
	test_digests();
	test_keys();
	test_csrf();
	test_cookie();
	return done_testing();
}
