/* This file knows how to make text for people from what a model server sent. */
#include "config.h"

#include "model/llm_parts.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

#define REPLACEMENT "\xef\xbf\xbd"
#define TAG_BYTES ((size_t)200) /* of a tag with attributes */

/* ---- repairing JSON ---- */

struct repair {
	struct str in;
	size_t i;
	struct buf *out;
	unsigned *flags;
};

static void repair_string(struct repair *r);
static void repair_escape(struct repair *r);
static bool is_plain(char c);
static void replace(struct repair *r);
static bool hex4(struct str s, size_t i, unsigned *out);

bool
llm_repair(struct str in, struct buf *out, unsigned *flags)
{
	struct repair r = { in, 0, out, flags };
	size_t depth = 0;

	if (in.n >= 3 && memcmp(in.p, "\xef\xbb\xbf", 3) == 0)
		r.i = 3;
	while (r.i < in.n) {
		size_t from = r.i;

		for (; r.i < in.n && in.p[r.i] != '"'; r.i++) {
			char c = in.p[r.i];

			if (c == '{' || c == '[')
				depth++;
			else if ((c == '}' || c == ']') && depth > 0)
				depth--;
		}
		buf_add(out, in.p + from, r.i - from);
		if (r.i < in.n)
			repair_string(&r);
		if (r.i > in.n)
			return false;
	}
	return depth == 0;
}

/* From the opening quote past the closing one; r->i > n: there was none. */
static void
repair_string(struct repair *r)
{
	struct str in = r->in;

	buf_c(r->out, '"');
	r->i++;
	while (r->i < in.n) {
		unsigned char c = (unsigned char)in.p[r->i];
		size_t from = r->i;

		if (c == '"') {
			buf_c(r->out, '"');
			r->i++;
			return;
		}
		if (c == '\\') {
			repair_escape(r);
		} else if (c < 0x20) {
			r->i++;
			if (c == '\n')
				buf_z(r->out, "\\n");
			else if (c == '\t')
				buf_z(r->out, "\\t");
			else if (c == '\r')
				buf_z(r->out, "\\r");
			else
				replace(r);
		} else if (c < 0x80) {
			while (r->i < in.n && is_plain(in.p[r->i]))
				r->i++;
			buf_add(r->out, in.p + from, r->i - from);
		} else if (text_next(in, &r->i) == 0xfffd &&
			   (r->i - from != 3 ||
			       memcmp(in.p + from, REPLACEMENT, 3) != 0)) {
			replace(r);
		} else {
			buf_add(r->out, in.p + from, r->i - from);
		}
	}
	r->i = in.n + 1;
}

/* Inside a string nothing has to be done about c. */
static bool
is_plain(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x20 && u < 0x80 && u != '"' && u != '\\';
}

static void
repair_escape(struct repair *r)
{
	struct str in = r->in;
	size_t i = r->i;
	unsigned unit, low;

	if (i + 1 >= in.n) { /* a backslash as the last byte */
		r->i = in.n + 1;
		return;
	}
	if (in.p[i + 1] != 'u' || !hex4(in, i + 2, &unit)) {
		buf_add(r->out, in.p + i, 2);
		r->i += 2;
		return;
	}
	r->i += 6;
	if (unit == 0 || (unit >= 0xdc00 && unit <= 0xdfff)) {
		replace(r);
	} else if (unit < 0xd800 || unit > 0xdbff) {
		buf_add(r->out, in.p + i, 6);
	} else if (i + 7 < in.n && in.p[i + 6] == '\\' && in.p[i + 7] == 'u' &&
		   hex4(in, i + 8, &low) && low >= 0xdc00 && low <= 0xdfff) {
		buf_add(r->out, in.p + i, 12);
		r->i += 6;
	} else {
		replace(r);
	}
}

static void
replace(struct repair *r)
{
	buf_z(r->out, REPLACEMENT);
	*r->flags |= LLM_FLAG_REPAIRED;
}

static bool
hex4(struct str s, size_t i, unsigned *out)
{
	unsigned v = 0;

	if (i + 4 > s.n)
		return false;
	for (size_t k = i; k < i + 4; k++) {
		int digit = str_hex(s.p[k]);

		if (digit < 0)
			return false;
		v = v << 4 | (unsigned)digit;
	}
	*out = v;
	return true;
}

/* ---- thinking, fences, blanks ---- */

struct tag {
	const char *open, *close;
};

/* How models mark thinking that was meant to be taken off before us. */
static const struct tag tags[] = {
	{ "<think>", "</think>" },
	{ "<thinking>", "</thinking>" },
	{ "<thought>", "</thought>" },
	{ "<thoughts>", "</thoughts>" },
	{ "<reasoning>", "</reasoning>" },
	{ "<mm:think>", "</mm:think>" },
	{ "<seed:think>", "</seed:think>" },
	{ "[THINK]", "[/THINK]" },
	{ "\xe2\x97\x81think\xe2\x96\xb7", "\xe2\x97\x81/think\xe2\x96\xb7" },
	{ "<|START_THINKING|>", "<|END_THINKING|>" },
	{ "<|begin_of_thought|>", "<|end_of_thought|>" },
	{ "<|channel>thought", "<channel|>" },
};

/* Marks of a template's end that some servers let through. */
static const char *const ends[] = { "<|im_end|>", "<|eot_id|>",
	"<|end_of_text|>", "<|endoftext|>", "<|return|>", "<|end|>",
	"<end_of_turn>",
	"<\xef\xbd\x9c"
	"end\xe2\x96\x81of\xe2\x96\x81"
	"sentence\xef\xbd\x9c>",
	"<|END_RESPONSE|>", "</s>" };

static const char *const starts[] = { "<|START_RESPONSE|>",
	"<|begin_of_solution|>" };

static struct str trim_lines(struct str s);
static bool cut_tag(struct str *s, struct str *thought, bool *open);
static size_t open_tag(struct str s, const char *open);
static bool find_close(
    struct str s, size_t from, const struct tag *tag, size_t *at);
static bool cut_close(struct str *s);
static bool cut_headless(struct str *s, struct str *thought);
static bool cut_harmony(struct str *s, struct str *thought, bool *open);
static void cut_marks(struct str *s);
static bool cut_fence(struct str *s);
static size_t fence_run(struct str line);
static bool has_hidden(struct str s);
static bool find(struct str s, size_t from, const char *z, size_t *at);
static bool starts_folded(struct str s, const char *z);
static void add_thought(struct pool *pool, struct text *all, struct str t);

void
llm_visible(
    struct pool *pool, struct str raw, bool think, struct llm_visible *out)
{
	struct text clean = text_clean(pool, raw);
	struct str s = trim_lines((struct str){ clean.p, clean.n });
	struct str thought = { NULL, 0 };

	memset(out, 0, sizeof(*out));
	if (has_hidden(raw))
		out->flags |= LLM_FLAG_HIDDEN;
	while (think && !out->open &&
	       (cut_tag(&s, &thought, &out->open) ||
		   cut_harmony(&s, &thought, &out->open) ||
		   (out->thought.p == NULL && cut_headless(&s, &thought)))) {
		out->flags |= LLM_FLAG_THOUGHT;
		while (cut_close(&s))
			continue;
		add_thought(pool, &out->thought, thought);
		s = trim_lines(s);
	}
	if (out->open)
		s = STR("");
	cut_marks(&s);
	if (cut_fence(&s))
		out->flags |= LLM_FLAG_FENCE;
	s = trim_lines(s);
	out->text = pool_text(pool, (struct text){ s.p, s.n });
}

/* A block at the very beginning: <think>...</think>. */
static bool
cut_tag(struct str *s, struct str *thought, bool *open)
{
	struct str at = str_trim(*s);

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = open_tag(at, tags[i].open);
		size_t end;

		if (n == 0)
			continue;
		if (!find_close(at, n, &tags[i], &end)) {
			*open = true;
			*thought = (struct str){ at.p + n, at.n - n };
			return true;
		}
		*thought = (struct str){ at.p + n, end - n };
		end += strlen(tags[i].close);
		*s = (struct str){ at.p + end, at.n - end };
		return true;
	}
	return false;
}

/* Bytes of that tag, maybe with attributes, where s begins; 0: none. */
static size_t
open_tag(struct str s, const char *open)
{
	size_t n = strlen(open);
	const char *end;

	if (starts_folded(s, open))
		return n;
	if (open[0] != '<' || open[1] == '|' || s.n <= n || s.p[n - 1] != ' ' ||
	    strncasecmp(s.p, open, n - 1) != 0)
		return 0;
	end = memchr(s.p, '>', s.n < TAG_BYTES ? s.n : TAG_BYTES);
	return end == NULL ? 0 : (size_t)(end - s.p) + 1;
}

/* The mark that closes it; blocks within the block are passed over. */
static bool
find_close(struct str s, size_t from, const struct tag *tag, size_t *at)
{
	size_t depth = 1, first = s.n, close, open;

	if (!find(s, from, tag->open, &open))
		open = s.n;
	for (size_t i = from; find(s, i, tag->close, &close);
	     i = close + strlen(tag->close)) {
		for (; open < close; depth++) {
			i = open + strlen(tag->open);
			if (!find(s, i, tag->open, &open))
				open = s.n;
		}
		if (first == s.n)
			first = close;
		if (--depth == 0) {
			*at = close;
			return true;
		}
	}
	/* A tag that is only spoken of opens nothing. */
	*at = first;
	return first < s.n;
}

/* A closing mark too many, behind a block. */
static bool
cut_close(struct str *s)
{
	struct str at = str_trim(*s);

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		size_t n = strlen(tags[i].close);

		if (starts_folded(at, tags[i].close)) {
			*s = (struct str){ at.p + n, at.n - n };
			return true;
		}
	}
	return false;
}

/*
 * Templates that put <think> into the prompt make answers that begin inside
 * it.  A lone end mark counts only as a line's end outside code, so that an
 * answer which talks about the tag keeps its words.
 */
static bool
cut_headless(struct str *s, struct str *thought)
{
	static const char close[] = "</think>";
	size_t at, open;
	size_t ticks = 0;

	if (!find(*s, 0, close, &at))
		return false;
	if (find(*s, 0, "<think>", &open) && open < at)
		return false;
	for (size_t i = 0; i < at; i++) {
		if (s->p[i] == '`')
			ticks++;
	}
	if (ticks % 2 != 0)
		return false;
	*thought = (struct str){ s->p, at };
	at += sizeof(close) - 1;
	if (at < s->n && s->p[at] != '\n')
		return false;
	*s = (struct str){ s->p + at, s->n - at };
	return true;
}

/* <|channel|>analysis<|message|>...<|end|>...<|channel|>final<|message|>... */
static bool
cut_harmony(struct str *s, struct str *thought, bool *open)
{
	static const char final[] = "<|channel|>final";
	static const char message[] = "<|message|>";
	struct str at = str_trim(*s);
	size_t i, k;

	if (str_starts(at, "<|start|>assistant"))
		at = (struct str){ at.p + 18, at.n - 18 };
	if (!str_starts(at, "<|channel|>"))
		return false;
	if (!find(at, 0, final, &i) || !find(at, i, message, &k)) {
		*open = true;
		*thought = at;
		return true;
	}
	*thought = (struct str){ at.p, i };
	k += sizeof(message) - 1;
	*s = (struct str){ at.p + k, at.n - k };
	return true;
}

static void
cut_marks(struct str *s)
{
	bool again = true;

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		size_t n = strlen(starts[i]);

		if (str_starts(*s, starts[i]))
			*s = trim_lines((struct str){ s->p + n, s->n - n });
	}
	while (again) {
		again = false;
		*s = trim_lines(*s);
		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
			size_t n = strlen(ends[i]);

			if (s->n >= n &&
			    memcmp(s->p + s->n - n, ends[i], n) == 0) {
				s->n -= n;
				again = true;
			}
		}
	}
}

/*
 * The whole answer as one ```markdown block.  Fences inside are paired: one
 * with a word after it opens, a bare one closes; only when the outer one
 * closes on the very last line is it a wrapping.
 */
static bool
cut_fence(struct str *s)
{
	struct str rest = *s;
	struct str line = str_cut(&rest, '\n');
	struct str info;
	size_t outer = fence_run(line);
	const char *body;
	size_t depth = 1;

	if (outer == 0 || rest.p == NULL)
		return false;
	info = str_trim((struct str){ line.p + outer, line.n - outer });
	if (!(info.n == 8 && starts_folded(info, "markdown")) &&
	    !(info.n == 2 && starts_folded(info, "md")))
		return false;
	body = rest.p;
	while (rest.p != NULL) {
		size_t run;

		line = str_cut(&rest, '\n');
		run = fence_run(str_trim(line));
		if (run == 0)
			continue;
		if (str_trim(line).n > run)
			depth++;
		else if (--depth == 0)
			break;
	}
	if (depth != 0 || rest.p != NULL)
		return false;
	*s = (struct str){ body, (size_t)(line.p - body) };
	return true;
}

/* Backticks at the line's start when there are three or more. */
static size_t
fence_run(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '`')
		n++;
	return n >= 3 ? n : 0;
}

/* Without blank lines in front and white space behind. */
static struct str
trim_lines(struct str s)
{
	size_t i = 0;

	while (i < s.n && strchr(" \t\n", s.p[i]) != NULL) {
		if (s.p[i++] == '\n') {
			s = (struct str){ s.p + i, s.n - i };
			i = 0;
		}
	}
	while (s.n > 0 && strchr(" \t\n", s.p[s.n - 1]) != NULL)
		s.n--;
	return s;
}

/* Characters that can carry a mark nobody sees. */
static bool
has_hidden(struct str s)
{
	for (size_t i = 0; i < s.n;) {
		uint32_t u;

		if ((unsigned char)s.p[i] < 0x80) {
			i++;
			continue;
		}
		u = text_next(s, &i);
		if ((u >= 0x202a && u <= 0x202e) ||
		    (u >= 0x2066 && u <= 0x2069) || u == 0x200b ||
		    u == 0x2060 || u == 0xfeff ||
		    (u >= 0xe0000 && u <= 0xe007f))
			return true;
	}
	return false;
}

static bool
find(struct str s, size_t from, const char *z, size_t *at)
{
	const char *p =
	    from > s.n ? NULL : memmem(s.p + from, s.n - from, z, strlen(z));

	if (p == NULL)
		return false;
	*at = (size_t)(p - s.p);
	return true;
}

static bool
starts_folded(struct str s, const char *z)
{
	for (size_t i = 0; z[i] != '\0'; i++) {
		char c = i < s.n ? s.p[i] : '\0';

		if (c >= 'A' && c <= 'Z' && z[i] >= 'a')
			c = (char)(c - 'A' + 'a');
		if (c != z[i])
			return false;
	}
	return true;
}

static void
add_thought(struct pool *pool, struct text *all, struct str t)
{
	struct str joined;

	t = str_trim(t);
	if (all->p == NULL)
		joined = pool_str(pool, t);
	else
		joined = pool_printf(
		    pool, "%.*s\n\n%.*s", (int)all->n, all->p, (int)t.n, t.p);
	*all = (struct text){ joined.p, joined.n };
}

/* ---- keys ---- */

struct str
llm_hide(struct pool *pool, struct str s, struct str key, unsigned *flags)
{
	size_t n = 0;
	size_t from = 0;
	const char *p;
	char *out;

	if (s.p == NULL || key.p == NULL || key.n < 6 ||
	    memmem(s.p, s.n, key.p, key.n) == NULL)
		return s;
	*flags |= LLM_FLAG_SECRET;
	/* "***" is shorter than any key that is hidden. */
	out = pool_alloc(pool, s.n + 1);
	if (out == NULL)
		return STR("");
	while ((p = memmem(s.p + from, s.n - from, key.p, key.n)) != NULL) {
		size_t plain = (size_t)(p - s.p) - from;

		memcpy(out + n, s.p + from, plain);
		memcpy(out + n + plain, "***", 3);
		n += plain + 3;
		from += plain + key.n;
	}
	memcpy(out + n, s.p + from, s.n - from);
	return (struct str){ out, n + s.n - from };
}
