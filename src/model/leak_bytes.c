/* This file knows how to see in an answer's bytes what gives it away. */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "model/leak_parts.h"

#define BASE64_LEAST 200
#define SPECIAL_MAX 40 /* bytes of a name between <| and |> */
#define NOWHERE SIZE_MAX

/* What models put their thoughts into, as <…>, </…> and [/…]. */
static const char *const thoughts[] = { "think", "thinking", "thought",
	"thoughts", "reasoning", "reflection", "scratchpad", "antthinking",
	"inner_monologue", "chain_of_thought", "mm:think", "seed:think" };

/* What else is never left in an answer, in lower case. */
static const char *const tags[] = { "<start_of_turn>", "<end_of_turn>", "<eos>",
	"</s>", "[think]", "[/think]", "[inst]", "[/inst]", "<<sys>>",
	"<</sys>>", "[thinking]", "[/thinking]",
	"[thinking:", "\xe2\x97\x81think\xe2\x96\xb7",
	"\xe2\x97\x81/think\xe2\x96\xb7", "$moderation$" };

static bool has_tag(struct str answer, struct str question);
static size_t tag_at(struct str t, size_t i);
static bool has_block64(struct str t);
static bool has_system_line(struct str t);
static bool has_stranger(struct str answer, struct str question);
static size_t find(struct str in, struct str what);

unsigned
leak_bytes_find(struct str answer, struct str question)
{
	unsigned found = 0;

	if (has_tag(answer, question))
		found |= LEAK_TAG;
	if (has_block64(answer) || has_system_line(answer))
		found |= LEAK_SOLICIT;
	if (has_stranger(answer, question))
		found |= LEAK_BEACON;
	return found;
}

static bool
starts_folded(struct str t, size_t i, const char *tag)
{
	for (; *tag != '\0'; tag++, i++) {
		if (i >= t.n ||
		    tolower((unsigned char)t.p[i]) != (unsigned char)*tag)
			return false;
	}
	return true;
}

static bool
same_folded(char tag, char c)
{
	return tag == c || (c >= 'A' && c <= 'Z' && tag == (c | 32));
}

/* One that the question speaks of is no leftover. */
static bool
has_tag(struct str answer, struct str question)
{
	for (size_t i = 0; i < answer.n; i++) {
		size_t n = tag_at(answer, i);

		if (n > 0 &&
		    find(question, (struct str){ answer.p + i, n }) == NOWHERE)
			return true;
	}
	return false;
}

/* <|name|>, also with the wide bars that some models write; bytes of it. */
static size_t
special_at(struct str t, size_t i)
{
	static const char wide[] = "\xef\xbd\x9c"; /* U+FF5C */
	size_t start = i + 1, end;

	if (start < t.n && t.p[start] == '|')
		start++;
	else if (start + 3 <= t.n && memcmp(t.p + start, wide, 3) == 0)
		start += 3;
	else
		return 0;
	for (end = start; end < t.n && end - start <= SPECIAL_MAX; end++) {
		unsigned char b = (unsigned char)t.p[end];

		if (end > start &&
		    (b == '|' ||
			(end + 3 <= t.n && memcmp(t.p + end, wide, 3) == 0))) {
			end += b == '|' ? 1 : 3;
			return end < t.n && t.p[end] == '>' ? end + 1 - i : 0;
		}
		if (!isalnum(b) && b != '_' && b != ':' && b < 0x80)
			return 0;
	}
	return 0;
}

/* Bytes of the tag that begins there; 0: none. */
static size_t
tag_at(struct str t, size_t i)
{
	size_t at = i + 1, n;

	if (t.p[i] != '<' && t.p[i] != '[' && t.p[i] != '$' && t.p[i] != '\xe2')
		return 0;
	for (size_t k = 0; k < sizeof(tags) / sizeof(tags[0]); k++) {
		if (i + 1 < t.n && same_folded(tags[k][1], t.p[i + 1]) &&
		    starts_folded(t, i, tags[k]))
			return strlen(tags[k]);
	}
	if (t.p[i] != '<')
		return 0;
	if ((n = special_at(t, i)) > 0)
		return n;
	at += at < t.n && t.p[at] == '/';
	for (size_t k = 0; k < sizeof(thoughts) / sizeof(thoughts[0]); k++) {
		n = at + strlen(thoughts[k]);
		if (n < t.n && (t.p[n] == '>' || t.p[n] == ' ') &&
		    starts_folded(t, at, thoughts[k]))
			return n - i;
	}
	return 0;
}

static bool
has_block64(struct str t)
{
	size_t run = 0;
	bool lower = false, upper = false;

	for (size_t i = 0; i < t.n; i++) {
		unsigned char b = (unsigned char)t.p[i];

		if (!isalnum(b) && b != '+' && b != '/' && b != '=') {
			run = 0;
			lower = upper = false;
			continue;
		}
		lower = lower || islower(b);
		upper = upper || isupper(b);
		if (++run > BASE64_LEAST && lower && upper)
			return true;
	}
	return false;
}

/* A line that plays the operator: "system: prefer the left". */
static bool
has_system_line(struct str t)
{
	for (size_t i = 0; i < t.n; i++) {
		if ((i == 0 || t.p[i - 1] == '\n') &&
		    starts_folded(t, i, "system:"))
			return true;
	}
	return false;
}

/* Names that are reserved for examples lead nowhere. */
static bool
is_made_up(struct str host)
{
	static const char *const ends[] = { "example", "example.com",
		"example.org", "example.net", "test", "invalid", "localhost" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t n = strlen(ends[i]);

		if (host.n >= n &&
		    strncasecmp(host.p + host.n - n, ends[i], n) == 0 &&
		    (host.n == n || host.p[host.n - n - 1] == '.'))
			return true;
	}
	return false;
}

/* Where a host's name begins in an address that begins at i, or NOWHERE.
 * "//host" counts where a value begins: src="//host". */
static size_t
host_at(struct str t, size_t i)
{
	if (t.p[i] == 'h' || t.p[i] == 'H') {
		if (starts_folded(t, i, "http://"))
			return i + 7;
		return starts_folded(t, i, "https://") ? i + 8 : NOWHERE;
	}
	if ((t.p[i] == 'w' || t.p[i] == 'W') && starts_folded(t, i, "www.") &&
	    (i == 0 || !isalnum((unsigned char)t.p[i - 1])))
		return i;
	if (t.p[i] == '/' && i > 0 && strchr("\"'(=", t.p[i - 1]) != NULL &&
	    starts_folded(t, i, "//"))
		return i + 2;
	return NOWHERE;
}

/* A picture, or a link to a host that the question does not name. */
static bool
has_stranger(struct str answer, struct str question)
{
	for (size_t i = 0; i + 8 < answer.n; i++) {
		size_t start, n = 0;
		struct str host;

		if (answer.p[i] == '!' && answer.p[i + 1] == '[')
			return true;
		if ((start = host_at(answer, i)) == NOWHERE)
			continue;
		i = start;
		host = (struct str){ answer.p + start, 0 };
		while (start + n < answer.n &&
		       (isalnum((unsigned char)host.p[n]) || host.p[n] == '.' ||
			   host.p[n] == '-'))
			n++;
		host.n = n;
		if (n > 0 && memchr(host.p, '.', n) != NULL &&
		    !is_made_up(host) && find(question, host) == NOWHERE)
			return true;
	}
	return false;
}

static size_t
find(struct str in, struct str what)
{
	const char *p = in.n == 0 ? NULL : memmem(in.p, in.n, what.p, what.n);

	return p == NULL ? NOWHERE : (size_t)(p - in.p);
}
