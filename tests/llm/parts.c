/*
 * This file knows how to test the pure parts of the model client: addresses,
 * text hygiene, event streams, waiting, breaker, keys, network addresses.
 */
#include "config.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/text.h"
#include "model/conf.h"
#include "model/llm_parts.h"
#include "port/json.h"
#include "tests/tap.h"

/* ---- addresses ---- */

static void
is_url(const char *base, const char *query, const char *want)
{
	struct buf b;
	char why[160] = "";
	enum err e;

	buf_init(&b, 4096);
	e = llm_url(text_of(base), text_of(query), &b, why, sizeof(why));
	if (want == NULL)
		ok(e == ERR_INVALID && why[0] != '\0', "refused: %s (%s)", base,
		    why);
	else
		is_str(buf_as_str(&b), want, "%s", base);
	buf_release(&b);
}

static void
test_url(void)
{
	static const char *const bad[] = { "", " ", "localhost:11434",
		"ftp://h/v1", "file:///etc/hostname", "http://", "http:///v1",
		"http://u:p@h/v1", "http://u@h/v1", "http://h:0/", "http://h:x/",
		"http://h:65536/", "http://h/v1#x", "http://h/\nX: y",
		"http://h/v 1", "http://h/\\..\\x", "http://[::1/v1", "gopher://h",
		"dict://h:11211/", "http://h\xc3\xa4/v1", "http://:80/", NULL };

	is_url("http://h:1", NULL, "http://h:1/chat/completions");
	is_url("http://h:1/", NULL, "http://h:1/chat/completions");
	is_url("https://h/v1", NULL, "https://h/v1/chat/completions");
	is_url("HTTPS://H/v1/", NULL, "https://H/v1/chat/completions");
	is_url("http://h/openai/v1", NULL,
	    "http://h/openai/v1/chat/completions");
	is_url("http://h/api/v1//", NULL, "http://h/api/v1/chat/completions");
	is_url("http://h/v1/v1", NULL, "http://h/v1/chat/completions");
	is_url("http://h/v1/chat/completions", NULL,
	    "http://h/v1/chat/completions");
	is_url("http://[::1]:8080/v1", NULL,
	    "http://[::1]:8080/v1/chat/completions");
	is_url("https://h/openai/deployments/D", "api-version=1",
	    "https://h/openai/deployments/D/chat/completions?api-version=1");
	is_url("https://h/v1?a=b", "c=d",
	    "https://h/v1/chat/completions?a=b&c=d");
	is_url("https://h?a=b", NULL, "https://h/chat/completions?a=b");
	is_url("  https://h/v1  ", NULL, "https://h/v1/chat/completions");
	for (size_t i = 0; bad[i] != NULL; i++)
		is_url(bad[i], NULL, NULL);
}

/* What the resolver makes of a text is what counts (threat 57). */
static void
test_addresses(void)
{
	static const struct {
		const char *address;
		bool open, inside; /* allowed: to anyone, on a private network */
	} rows[] = {
		{ "8.8.8.8", true, true },
		{ "127.0.0.1", false, true },
		{ "127.255.255.254", false, true },
		{ "10.0.0.1", false, true },
		{ "172.16.0.1", false, true },
		{ "172.31.255.255", false, true },
		{ "172.32.0.1", true, true },
		{ "192.168.1.1", false, true },
		{ "192.169.1.1", true, true },
		{ "100.64.0.1", false, true },
		{ "100.128.0.1", true, true },
		{ "169.254.169.254", false, false },
		{ "169.254.0.1", false, false },
		{ "100.100.100.200", false, false },
		{ "0.0.0.0", false, false },
		{ "0.1.2.3", false, false },
		{ "224.0.0.1", false, false },
		{ "240.0.0.1", false, false },
		{ "255.255.255.255", false, false },
		{ "198.18.0.1", false, true },
		{ "2001:4860:4860::8888", true, true },
		{ "::1", false, true },
		{ "::", false, false },
		{ "fe80::1", false, false },
		{ "febf::1", false, false },
		{ "fc00::1", false, true },
		{ "fd12:3456::1", false, true },
		{ "fd00:ec2::254", false, false },
		{ "ff02::1", false, false },
		{ "::ffff:127.0.0.1", false, true },
		{ "::ffff:169.254.169.254", false, false },
		{ "::ffff:8.8.8.8", true, true },
		{ "::127.0.0.1", false, true },
		{ "64:ff9b::7f00:1", false, true },
		{ "64:ff9b::a9fe:a9fe", false, false },
		{ "2002:7f00:1::", false, true },
		{ "2002:a9fe:a9fe::1", false, false },
		{ "fec0::1", false, true },
	};
	struct sockaddr_storage sa;
	struct sockaddr un = { .sa_family = AF_UNIX };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sockaddr *p = (const struct sockaddr *)&sa;

		ok(http_address_parse(rows[i].address, &sa) &&
		        http_address_allowed(p, false) == rows[i].open &&
		        http_address_allowed(p, true) == rows[i].inside,
		    "%s", rows[i].address);
	}
	ok(!http_address_allowed(&un, true), "no other family");
	ok(!http_address_parse("127.1", &sa), "no address in short");
}

/* What nobody has configured: an address that is dead costs no more. */
static void
test_defaults(void)
{
	struct llm_endpoint ep;

	llm_endpoint_defaults(&ep);
	ok(ep.connect_ms > 0 && ep.connect_ms <= 5000,
	    "five seconds to connect: %d ms", (int)ep.connect_ms);
	ok(!ep.private_network && ep.key.p == NULL && ep.proxy.p == NULL,
	    "neither private addresses nor key nor proxy unless said");
}

/* ---- bytes to text ---- */

static uint64_t
pick(struct rng *r, uint64_t n)
{
	return rng_next_below(r, n);
}

/* Whatever bytes stand in a string, JSON comes out and its text is clean. */
static void
test_repair(void)
{
	struct rng r;
	size_t bad = 0;

	rng_seed(&r, 7);
	for (int round = 0; round < 3000; round++) {
		char in[200] = "{\"a\":\"";
		size_t n = 6;
		size_t len = pick(&r, 40);
		struct pool *pool = pool_open(65536);
		struct js *root = NULL;
		struct buf out;
		unsigned flags = 0;
		bool whole;

		while (len-- > 0) {
			static const char *const pieces[] = { "\\ud83d",
				"\\ude00", "\\u0000", "\\n", "\\\\", "\\\"",
				"\xed\xa0\x80", "\xc0\xaf", "\xf5\x80", "\xe2",
				"\x82", "\xff", "\n", "\t", "\x1b", "x",
				"\xf0\x9f\x98\x80", "\\uD83D\\uDE00", "\\u202e" };
			const char *p = pieces[pick(&r, 19)];
			size_t k = strlen(p);

			memcpy(in + n, p, k);
			n += k;
			if (pick(&r, 20) == 0)
				in[n++] = '\0';
			if (n > 170)
				break;
		}
		memcpy(in + n, "\"}", 2);
		n += 2;
		buf_init(&out, 4096);
		whole = llm_repair((struct str){ in, n }, &out, &flags);
		if (!whole || js_parse(buf_as_str(&out), 4096, &root, NULL) !=
		        ERR_OK) {
			bad++;
			diag("round %d: [%.*s]", round, (int)out.n, out.p);
		} else {
			struct str s = js_str(js_get(root, "a"));
			struct text t = text_clean(pool, s);

			if (!text_is_clean((struct str){ t.p, t.n }))
				bad++;
			js_close(root);
		}
		buf_release(&out);
		pool_close(pool);
	}
	is_int(bad, 0, "3000 dirty strings are JSON and clean text afterwards");
}

static void
test_visible(void)
{
	struct pool *pool = pool_open(1024 * 1024);
	struct llm_visible v;
	struct buf b;

	llm_visible(pool, STR("```markdown\n# A\n```"), true, &v);
	is_str(v.text, "# A", "an outer fence goes");
	llm_visible(pool, STR("````md\n```c\nx\n```\n````"), true, &v);
	is_str(v.text, "```c\nx\n```", "a longer outer fence goes");
	llm_visible(pool, STR("```markdown\n# A\n"), true, &v);
	is_str(v.text, "```markdown\n# A", "a fence that does not close stays");
	llm_visible(pool, STR("```markdown"), true, &v);
	is_str(v.text, "```markdown", "a fence alone stays");
	llm_visible(pool, STR(""), true, &v);
	is_str(v.text, "", "nothing");
	llm_visible(pool, STR("<think>"), true, &v);
	ok(v.open && v.text.n == 0, "thinking without an end shows nothing");
	llm_visible(pool, STR("</think>\nHi"), true, &v);
	is_str(v.text, "Hi", "an end alone");
	llm_visible(pool, STR("a </think> b"), true, &v);
	is_str(v.text, "a </think> b", "an end within a line stays");
	buf_init(&b, 400000);
	for (int i = 0; i < 100000; i++)
		buf_c(&b, '`');
	llm_visible(pool, buf_as_str(&b), true, &v);
	ok(v.text.n > 0, "a long fence");
	/* Each tag is looked for once: else this would take minutes. */
	buf_clear(&b);
	for (int i = 0; i < 25000; i++)
		buf_z(&b, "<think>");
	for (int i = 0; i < 25000; i++)
		buf_z(&b, "</think>");
	buf_z(&b, "Hi");
	llm_visible(pool, buf_as_str(&b), true, &v);
	is_str(v.text, "Hi", "25 000 blocks in one another");
	/* And taken up once: else this pool would not hold them. */
	buf_clear(&b);
	for (int i = 0; i < 10000; i++)
		buf_z(&b, "<think>a</think>");
	buf_z(&b, "Hi");
	llm_visible(pool, buf_as_str(&b), true, &v);
	is_str(v.text, "Hi", "10 000 blocks in a row");
	ok(v.thought.n == 29998, "with what was thought in each");
	buf_release(&b);
	pool_close(pool);
}

static void
test_repeats(void)
{
	struct buf b;

	buf_init(&b, 100000);
	for (int i = 0; i < 49; i++)
		buf_z(&b, "the same line\n");
	ok(!llm_repeats(buf_as_str(&b)), "49 equal lines of 14 bytes: not yet");
	buf_z(&b, "the same line\n");
	ok(llm_repeats(buf_as_str(&b)), "50 are too many");
	buf_clear(&b);
	for (int i = 0; i < 49; i++)
		buf_z(&b, "\n");
	buf_z(&b, "x");
	ok(!llm_repeats(buf_as_str(&b)), "blank lines are no loop");
	buf_clear(&b);
	for (int i = 0; i < 400; i++)
		buf_printf(&b, "%d ", i * i);
	ok(!llm_repeats(buf_as_str(&b)), "squares are no loop");
	buf_clear(&b);
	for (int i = 0; i < 200; i++)
		buf_z(&b, "\xe5\x93\x88\xe5\x93\x88\xe5\x93\x88\xe5\x93\x88");
	ok(llm_repeats(buf_as_str(&b)), "endless laughter is");
	/* Two phrases and three, as a coin falls. */
	for (uint64_t n = 2; n <= 3; n++) {
		static const char *const phrases[] = {
			"I am sorry for the confusion. ",
			"Let me try once more to explain it. ",
			"You are right, and I was wrong! " };
		struct rng r;

		rng_seed(&r, n);
		buf_clear(&b);
		while (b.n < 3000)
			buf_z(&b, phrases[rng_next_below(&r, n)]);
		ok(llm_repeats(buf_as_str(&b)),
		    "%d phrases in any order are a loop", (int)n);
	}
	buf_clear(&b);
	for (int i = 0; i < 60; i++)
		buf_printf(&b, "| %d | %d | %d | 0 | 0 |\n", i, i * i % 97,
		    i * 7919 % 1009);
	buf_z(&b, "| 0 | 0 | 0 | 0 | 0 |\n");
	while (b.n < 2100)
		buf_printf(&b, "| %d | %d | 0 | 0 | 0 |\n", (int)b.n,
		    (int)(b.n * 31 % 77));
	ok(!llm_repeats(buf_as_str(&b)), "a table with many zeros is no loop");
	buf_release(&b);
}

/* What providers really say, with names of accounts in it. */
static void
test_mask(void)
{
	static const struct {
		const char *said, *shown;
	} cases[] = {
		{ "Incorrect API key provided: sk-proj-Ab3d. See the page.",
		    "Incorrect API key provided: sk-***. See the page." },
		{ "Rate limit reached for gpt-4o-mini-2024-07-18 in "
		  "organization org-4711 on tokens per min",
		    "Rate limit reached for gpt-4o-mini-2024-07-18 in "
		    "organization org-*** on tokens per min" },
		{ "acct_815 has no money", "acct_*** has no money" },
		{ "ask admin.42@example.edu for more",
		    "ask ***@example.edu for more" },
		{ "tenant 0f8fad5b-d9cb-469f-a165-70867728950e is closed",
		    "tenant *** is closed" },
		{ "account 123456789012 may not", "account *** may not" },
		{ "token=abcd1234efgh5678", "token=***" },
		{ "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.x",
		    "***.***.x" },
		{ "boom sk-secret-1234567890abcdef", "boom sk-***" },
		{ "model claude-3-5-sonnet-20241022 and "
		  "Meta-Llama-3.1-8B-Instruct-Q4_K_M are not loaded",
		    "model claude-3-5-sonnet-20241022 and "
		    "Meta-Llama-3.1-8B-Instruct-Q4_K_M are not loaded" },
		{ "user-agent, key-value and org-wide stay; so does 429",
		    "user-agent, key-value and org-wide stay; so does 429" },
		{ "中文 org-12x3", "中文 org-***" },
		{ "", "" },
	};
	struct pool *pool = pool_open(65536);

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is_str(llm_mask(pool, str_of(cases[i].said)), cases[i].shown,
		    "masked: %s", cases[i].said);
	pool_close(pool);
}

static void
test_hide(void)
{
	struct pool *pool = pool_open(65536);
	unsigned flags = 0;

	is_str(llm_hide(pool, STR("a secret-key b secret-keysecret-key"),
	        STR("secret-key"), &flags),
	    "a *** b ******", "every occurrence");
	is_int(flags, LLM_FLAG_SECRET, "is told");
	flags = 0;
	is_str(llm_hide(pool, STR("nothing"), STR("secret-key"), &flags),
	    "nothing", "none");
	is_int(flags, 0, "is not");
	pool_close(pool);
}

/* ---- event streams ---- */

struct events {
	struct buf all;
};

static bool
note(void *arg, struct str event, struct str data)
{
	struct events *e = arg;

	buf_printf(&e->all, "<%.*s|%.*s>", (int)event.n, event.p, (int)data.n,
	    data.p == NULL ? "" : data.p);
	return true;
}

static void
split_at(const char *stream, size_t first, size_t second, struct buf *out)
{
	struct events e;
	struct llm_sse s;
	struct str all = str_of(stream);
	size_t cuts[4] = { 0, first, second, all.n };

	buf_init(&e.all, 65536);
	llm_sse_init(&s, 65536);
	for (int i = 0; i < 3; i++) {
		struct str part = { stream + cuts[i], cuts[i + 1] - cuts[i] };

		if (llm_sse_feed(&s, part, note, &e) != ERR_OK)
			abort();
	}
	if (llm_sse_end(&s, note, &e) != ERR_OK)
		abort();
	buf_clear(out);
	buf_str(out, buf_as_str(&e.all));
	llm_sse_release(&s);
	buf_release(&e.all);
}

static void
test_sse(void)
{
	static const struct {
		const char *stream, *events;
	} rows[] = {
		{ "data: a\n\ndata: b\n\n", "<|a><|b>" },
		{ "data:a\r\rdata:b\r\r", "<|a><|b>" },
		{ "data: a\r\n\r\ndata: b\r\n\r\n", "<|a><|b>" },
		{ "data: a\r\ndata: b\n\r: x\r\n\n", "<|a\nb>" },
		{ "\xef\xbb\xbf" "data: a\n\n", "<|a>" },
		{ ": c\n\nevent: e\ndata: a\n\n", "<e|a>" },
		{ "event: e\n\ndata\n\n", "<e|><|>" },
		{ "data:  a\n\nid: 1\nretry: 2\nfoo: 3\n\n", "<| a>" },
		{ "data: \xe2\x80\xa8\xf0\x9f\x98\x80\n\n",
		    "<|\xe2\x80\xa8\xf0\x9f\x98\x80>" },
		{ "data: a", "<|a>" },
		{ "data: a\n", "<|a>" },
		{ "\n\n\n\r\r\n", "" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = strlen(rows[i].stream);
		size_t bad = 0;
		struct buf got;

		buf_init(&got, 65536);
		for (size_t a = 0; a <= n; a++) {
			for (size_t b = a; b <= n; b++) {
				split_at(rows[i].stream, a, b, &got);
				if (!str_is(buf_as_str(&got), rows[i].events))
					bad++;
			}
		}
		is_int(bad, 0, "row %zu at every two splits", i + 1);
		if (bad > 0)
			diag("  [%.*s]", (int)got.n, got.p);
		buf_release(&got);
	}
}

static void
test_sse_limit(void)
{
	struct llm_sse s;
	struct events e;
	char line[3000];

	memset(line, 'x', sizeof(line));
	buf_init(&e.all, 65536);
	llm_sse_init(&s, 2000);
	is_int(llm_sse_feed(&s, (struct str){ line, sizeof(line) }, note, &e),
	    ERR_TOOBIG, "a line over the limit");
	llm_sse_release(&s);
	buf_release(&e.all);
}

/* ---- waiting ---- */

static int64_t
after(const char *ms, const char *header, const char *date)
{
	struct http_result h = { .status = 429 };

	(void)snprintf(h.retry_after_ms, sizeof(h.retry_after_ms), "%s", ms);
	(void)snprintf(h.retry_after, sizeof(h.retry_after), "%s", header);
	(void)snprintf(h.date, sizeof(h.date), "%s", date);
	return llm_retry_after(&h, 784111776); /* 06 Nov 1994 08:49:36 */
}

static void
test_retry_after(void)
{
	is_int(after("", "", ""), -1, "nothing said");
	is_int(after("", "2", ""), 2000, "seconds");
	is_int(after("", "1.5", ""), 1500, "with a fraction");
	is_int(after("", "0", ""), 0, "at once");
	is_int(after("700", "9", ""), 700, "milliseconds come first");
	is_int(after("x", "9", ""), 9000, "unless they are none");
	is_int(after("", "-3", ""), -1, "nothing negative");
	is_int(after("", "soon", ""), -1, "no words");
	is_int(after("", "1e400", ""), -1, "nothing infinite");
	is_int(after("", "1e15", ""), 1000000000000, "capped");
	is_int(after("", "Sun, 06 Nov 1994 08:49:37 GMT", ""), 1000,
	    "a date by our clock");
	is_int(after("", "Sun, 06 Nov 1994 08:49:37 GMT",
	           "Sun, 06 Nov 1994 08:49:07 GMT"),
	    30000, "a date by the server's own clock");
	is_int(after("", "Sun, 06 Nov 1994 08:00:00 GMT", ""), 0, "long past");
	is_int(after("", "Tue, 29 Feb 2000 00:00:00 GMT",
	           "Mon, 28 Feb 2000 23:59:59 GMT"),
	    1000, "a leap day");
	is_int(after("", "Sun, 99 Xxx 1994 08:00:00 GMT", ""), -1, "no date");
}

static void
test_backoff(void)
{
	struct llm_timing t;

	llm_timing_defaults(&t);
	is_int(llm_backoff(&t, 0, 0), 500, "first");
	is_int(llm_backoff(&t, 1, 0), 1000, "second");
	is_int(llm_backoff(&t, 4, 0), 8000, "fifth");
	is_int(llm_backoff(&t, 60, 0), 8000, "capped");
	is_int(llm_backoff(&t, 0, 0.9999999), 375, "a quarter less at most");
}

static void
test_breaker(void)
{
	struct llm_timing t;
	struct llm_breaker b = { .state = BREAKER_CLOSED };
	int64_t now = 1000000;

	llm_timing_defaults(&t);
	for (int i = 0; i < 4; i++)
		ok(!llm_breaker_bad(&b, &t, now, false), "failure %d", i + 1);
	ok(llm_breaker_bad(&b, &t, now, false), "the fifth opens it");
	ok(!llm_breaker_start(&b, now + 29999), "shut for 30 s");
	ok(llm_breaker_start(&b, now + 30000), "then one probe");
	ok(!llm_breaker_start(&b, now + 30000), "and one alone");
	for (int64_t pause = 60000; pause <= 600000; pause *= 2) {
		now += 1000000;
		(void)llm_breaker_start(&b, now);
		ok(llm_breaker_bad(&b, &t, now, false), "the probe fails");
		is_int(b.until - now, pause < 300000 ? pause : 300000,
		    "the pause doubles to 5 min");
	}
	(void)llm_breaker_start(&b, now + 300000);
	llm_breaker_good(&b);
	ok(llm_breaker_start(&b, now), "a good one closes it");
	for (int i = 0; i < 20; i++)
		(void)llm_breaker_bad(&b, &t, now + i * 10000, false);
	is_int(b.state, BREAKER_CLOSED,
	    "failures that are far apart leave it closed");
	llm_breaker_good(&b);
	ok(llm_breaker_bad(&b, &t, now, true), "a refused key opens at once");
	is_int(b.until - now, 300000, "for long");
	(void)llm_breaker_start(&b, now + 300000);
	llm_breaker_undecided(&b, now + 300001);
	ok(llm_breaker_start(&b, now + 300001),
	    "a probe that told nothing makes room for another");
	llm_breaker_doubt(&b, now);
	is_int(b.until - now, 300000,
	    "a probe with what failed before makes no longer pause");
	ok(!llm_breaker_start(&b, now + 1), "it is left alone");
	llm_breaker_trust(&b, now + 1);
	ok(llm_breaker_start(&b, now + 1), "but for what has not failed");
	ok(llm_breaker_bad(&b, &t, now + 1, false), "which fails as well:");
	llm_breaker_trust(&b, now + 2);
	ok(!llm_breaker_start(&b, now + 2), "it is the server");
}

static void
test_bucket(void)
{
	struct llm_bucket b = { 0 };
	int64_t wait;

	is_int(llm_bucket_take(&b, 0, 5), 0, "no limit");
	for (int i = 0; i < 2; i++)
		is_int(llm_bucket_take(&b, 120, 1000), 0, "two at once");
	wait = llm_bucket_take(&b, 120, 1000);
	is_int(wait, 500, "the third waits half a second");
	is_int(llm_bucket_take(&b, 120, 1000 + wait), 0, "and goes then");
	is_int(llm_bucket_take(&b, 120, 9000000), 0, "a long pause");
	is_int(llm_bucket_take(&b, 120, 9000000), 0, "fills it");
	ok(llm_bucket_take(&b, 120, 9000000) > 0, "but no more than that");
}

/* ---- keys ---- */

static void
key_case(const char *bytes, size_t n, mode_t mode, const char *want,
    const char *about)
{
	char path[] = "/tmp/pa-key-XXXXXX";
	int fd = mkstemp(path);
	struct pool *pool = pool_open(65536);
	struct str key = { NULL, 0 };
	char why[300] = "";
	enum err e;

	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n || fchmod(fd, mode) != 0)
		abort();
	(void)close(fd);
	e = llm_key_load(pool, path, &key, why, sizeof(why));
	if (want == NULL)
		ok(e == ERR_CONFIG && why[0] != '\0' && key.p == NULL,
		    "refused: %s (%s)", about, why);
	else
		is_str(key, want, "%s", about);
	(void)unlink(path);
	pool_close(pool);
}

static void
test_keys(void)
{
	char big[5000];
	struct pool *pool = pool_open(65536);
	struct str key;
	char why[300];

	memset(big, 'k', sizeof(big));
	key_case("abcdefgh", 8, 0600, "abcdefgh", "a key");
	key_case("abcdefgh\n", 9, 0400, "abcdefgh", "one line end");
	key_case("abcdefgh\r\n", 10, 0600, "abcdefgh", "of two bytes");
	key_case("abcdefgh\n\n", 10, 0600, NULL, "two line ends");
	key_case("abc\ndef\n", 8, 0600, NULL, "two lines");
	key_case("abc\rdef", 7, 0600, NULL, "a CR inside");
	key_case("abc def", 7, 0600, NULL, "a blank");
	key_case("abc\0def", 7, 0600, NULL, "a NUL");
	key_case("abc\x7f", 4, 0600, NULL, "a DEL");
	key_case("\xef\xbb\xbf" "abc", 6, 0600, NULL, "a byte order mark");
	key_case("", 0, 0600, NULL, "empty");
	key_case("\n", 1, 0600, NULL, "a line end alone");
	key_case(big, sizeof(big), 0600, NULL, "too long");
	key_case("abcdefgh", 8, 0644, NULL, "others can read it");
	key_case("abcdefgh", 8, 0640, NULL, "the group can read it");
	key_case("abcdefgh", 8, 0602, NULL, "others can write it");
	is_int(llm_key_load(pool, "/nowhere/at/all", &key, why, sizeof(why)),
	    ERR_CONFIG, "missing");
	is_int(llm_key_load(pool, "/tmp", &key, why, sizeof(why)), ERR_CONFIG,
	    "a folder");
	is_int(llm_key_load(pool, "/dev/zero", &key, why, sizeof(why)),
	    ERR_CONFIG, "a device");
	pool_close(pool);
}

/* ---- money, identity ---- */

static void
test_cost(void)
{
	struct conf_parameter p[] = { { TEXT("max_tokens"), TEXT("1000") } };
	struct llm_message m[] = { { LLM_ROLE_USER, TEXT("0123456789") } };
	struct llm_question q = { .model = TEXT("m"), .parameters = p,
		.parameters_n = 1, .messages = m, .messages_n = 1 };
	struct llm_answer a = { .tokens_in = 10, .tokens_out = 20,
		.charged = 2 };
	struct llm_endpoint ep;
	struct buf x, y;

	llm_endpoint_defaults(&ep);
	ep.price_call = 0.25;
	is_real(llm_cost_max(&ep, &q), 0.25, 0, "unknown price: the maximum");
	is_real(llm_cost(&ep, &a), 0.5, 0, "for each call charged");
	ep.price_in = 1;
	ep.price_out = 2;
	is_real(llm_cost_max(&ep, &q), (18 * 1 + 4000 * 2) / 1e6, 1e-12,
	    "a byte a token, four times the limit");
	is_real(llm_cost(&ep, &a), (10 + 40) / 1e6, 1e-12, "what was told");
	buf_init(&x, 4096);
	buf_init(&y, 4096);
	llm_describe(&q, &x);
	llm_describe(&q, &y);
	ok(str_eq(buf_as_str(&x), buf_as_str(&y)), "described alike each time");
	m[0].text = TEXT("012345678");
	buf_clear(&y);
	llm_describe(&q, &y);
	ok(!str_eq(buf_as_str(&x), buf_as_str(&y)), "another question differs");
	buf_release(&x);
	buf_release(&y);
}

/* Each outcome has a name of its own. */
static void
test_names(void)
{
	for (int i = 0; i < LLM__MAX; i++)
		ok(llm_class_name((enum llm_class)i) != NULL, "class %d", i);
	for (int i = 0; i < LLM_WHY__MAX; i++)
		ok(llm_why_name((enum llm_why)i) != NULL, "why %d", i);
	for (int i = 0; i < LLM_HEALTH__MAX; i++)
		ok(llm_health_name((enum llm_health)i) != NULL, "health %d", i);
	for (int i = 0; i < HTTP__MAX; i++)
		ok(http_end_name((enum http_end)i) != NULL, "end %d", i);
}

int
main(void)
{
	test_url();
	test_addresses();
	test_defaults();
	test_repair();
	test_visible();
	test_repeats();
	test_mask();
	test_hide();
	test_sse();
	test_sse_limit();
	test_retry_after();
	test_backoff();
	test_breaker();
	test_bucket();
	test_keys();
	test_cost();
	test_names();
	return done_testing();
}
