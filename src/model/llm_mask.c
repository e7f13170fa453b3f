/* This file knows how to find what names an account, or opens one. */
#include "config.h"

#include "model/llm_parts.h"

#include <string.h>

#include "base/buf.h"

#define REST_MIN 3    /* characters behind a prefix, with a digit */
#define SECRET_RUN 16 /* letters and digits mixed, without a break */
#define NUMBER_RUN 12 /* digits of an account's number */

static const char *const prefixes[] = { "sk-", "pk-", "rk-", "sk_", "pk_",
	"org-", "org_", "acct-", "acct_", "account-", "account_", "proj-",
	"proj_", "project-", "user-", "user_", "usr_", "cus_", "team-", "team_",
	"tenant-", "key-", "key_", "gsk_", "hf_", "xai-", "ghp_", "AKIA",
	"AIza" };

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_word_sign(char c)
{
	return is_letter(c) || is_digit(c) || c == '-' || c == '_';
}

/* The length of the prefix behind which w names an account; 0: none. */
static size_t
prefix_of(struct str w)
{
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		size_t n = strlen(prefixes[i]);
		bool digit = false;

		if (w.n < n + REST_MIN || memcmp(w.p, prefixes[i], n) != 0)
			continue;
		for (size_t k = n; k < w.n; k++)
			digit = digit || is_digit(w.p[k]);
		if (digit || w.n - n >= SECRET_RUN)
			return n;
	}
	return 0;
}

/* 8-4-4-4-12 hexadecimal digits. */
static bool
is_uuid(struct str w)
{
	if (w.n != 36)
		return false;
	for (size_t i = 0; i < w.n; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;

		if (dash ? w.p[i] != '-' : str_hex(w.p[i]) < 0)
			return false;
	}
	return true;
}

/* A long run that is neither a word nor a name of a model. */
static bool
is_secret(struct str w)
{
	size_t letters = 0, digits = 0;

	for (size_t i = 0; i <= w.n; i++) {
		if (i < w.n && is_letter(w.p[i])) {
			letters++;
		} else if (i < w.n && is_digit(w.p[i])) {
			digits++;
		} else {
			if ((letters > 0 && digits > 0 &&
				letters + digits >= SECRET_RUN) ||
			    (letters == 0 && digits >= NUMBER_RUN))
				return true;
			letters = digits = 0;
		}
	}
	return is_uuid(w);
}

/* The part of an address before its @ has more signs than a word. */
static void
drop_mailbox(struct buf *b)
{
	while (b->n > 0 && (is_word_sign(b->p[b->n - 1]) ||
			       memchr(".+%", b->p[b->n - 1], 3) != NULL))
		b->n--;
}

static void
put_word(struct buf *b, struct str w, bool mailbox)
{
	size_t kept = prefix_of(w);

	if (mailbox)
		drop_mailbox(b);
	if (!mailbox && kept == 0 && !is_secret(w)) {
		buf_str(b, w);
		return;
	}
	buf_add(b, w.p, mailbox ? 0 : kept);
	buf_z(b, "***");
}

struct str
llm_mask(struct pool *pool, struct str s)
{
	struct str out = s;
	struct buf b;

	buf_init(&b, 4 * s.n + 1); /* a@ becomes three signs */
	for (size_t i = 0; i < s.n;) {
		struct str w = { s.p + i, 0 };

		while (i + w.n < s.n && is_word_sign(s.p[i + w.n]))
			w.n++;
		i += w.n;
		if (w.n > 0)
			put_word(&b, w, i < s.n && s.p[i] == '@');
		else
			buf_c(&b, s.p[i++]);
	}
	if (b.failed)
		out = STR("***");
	else if (b.n > 0)
		out = pool_str(pool, (struct str){ b.p, b.n });
	buf_release(&b);
	return out;
}
