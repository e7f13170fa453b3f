/* This file knows how to lay numbers out on an axis of round steps. */
#include "config.h"

#include "view/axis.h"

#include <math.h>

struct axis
axis_around(double v)
{
	return (struct axis){ .low = v - 1, .high = v + 1 };
}

void
axis_include(struct axis *a, double v)
{
	if (isnan(v))
		return;
	a->low = fmin(a->low, v);
	a->high = fmax(a->high, v);
}

void
axis_settle(struct axis *a, double left, double right)
{
	static const double steps[] = { 10, 20, 25, 50, 100, 200, 250, 500,
		1000, 2500, 5000 };
	size_t i = 0, last = sizeof(steps) / sizeof(*steps) - 1;

	/* The finest step that needs no more ticks than there is room for. */
	while (i < last && ceil(a->high / steps[i]) - floor(a->low / steps[i]) >
			       AXIS_TICKS - 2)
		i++;
	a->step = steps[i];
	a->low = floor(a->low / a->step) * a->step;
	a->high = ceil(a->high / a->step) * a->step;
	a->left = left;
	a->right = right;
}

double
axis_x(const struct axis *a, double v)
{
	if (isnan(v))
		return v;
	return a->left +
	       (v - a->low) / (a->high - a->low) * (a->right - a->left);
}

bool
axis_tick(const struct axis *a, size_t i, double *value)
{
	double v = a->low + (double)i * a->step;

	if (v > a->high + a->step / 2)
		return false;
	*value = v;
	return true;
}
