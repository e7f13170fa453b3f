/* This file knows how to remember for a minute who has voted twice. */
#include "config.h"

#include "page/again.h"

#include <string.h>

static size_t place(struct str token);

void
again_init(struct again *a)
{
	pthread_mutex_init(&a->lock, NULL);
	memset(a->marks, 0, sizeof(a->marks));
}

void
again_release(struct again *a)
{
	pthread_mutex_destroy(&a->lock);
}

void
again_mark(struct again *a, struct str token, int64_t now)
{
	struct again_mark *m = &a->marks[place(token)];

	if (token.n != RNG_TOKEN_LEN)
		return;
	pthread_mutex_lock(&a->lock);
	memcpy(m->token, token.p, token.n);
	m->at = now;
	pthread_mutex_unlock(&a->lock);
}

bool
again_take(struct again *a, struct str token, int64_t now)
{
	struct again_mark *m = &a->marks[place(token)];
	bool found;

	pthread_mutex_lock(&a->lock);
	found = str_is(token, m->token) && now - m->at <= AGAIN_S;
	if (found)
		m->token[0] = '\0';
	pthread_mutex_unlock(&a->lock);
	return found;
}

/* Tokens are random, so their first letters spread them well enough. */
static size_t
place(struct str token)
{
	size_t h = 0;

	for (size_t i = 0; i < token.n && i < 4; i++)
		h = h * 31 + (unsigned char)token.p[i];
	return h % AGAIN_MARKS;
}
