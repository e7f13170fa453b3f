/*
 * heap - how much of the machine's memory the C library keeps for itself.
 *
 * Layer    base.
 * Threads  heap_init before the first thread; heap_trim at any time.
 */
#ifndef PA_HEAP_H
#define PA_HEAP_H

/*
 * Few heaps for many threads.  glibc would give each of a service's threads
 * one of its own, and each keeps what its busiest moment took; ours mostly
 * use pools, so they seldom wait for each other.  Elsewhere nothing happens.
 */
void heap_init(void);

/*
 * Give back to the system what is free.  For after start and reload, when
 * files and trees were held that are gone for good.
 */
void heap_trim(void);

#endif /* PA_HEAP_H */
