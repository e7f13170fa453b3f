# Ratings beside the votes, at a million of them: takes half a minute.
EXTRA_PROGRAMS += bench/standing
CLEANFILES += bench/standing
bench_standing_SOURCES = bench/standing.c tests/model/arena.h \
	tests/model/ballots.h
bench_standing_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
bench_standing_LDADD = $(libarena_libs)

bench-standing: bench/standing
	@bench/standing

.PHONY: bench-standing
