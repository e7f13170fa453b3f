/*
 * num - elementary functions that give the same bits on every machine.
 *
 * Layer    rate: base and the C library's arithmetic only.
 * Memory   none.
 * Threads  pure.
 *
 * glibc picks other code paths for exp() and pow() on processors with fused
 * multiply-add, and the last bits differ.  Ratings are published and replayed
 * elsewhere, so everything here is built from + - * / and sqrt alone, which
 * IEEE 754 fixes.  Errors are a few units in the last place.
 */
#ifndef PA_NUM_H
#define PA_NUM_H

#include <stddef.h>

#define NUM_LN10 2.302585092994045684

/* e^x; 0 below -708, infinity above 709. */
double num_exp(double x);

/* 10^x; 0 below -307, infinity above 308. */
double num_exp10(double x);

/* Natural logarithm of x > 0; -infinity for 0. */
double num_log(double x);

/* ln(1 + x) for x > -1, exact near 0. */
double num_log1p(double x);

/* The logistic function 1 / (1 + e^-x). */
double num_sigmoid(double x);

/* -ln(1 + e^-x) = ln num_sigmoid(x), without overflow. */
double num_log_sigmoid(double x);

#endif /* PA_NUM_H */
