# Measurements: make bench (pages, votes, templates), make bench-rate.
# They print ratios from one run and judge nothing.
EXTRA_DIST += bench/serve.sh bench/boards.sh

bench_programs = bench/view_render
EXTRA_PROGRAMS += $(bench_programs)
CLEANFILES += $(bench_programs)
include bench/store.mk
include bench/standing.mk

bench: prompt-arena $(bench_programs) tests/page/fill
	@for b in $(bench_programs); do echo "== $$b"; ./$$b || exit 1; done
	@echo "== pages"; PA_BIN='$(abs_builddir)/prompt-arena' \
		PA_SRC='$(abs_srcdir)' bash $(srcdir)/bench/serve.sh
	@echo "== a large board"; PA_BIN='$(abs_builddir)/prompt-arena' \
		PA_SRC='$(abs_srcdir)' bash $(srcdir)/bench/boards.sh

.PHONY: bench

# Pages by template and by hand.
bench_view_render_SOURCES = bench/view_render.c
bench_view_render_LDADD = $(libarena_libs)

# Ratings against a floor and a peer; the peer needs python3-numpy and
# python3-scipy, and is left out without them.
EXTRA_DIST += bench/rate-peer.py
EXTRA_PROGRAMS += bench/rate-bench bench/rate-floor
CLEANFILES += bench/rate-bench bench/rate-floor
bench_rate_bench_SOURCES = bench/rate-bench.c
bench_rate_bench_LDADD = $(libarena_libs)
bench_rate_floor_SOURCES = bench/rate-floor.c

bench-rate: bench/rate-bench bench/rate-floor prompt-arena
	@nice bench/rate-bench ./prompt-arena bench/rate-floor \
		$(srcdir)/bench/rate-peer.py

.PHONY: bench-rate

# What open tabs cost those who vote.
EXTRA_DIST += bench/poll.sh bench/poll.cjs
