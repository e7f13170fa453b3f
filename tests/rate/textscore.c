/* This file tests the absolute checks of answers. */
#include "config.h"

#include "rate/textscore.h"

#include <stdlib.h>
#include <string.h>

#include "tests/rate/tap.h"

static void
test_rules(void)
{
	bool yes = false;

	ok(textscore_exact(" Bern\n", "Bern") && !textscore_exact("Bern", "B"),
	    "exact but for white space");
	ok(textscore_contains(
	       "The capital is: Bern, of course", "is bern", &yes) == ERR_OK &&
		yes,
	    "contains, word by word");
	ok(textscore_contains("Bernina", "bern", &yes) == ERR_OK && !yes,
	    "but not within a word");
	ok(textscore_number("3 times 4 is 12.04 metres", 12, 0.05),
	    "the last number within tolerance");
	ok(textscore_number("minus: -3,5", -3.5, 1e-9), "comma and sign");
	ok(!textscore_number("none at all", 0, 100), "no number is no answer");
	ok(!textscore_number("x12", 12, 1), "a name is not a number");
	ok(textscore_regex("x = 42", "= *4[0-9]$", &yes) == ERR_OK && yes,
	    "regular expression");
	ok(textscore_regex("x", "(", &yes) == ERR_SYNTAX,
	    "a broken one is an error");
}

static void
test_references(void)
{
	const char *ref = "the cat sat on the mat";
	double x = -1;
	char *big = malloc(60002);

	ok(textscore_bleu(ref, ref, &x) == ERR_OK && fabs(x - 1) < 1e-12,
	    "BLEU of a copy is 1");
	ok(textscore_bleu("dogs run", ref, &x) == ERR_OK && x == 0,
	    "BLEU of nothing in common is 0");
	ok(textscore_bleu("", ref, &x) == ERR_OK && x == 0,
	    "BLEU of nothing is 0");
	/* 5/6, (3+1)/(5+1), (1+1)/(4+1), (0+1)/(3+1) */
	ok(textscore_bleu("the cat sat on a mat", ref, &x) == ERR_OK,
	    "BLEU is computed");
	near(x, pow(5. / 6 * 4 / 6 * 3 / 5 * 2 / 4, 0.25), 1e-9,
	    "with one added above single words");
	ok(textscore_rouge_l("the cat on the mat", ref, &x) == ERR_OK,
	    "ROUGE-L is computed");
	near(x, 2. * 5 / 11, 1e-12, "2 LCS / (m + n)");
	for (size_t k = 0; k < 60001; k++)
		big[k] = k % 2 ? ' ' : 'a';
	big[60001] = '\0';
	ok(textscore_rouge_l(big, ref, &x) == ERR_TOOBIG,
	    "texts without end are refused");
	free(big);
}

int
main(void)
{
	test_rules();
	test_references();
	return tap_done();
}
