/* This file knows how to keep the C library's heaps few and small. */
#include "config.h"

#include "base/heap.h"

#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define HEAPS 4

void
heap_init(void)
{
#ifdef M_ARENA_MAX
	(void)mallopt(M_ARENA_MAX, HEAPS);
#endif
}

void
heap_trim(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}
