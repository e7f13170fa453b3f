/* This file knows how to hand out small pieces of memory and free them all. */
#include "config.h"

#include "base/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define POOL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define POOL_ASAN 1
#endif
#endif

/* With the address sanitizer, what is not handed out is out of bounds. */
#ifdef POOL_ASAN
#include <sanitizer/asan_interface.h>
#define POOL_HIDE(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define POOL_SHOW(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#define POOL_GAP 16
#else
#define POOL_HIDE(p, n) ((void)(p), (void)(n))
#define POOL_SHOW(p, n) ((void)(p), (void)(n))
#define POOL_GAP 0
#endif

#define BLOCK_ROOM ((size_t)16 * 1024)
#define POOL_ALIGN alignof(max_align_t)

struct block {
	struct block *next;
	size_t room;
	size_t used;
	alignas(max_align_t) char bytes[];
};

struct pool {
	struct block *head; /* pieces come from here */
	size_t cap;
	size_t used;
	bool failed;
};

static struct block *block_open(size_t room);
static void block_close(struct block *b);
static void *fail(struct pool *p);

struct pool *
pool_open(size_t cap)
{
	struct pool *p = calloc(1, sizeof(*p));

	if (p != NULL)
		p->cap = cap;
	return p;
}

void
pool_close(struct pool *p)
{
	if (p == NULL)
		return;
	while (p->head != NULL) {
		struct block *b = p->head;

		p->head = b->next;
		block_close(b);
	}
	free(p);
}

void
pool_clear(struct pool *p)
{
	struct block *keep = NULL;

	while (p->head != NULL) {
		struct block *b = p->head;

		p->head = b->next;
		if (keep == NULL && b->room == BLOCK_ROOM)
			keep = b;
		else
			block_close(b);
	}
	if (keep != NULL) {
		keep->next = NULL;
		keep->used = 0;
		POOL_HIDE(keep->bytes, keep->room);
	}
	p->head = keep;
	p->used = 0;
	p->failed = false;
}

void *
pool_alloc(struct pool *p, size_t n)
{
	struct block *b = p->head;
	size_t need;
	char *out;

	if (p->failed || n > p->cap)
		return fail(p);
	need = (n + POOL_ALIGN - 1) / POOL_ALIGN * POOL_ALIGN;
	if (need > p->cap - p->used)
		return fail(p);
	need += POOL_GAP;
	if (b == NULL || need > b->room - b->used) {
		b = block_open(need > BLOCK_ROOM / 4 ? need : BLOCK_ROOM);
		if (b == NULL)
			return fail(p);
		/* A large piece gets its own block, behind the current one:
		 * the rest of that one stays in use. */
		if (p->head != NULL && b->room == need) {
			b->next = p->head->next;
			p->head->next = b;
		} else {
			b->next = p->head;
			p->head = b;
		}
	}
	out = b->bytes + b->used;
	b->used += need;
	p->used += need - POOL_GAP;
	POOL_SHOW(out, n);
	memset(out, 0, n);
	return out;
}

void *
pool_array(struct pool *p, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return fail(p);
	return pool_alloc(p, n);
}

char *
pool_strdup(struct pool *p, const char *z)
{
	size_t n = strlen(z);
	char *out = pool_alloc(p, n + 1);

	if (out == NULL) {
		static char nothing[1];

		return nothing;
	}
	memcpy(out, z, n);
	return out;
}

struct str
pool_str(struct pool *p, struct str s)
{
	char *out;

	if (s.p == NULL)
		return s;
	if (s.n == SIZE_MAX || (out = pool_alloc(p, s.n + 1)) == NULL) {
		(void)fail(p);
		return STR("");
	}
	memcpy(out, s.p, s.n);
	return (struct str){ out, s.n };
}

struct text
pool_text(struct pool *p, struct text t)
{
	struct str s = pool_str(p, (struct str){ t.p, t.n });

	return (struct text){ s.p, s.n };
}

struct str
pool_printf(struct pool *p, const char *fmt, ...)
{
	va_list ap;
	char *out;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0 || (out = pool_alloc(p, (size_t)n + 1)) == NULL) {
		(void)fail(p);
		return STR("");
	}
	va_start(ap, fmt);
	(void)vsnprintf(out, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct str){ out, (size_t)n };
}

bool
pool_failed(const struct pool *p)
{
	return p->failed;
}

size_t
pool_used(const struct pool *p)
{
	return p->used;
}

static struct block *
block_open(size_t room)
{
	struct block *b;

	if (room > SIZE_MAX - sizeof(*b))
		return NULL;
	b = malloc(sizeof(*b) + room);
	if (b == NULL)
		return NULL;
	b->next = NULL;
	b->room = room;
	b->used = 0;
	POOL_HIDE(b->bytes, room);
	return b;
}

static void
block_close(struct block *b)
{
	POOL_SHOW(b->bytes, b->room);
	free(b);
}

static void *
fail(struct pool *p)
{
	p->failed = true;
	return NULL;
}
