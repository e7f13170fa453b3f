/*
 * textscore - is one answer right, whatever it is compared with?
 *
 * Layer    rate.
 * Memory   malloc inside, nothing kept.
 * Threads  pure.
 *
 * Absolute checks stand beside relative ratings, so that a ranking of three
 * poor prompts is not mistaken for quality.  Text is UTF-8; words are runs of
 * letters, digits and bytes above 127, ASCII letters in lower case.
 */
#ifndef PA_TEXTSCORE_H
#define PA_TEXTSCORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Longest text in words; ERR_TOOBIG beyond. */
enum {
	TEXTSCORE_WORDS = 20000
};

/* Equal but for white space at both ends. */
bool textscore_exact(const char *answer, const char *want);

/* The words of want stand in answer, one after the other. */
enum err textscore_contains(
    const char *answer, const char *want, bool *out) PA_MUST_USE;

/*
 * The last number in answer lies within tolerance of want.  Decimal point or
 * comma; thousands separators are not understood.
 */
bool textscore_number(const char *answer, double want, double tolerance);

/* POSIX extended regular expression.  ERR_SYNTAX if it does not parse. */
enum err textscore_regex(
    const char *answer, const char *pattern, bool *out) PA_MUST_USE;

/*
 * BLEU of one answer against one reference (Papineni et al. 2002), n-grams to
 * 4, one added to both counts above single words (Lin and Och 2004), brevity
 * penalty e^(1 - r/c).  In [0, 1].
 */
enum err textscore_bleu(
    const char *answer, const char *reference, double *out) PA_MUST_USE;

/*
 * ROUGE-L (Lin 2004): F1 of the longest common subsequence of words.  In
 * [0, 1].
 */
enum err textscore_rouge_l(
    const char *answer, const char *reference, double *out) PA_MUST_USE;

#endif /* PA_TEXTSCORE_H */
