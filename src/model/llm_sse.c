/* This file knows how to find the events in a stream of server-sent bytes. */
#include "config.h"

#include "model/llm_parts.h"

#include <string.h>

static enum err line_ended(
    struct llm_sse *s, llm_sse_event *event, void *arg, bool *go_on);
static void add_field(struct llm_sse *s, struct str line);
static bool dispatch(struct llm_sse *s, llm_sse_event *event, void *arg);

void
llm_sse_init(struct llm_sse *s, size_t max)
{
	memset(s, 0, sizeof(*s));
	buf_init(&s->line, max);
	buf_init(&s->data, max);
}

void
llm_sse_release(struct llm_sse *s)
{
	buf_release(&s->line);
	buf_release(&s->data);
}

/* Lines end with LF, CR or CRLF, wherever reads cut them; nothing else. */
enum err
llm_sse_feed(
    struct llm_sse *s, struct str bytes, llm_sse_event *event, void *arg)
{
	bool go_on = true;
	size_t i = 0;

	while (i < bytes.n && go_on) {
		size_t from = i;
		enum err e;

		if (s->after_cr && bytes.p[i] == '\n') {
			s->after_cr = false;
			i++;
			continue;
		}
		s->after_cr = false;
		while (i < bytes.n && bytes.p[i] != '\n' && bytes.p[i] != '\r')
			i++;
		buf_add(&s->line, bytes.p + from, i - from);
		if (s->line.failed)
			return ERR_TOOBIG;
		if (i == bytes.n)
			break;
		s->after_cr = bytes.p[i++] == '\r';
		e = line_ended(s, event, arg, &go_on);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

enum err
llm_sse_end(struct llm_sse *s, llm_sse_event *event, void *arg)
{
	bool go_on = true;
	enum err e = ERR_OK;

	if (s->line.n > 0)
		e = line_ended(s, event, arg, &go_on);
	if (e == ERR_OK && go_on)
		(void)dispatch(s, event, arg);
	return e;
}

static enum err
line_ended(struct llm_sse *s, llm_sse_event *event, void *arg, bool *go_on)
{
	struct str line = buf_as_str(&s->line);

	if (!s->started && line.n >= 3 &&
	    memcmp(line.p, "\xef\xbb\xbf", 3) == 0)
		line = (struct str){ line.p + 3, line.n - 3 };
	s->started = true;
	if (line.n == 0)
		*go_on = dispatch(s, event, arg);
	else
		add_field(s, line);
	buf_clear(&s->line);
	return s->data.failed ? ERR_TOOBIG : ERR_OK;
}

static void
add_field(struct llm_sse *s, struct str line)
{
	struct str value = line;
	struct str name = str_cut(&value, ':');

	if (name.n == 0)
		return; /* a comment: the server is alive */
	if (value.p == NULL)
		value = STR("");
	if (value.n > 0 && value.p[0] == ' ')
		value = (struct str){ value.p + 1, value.n - 1 };
	if (str_is(name, "data")) {
		if (s->has_data)
			buf_c(&s->data, '\n');
		s->has_data = true;
		buf_str(&s->data, value);
	} else if (str_is(name, "error")) {
		/* llama.cpp says so instead of "event: error". */
		memcpy(s->event, "error", sizeof("error"));
		s->has_data = true;
		buf_str(&s->data, value);
	} else if (str_is(name, "event")) {
		size_t n = value.n < sizeof(s->event) - 1
			       ? value.n
			       : sizeof(s->event) - 1;

		memcpy(s->event, value.p, n);
		s->event[n] = '\0';
	}
}

static bool
dispatch(struct llm_sse *s, llm_sse_event *event, void *arg)
{
	bool go_on = true;

	if (s->has_data || s->event[0] != '\0')
		go_on = event(arg, str_of(s->event), buf_as_str(&s->data));
	buf_clear(&s->data);
	s->has_data = false;
	s->event[0] = '\0';
	return go_on;
}
