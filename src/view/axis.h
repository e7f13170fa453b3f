/*
 * axis - numbers placed on a line of round steps.
 *
 * Layer    view: libm.
 * Memory   none.
 * Threads  pure.
 */
#ifndef PA_AXIS_H
#define PA_AXIS_H

#include <stdbool.h>
#include <stddef.h>

#define AXIS_TICKS 6

struct axis {
	double low, high, step; /* values */
	double left, right;     /* places */
};

/* An axis that shows v, at least. */
struct axis axis_around(double v);

/* Show v as well (NaN: nothing). */
void axis_include(struct axis *a, double v);

/* Round the ends outward to whole steps and place them. */
void axis_settle(struct axis *a, double left, double right);

/* Place of v; NaN for NaN. */
double axis_x(const struct axis *a, double v);

/* Tick number i; false beyond the last. */
bool axis_tick(const struct axis *a, size_t i, double *value);

#endif /* PA_AXIS_H */
