/*
 * compare - is one prompt really better than another?
 *
 * Layer    rate.
 * Memory   none.
 * Threads  pure.
 *
 * Everything rests on the decisive votes of one pair: w for A, l for B.
 *
 *	sign test     exact, two-sided: chance of a split this lopsided if
 *	              both were equal (Arbuthnott 1710; binomial, p = 1/2).
 *	              Right only if the number of votes was fixed before.
 *	paired        the same over questions: each question counts once, for
 *	              the prompt that won more of its votes.
 *	Wilson        interval of A's share (Wilson 1927).
 *	e-value       E = B(w + 1/2, l + 1/2) / B(1/2, 1/2) * 2^(w+l), the
 *	              betting capital of a Jeffreys mixture against p = 1/2.
 *	              P(E ever reaches 1/alpha) <= alpha (Ville 1939), so one
 *	              may look at any time and stop.
 *	sequence      all p that the same bet cannot reject: a confidence
 *	              sequence, valid at every look (Robbins 1970).
 *
 * People look at a live page again and again, so the verdict rests on the last
 * two alone; the tests of a number fixed before are there to be read.
 */
#ifndef PA_COMPARE_H
#define PA_COMPARE_H

#include <stddef.h>
#include <stdint.h>

enum compare_verdict {
	COMPARE_CLEAR_A, /* the sequence excludes 1/2: E >= 1/(1-level) */
	COMPARE_CLEAR_B,
	COMPARE_PROBABLE_A, /* only that of the lower level, likely, does */
	COMPARE_PROBABLE_B,
	COMPARE_EQUAL, /* within the margin, whatever more votes say */
	COMPARE_OPEN,  /* cannot be told apart yet */
	COMPARE_NO_VOTES,
	COMPARE__MAX
};

/* No number of further matches is foreseen to be enough. */
#define COMPARE_NEVER UINT64_MAX

/* Votes on one question. */
struct compare_question {
	uint64_t a, b;
};

struct compare_votes {
	uint64_t a, b, ties; /* of this pair, both sides of the screen */
	const struct compare_question *question; /* or NULL */
	size_t nquestions;
};

struct compare_options {
	double level;  /* 0.95 */
	double power;  /* 0.80, of the matches still needed */
	double margin; /* of the score, e.g. 0.05: equal within 0.45-0.55 */
	double likely; /* 0.80, of "probably" */
};

/* What pages and commands use unless told otherwise: E >= 20 is clear and
 * E >= 5 is probable. */
#define COMPARE_USUAL                                                          \
	{                                                                      \
		0.95, 0.80, 0.05, 0.80                                         \
	}

struct compare_result {
	uint64_t decisive;
	double share;                    /* of A among the decisive */
	double share_lower, share_upper; /* Wilson */
	double sign_p;
	uint64_t questions_a, questions_b; /* questions won */
	double paired_p;                   /* 1 without questions */
	double log_e;                      /* ln of the e-value */
	double sequence_lower, sequence_upper;
	/* Further ones until the verdict is CLEAR or EQUAL with that power, at
	 * the present estimate; 0 when it is; COMPARE_NEVER without votes. */
	uint64_t matches_needed;
	enum compare_verdict verdict;
};

/* The e-value from which on a verdict of that level is given. */
double compare_evidence(double level);

void compare_pair(const struct compare_votes *v,
    const struct compare_options *o, struct compare_result *out);

/* ln of the e-value of w to l. */
double compare_log_e(uint64_t w, uint64_t l);

/* Wilson's interval of k out of n at the given level. */
void compare_wilson(
    uint64_t k, uint64_t n, double level, double *lower, double *upper);

#endif /* PA_COMPARE_H */
