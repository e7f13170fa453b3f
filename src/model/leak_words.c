/* This file knows how to read a text as words, whatever letters it hides in. */
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "model/leak_parts.h"

#define TEXT_MAX ((size_t)1 << 20)
#define FNV_BASIS UINT64_C(14695981039346656037)
#define FNV_PRIME UINT64_C(1099511628211)
#define DROPPED 0xffffffffu
#define CASELESS_FIRST 0x590 /* Hebrew, Arabic and what follows */
#define ELISION_MAX 3 /* letters before an apostrophe: I'm, can't, qu'il */

struct span { /* code points that stand for a run of others */
	uint32_t first, last, start;
	uint32_t period; /* 0: one to one */
};

/* Letters that look Latin, or are Latin with a mark or in another dress. */
static const struct span spans[] = {
	{ 0x24b6, 0x24cf, 'A', 0 },
	{ 0x24d0, 0x24e9, 'a', 0 },
	{ 0x249c, 0x24b5, 'a', 0 },
	{ 0xff10, 0xff19, '0', 0 },
	{ 0xff21, 0xff3a, 'A', 0 },
	{ 0xff41, 0xff5a, 'a', 0 },
	{ 0x1d7ce, 0x1d7ff, '0', 10 },
	{ 0x1f110, 0x1f129, 'A', 0 },
	{ 0x1f130, 0x1f149, 'A', 0 },
	{ 0x1f150, 0x1f169, 'A', 0 },
	{ 0x1f170, 0x1f189, 'A', 0 },
	{ 0x1f1e6, 0x1f1ff, 'A', 0 },
};

/* U+00C0 … U+017F without their marks; a dot: no Latin letter. */
static const char latin[] = "AAAAAAACEEEEIIIIDNOOOOO.OUUUUYTs"
			    "aaaaaaaceeeeiiiidnooooo.ouuuuyty"
			    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGg"
			    "GgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
			    "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSs"
			    "SsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

struct like {
	uint32_t cp;
	char as;
};

/* Sorted by code point. */
static const struct like likes[] = {
	{ 0x0131, 'i' },
	{ 0x0251, 'a' },
	{ 0x0261, 'g' },
	{ 0x0262, 'g' },
	{ 0x0269, 'i' },
	{ 0x026a, 'i' },
	{ 0x0274, 'n' },
	{ 0x0280, 'r' },
	{ 0x028f, 'y' },
	{ 0x0299, 'b' },
	{ 0x029c, 'h' },
	{ 0x029f, 'l' },
	{ 0x0391, 'A' },
	{ 0x0392, 'B' },
	{ 0x0395, 'E' },
	{ 0x0396, 'Z' },
	{ 0x0397, 'H' },
	{ 0x0399, 'I' },
	{ 0x039a, 'K' },
	{ 0x039c, 'M' },
	{ 0x039d, 'N' },
	{ 0x039f, 'O' },
	{ 0x03a1, 'P' },
	{ 0x03a4, 'T' },
	{ 0x03a5, 'Y' },
	{ 0x03a7, 'X' },
	{ 0x03b1, 'a' },
	{ 0x03b3, 'y' },
	{ 0x03b9, 'i' },
	{ 0x03ba, 'k' },
	{ 0x03bd, 'v' },
	{ 0x03bf, 'o' },
	{ 0x03c1, 'p' },
	{ 0x03c4, 't' },
	{ 0x03c5, 'u' },
	{ 0x03c7, 'x' },
	{ 0x03f2, 'c' },
	{ 0x0405, 'S' },
	{ 0x0406, 'I' },
	{ 0x0408, 'J' },
	{ 0x0410, 'A' },
	{ 0x0412, 'B' },
	{ 0x0415, 'E' },
	{ 0x041a, 'K' },
	{ 0x041c, 'M' },
	{ 0x041d, 'H' },
	{ 0x041e, 'O' },
	{ 0x0420, 'P' },
	{ 0x0421, 'C' },
	{ 0x0422, 'T' },
	{ 0x0423, 'Y' },
	{ 0x0425, 'X' },
	{ 0x0430, 'a' },
	{ 0x0432, 'b' },
	{ 0x0433, 'r' },
	{ 0x0435, 'e' },
	{ 0x043a, 'k' },
	{ 0x043c, 'm' },
	{ 0x043d, 'h' },
	{ 0x043e, 'o' },
	{ 0x0440, 'p' },
	{ 0x0441, 'c' },
	{ 0x0442, 't' },
	{ 0x0443, 'y' },
	{ 0x0445, 'x' },
	{ 0x0455, 's' },
	{ 0x0456, 'i' },
	{ 0x0458, 'j' },
	{ 0x0475, 'v' },
	{ 0x04bb, 'h' },
	{ 0x04c0, 'I' },
	{ 0x04cf, 'l' },
	{ 0x0501, 'd' },
	{ 0x051b, 'q' },
	{ 0x051d, 'w' },
	{ 0x0578, 'n' },
	{ 0x057d, 'u' },
	{ 0x0585, 'o' },
	{ 0x1d00, 'a' },
	{ 0x1d04, 'c' },
	{ 0x1d05, 'd' },
	{ 0x1d07, 'e' },
	{ 0x1d0a, 'j' },
	{ 0x1d0b, 'k' },
	{ 0x1d0d, 'm' },
	{ 0x1d0f, 'o' },
	{ 0x1d18, 'p' },
	{ 0x1d1b, 't' },
	{ 0x1d1c, 'u' },
	{ 0x1d20, 'v' },
	{ 0x1d21, 'w' },
	{ 0x1d22, 'z' },
	{ 0x2070, '0' },
	{ 0x2071, 'i' },
	{ 0x207f, 'n' },
	{ 0x2102, 'C' },
	{ 0x210a, 'g' },
	{ 0x210b, 'H' },
	{ 0x210c, 'H' },
	{ 0x210d, 'H' },
	{ 0x210e, 'h' },
	{ 0x2110, 'I' },
	{ 0x2111, 'I' },
	{ 0x2112, 'L' },
	{ 0x2113, 'l' },
	{ 0x2115, 'N' },
	{ 0x2119, 'P' },
	{ 0x211a, 'Q' },
	{ 0x211b, 'R' },
	{ 0x211c, 'R' },
	{ 0x211d, 'R' },
	{ 0x2124, 'Z' },
	{ 0x212a, 'K' },
	{ 0x212c, 'B' },
	{ 0x212d, 'C' },
	{ 0x212f, 'e' },
	{ 0x2130, 'E' },
	{ 0x2131, 'F' },
	{ 0x2133, 'M' },
	{ 0x2134, 'o' },
	{ 0xa731, 's' },
};

struct reader {
	struct str s;
	size_t i;
	struct leak_words *out;
	size_t room;
	/* the word under way */
	struct leak_word w;
	char last; /* its last folded letter; 0: none */
	bool open, digit_seen;
	/* what stood before it */
	bool line, sentence, comma;
};

static uint32_t next_sign(struct reader *r);
static uint32_t entity(struct reader *r, size_t start);
static bool is_hidden(uint32_t cp);
static bool is_mark(uint32_t cp);
static bool is_rare(uint32_t cp);
static bool is_cjk(uint32_t cp);
static bool is_letter(uint32_t cp);
static uint32_t fold(uint32_t cp);
static void add_letter(struct reader *r, uint32_t cp, size_t at);
static void end_word(struct reader *r);
static void pass_sign(struct reader *r, uint32_t cp);
static bool joins(const struct reader *r, uint32_t cp);
static void join_spelled(struct leak_words *w, struct str s);

enum err
leak_words_read(struct pool *pool, struct text t, struct leak_words *out)
{
	struct reader r = {
		.s = { t.p, t.n }, .out = out, .line = true, .sentence = true
	};

	*out = (struct leak_words){ 0 };
	if (t.n > TEXT_MAX)
		return ERR_NOMEM;
	/* A word and what parts it from the next take two bytes; a character
	 * that is a word alone takes three. */
	r.room = t.n / 2 + 2;
	out->w = pool_array(pool, r.room, sizeof(*out->w));
	if (out->w == NULL)
		return ERR_NOMEM;
	while (r.i < r.s.n) {
		size_t at = r.i;
		uint32_t cp = next_sign(&r), as;

		out->chars++;
		if (is_hidden(cp) || is_mark(cp)) {
			out->hidden += is_hidden(cp) &&
				       !(cp >= 0x200c && cp <= 0x200f) &&
				       cp != 0xad;
			continue;
		}
		out->signs += is_rare(cp);
		as = fold(cp);
		if (as != DROPPED)
			add_letter(&r, as, at);
		else if (!joins(&r, cp))
			pass_sign(&r, cp);
	}
	end_word(&r);
	join_spelled(out, r.s);
	return ERR_OK;
}

/* A character; one that is written as &#67; or &#x43; is what it shows. */
static uint32_t
next_sign(struct reader *r)
{
	size_t start = r->i;
	uint32_t cp = text_next(r->s, &r->i);

	return cp == '&' ? entity(r, start) : cp;
}

static uint32_t
entity(struct reader *r, size_t start)
{
	const char *p = r->s.p;
	size_t i = start + 1, digits = 0;
	uint32_t cp = 0, base = 10;

	if (i >= r->s.n || p[i] != '#')
		return '&';
	i++;
	if (i < r->s.n && (p[i] == 'x' || p[i] == 'X')) {
		base = 16;
		i++;
	}
	for (; i < r->s.n && digits < 7; i++, digits++) {
		uint32_t d;

		if (p[i] >= '0' && p[i] <= '9')
			d = (uint32_t)(p[i] - '0');
		else if (base == 16 && (p[i] | 32) >= 'a' && (p[i] | 32) <= 'f')
			d = (uint32_t)((p[i] | 32) - 'a') + 10;
		else
			break;
		cp = cp * base + d;
	}
	if (digits == 0 || i >= r->s.n || p[i] != ';' || cp > 0x10ffff)
		return '&';
	r->i = i + 1;
	return cp;
}

static bool
is_hidden(uint32_t cp)
{
	return cp == 0xad || cp == 0x34f || cp == 0x61c || cp == 0x180e ||
	       (cp >= 0x200b && cp <= 0x200f) ||
	       (cp >= 0x202a && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff ||
	       (cp >= 0xe0000 && cp <= 0xe007f);
}

/* Combining marks and variation selectors change no letter. */
static bool
is_mark(uint32_t cp)
{
	return (cp >= 0x300 && cp <= 0x36f) || (cp >= 0x1ab0 && cp <= 0x1aff) ||
	       (cp >= 0x20d0 && cp <= 0x20ff) ||
	       (cp >= 0xfe00 && cp <= 0xfe0f) ||
	       (cp >= 0xe0100 && cp <= 0xe01ef);
}

static bool
is_rare(uint32_t cp)
{
	return (cp >= 0x1f000 && cp <= 0x1faff) ||
	       (cp >= 0x2600 && cp <= 0x27bf) ||
	       (cp >= 0x2b00 && cp <= 0x2bff) ||
	       (cp >= 0xe000 && cp <= 0xf8ff) || cp >= 0xe0000;
}

static bool
is_cjk(uint32_t cp)
{
	return (cp >= 0x3040 && cp <= 0x30ff) ||
	       (cp >= 0x3400 && cp <= 0x9fff) ||
	       (cp >= 0xac00 && cp <= 0xd7af) ||
	       (cp >= 0xf900 && cp <= 0xfaff) ||
	       (cp >= 0x20000 && cp <= 0x3ffff);
}

/* Of other scripts; signs and punctuation are not. */
static bool
is_letter(uint32_t cp)
{
	if (cp < 0xc0)
		return cp == 0xaa || cp == 0xb5 || cp == 0xba;
	if (cp == 0xd7 || cp == 0xf7 || cp == 0xfffd)
		return false;
	if (cp >= 0x2000 && cp <= 0x2bff)
		return false;
	if ((cp >= 0x3000 && cp <= 0x303f) || (cp >= 0xfe10 && cp <= 0xfe6f) ||
	    (cp >= 0xff00 && cp <= 0xffef) || cp == 0x60c || cp == 0x61b ||
	    cp == 0x61f || cp == 0x6d4 || cp == 0x30fb)
		return false;
	return !is_rare(cp);
}

/* The letter or digit it reads as (ASCII where it can be); DROPPED: none. */
static uint32_t
fold(uint32_t cp)
{
	size_t low = 0, high = sizeof(likes) / sizeof(likes[0]);

	if (cp < 0x80)
		return (cp >= '0' && cp <= '9') || (cp >= 'A' && cp <= 'Z') ||
			       (cp >= 'a' && cp <= 'z')
			   ? cp
			   : DROPPED;
	if (cp >= 0xc0 && cp <= 0x17f && latin[cp - 0xc0] != '.')
		return (uint32_t)latin[cp - 0xc0];
	if (cp >= 0x1d400 && cp <= 0x1d6a3) {
		uint32_t k = (cp - 0x1d400) % 52;

		return k < 26 ? 'A' + k : 'a' + k - 26;
	}
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const struct span *s = &spans[i];

		if (cp >= s->first && cp <= s->last)
			return s->start +
			       (s->period == 0 ? cp - s->first
					       : (cp - s->first) % s->period);
	}
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (likes[mid].cp < cp)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < sizeof(likes) / sizeof(likes[0]) && likes[low].cp == cp)
		return (uint32_t)likes[low].as;
	/* Small letters of the other scripts that know capitals. */
	if ((cp >= 0x391 && cp <= 0x3a9) || (cp >= 0x410 && cp <= 0x42f))
		return cp + 0x20;
	if (cp >= 0x400 && cp <= 0x40f)
		return cp + 0x50;
	return is_letter(cp) ? cp : DROPPED;
}

static void
add_letter(struct reader *r, uint32_t cp, size_t at)
{
	bool upper = cp >= 'A' && cp <= 'Z', digit = cp >= '0' && cp <= '9';

	if (is_cjk(cp))
		end_word(r);
	if (!r->open) {
		r->w = (struct leak_word){ .hash = FNV_BASIS,
			.at = (uint32_t)at,
			.upper = upper,
			.caseless = cp >= CASELESS_FIRST,
			.number = digit,
			.line = r->line,
			.sentence = r->sentence,
			.comma = r->comma };
		r->open = true;
		r->digit_seen = digit;
	}
	if (upper)
		cp += 'a' - 'A';
	if (digit && !r->digit_seen) {
		r->digit_seen = true;
		if (r->w.letters >= 3)
			r->w.stem = r->w.hash;
	}
	r->w.hash = (r->w.hash ^ cp) * FNV_PRIME;
	r->w.end = (uint32_t)r->i;
	r->last = cp < 0x80 ? (char)cp : 0;
	if (r->w.letters < UINT8_MAX)
		r->w.letters++;
	if (is_cjk(cp)) {
		r->w.cjk = true;
		end_word(r);
	}
}

static void
end_word(struct reader *r)
{
	if (!r->open)
		return;
	if (r->out->n < r->room)
		r->out->w[r->out->n++] = r->w;
	r->open = r->line = r->sentence = r->comma = false;
	r->last = 0;
}

/* An apostrophe between letters; emphasis in the middle of a word. */
static bool
joins(const struct reader *r, uint32_t cp)
{
	size_t i = r->i;
	uint32_t next;

	if (!r->open || i >= r->s.n)
		return false;
	if (cp == '*' || cp == '`') {
		while (i < r->s.n && r->s.p[i] == (char)cp)
			i++;
	} else if (cp != '\'' && cp != 0x2019 && cp != '\\') {
		return false;
	}
	if (i >= r->s.n)
		return false;
	next = fold(text_next(r->s, &i));
	if (next == DROPPED || is_cjk(next))
		return false;
	/* "OpenAI's" and "ChatGPT'yim" begin with the name; "I'm", "can't" and
	 * "m'appelle" stay one word each. */
	if ((cp == '\'' || cp == 0x2019) &&
	    ((next | 32) == 's' || r->w.letters > ELISION_MAX))
		return false;
	return true;
}

static void
pass_sign(struct reader *r, uint32_t cp)
{
	size_t i = r->i;
	uint32_t next;

	end_word(r);
	switch (cp) {
	case '\n':
		r->line = r->sentence = true;
		return;
	case ' ':
	case '\t':
	case 0xa0:
	case 0x3000:
		return;
	case '.':
		/* Not inside 3.5 or llm.example.edu. */
		next = i < r->s.n ? fold(text_next(r->s, &i)) : DROPPED;
		if (next != DROPPED)
			return;
		r->sentence = true;
		break;
	case '!':
	case '?':
	case 0x3002:
	case 0xff01:
	case 0xff1f:
	case 0x61f:
	case 0x6d4:
		r->sentence = true;
		break;
	default:
		break;
	}
	/* A comma before a closing quotation mark stays one. */
	r->comma =
	    r->comma || (cp != '-' && cp != 0x2011 && cp != '_' && cp != '.' &&
			    cp != '*' && cp != '`' && cp != '"' && cp != '\'');
}

/* C-l-a-u-d-e and G P T: three and more letters, each alone, are a word. */
static void
join_spelled(struct leak_words *w, struct str s)
{
	size_t to = 0, i = 0;

	while (i < w->n) {
		size_t n = 0;

		while (
		    i + n < w->n && w->w[i + n].letters == 1 &&
		    !w->w[i + n].cjk && !w->w[i + n].number &&
		    (n == 0 || (!w->w[i + n].line &&
				   w->w[i + n].at == w->w[i + n - 1].end + 1)))
			n++;
		w->w[to] = w->w[i];
		if (n >= 3) {
			uint64_t hash = FNV_BASIS;

			for (size_t k = 0; k < n; k++) {
				size_t at = w->w[i + k].at;
				uint32_t cp = fold(text_next(s, &at));

				if (cp >= 'A' && cp <= 'Z')
					cp += 'a' - 'A';
				hash = (hash ^ cp) * FNV_PRIME;
			}
			w->w[to].hash = hash;
			w->w[to].end = w->w[i + n - 1].end;
			w->w[to].letters = (uint8_t)(n < 255 ? n : 255);
		}
		i += n >= 3 ? n : 1;
		to++;
	}
	w->n = to;
}
