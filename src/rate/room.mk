# What src/rate is made of.
libarena_a_SOURCES += \
	src/rate/amelo.c src/rate/amelo.h \
	src/rate/boot.c src/rate/boot.h src/rate/boot_sum.c \
	src/rate/bt_chord.c src/rate/bt_chord.h \
	src/rate/bt.c src/rate/bt.h src/rate/bt_fit.c \
	src/rate/ci.c src/rate/ci.h src/rate/ci_rank.c \
	src/rate/ci_score.c src/rate/ci_score.h src/rate/ci_meat.c \
	src/rate/compare.c src/rate/compare.h \
	src/rate/dense.c src/rate/dense.h \
	src/rate/dist.c src/rate/dist.h \
	src/rate/elo.c src/rate/elo.h \
	src/rate/glicko.c src/rate/glicko.h \
	src/rate/grid.h \
	src/rate/insight.c src/rate/insight.h src/rate/insight_fragile.c \
	src/rate/model.c src/rate/model.h src/rate/model_peak.c \
	src/rate/multinom.c src/rate/multinom.h \
	src/rate/num.c src/rate/num.h \
	src/rate/pairs.c src/rate/pairs.h \
	src/rate/prng.c src/rate/prng.h \
	src/rate/rater.c src/rate/rater.h \
	src/rate/snapshot.c src/rate/snapshot.h \
	src/rate/tally.c src/rate/tally.h \
	src/rate/tally_voter.c src/rate/tally_voter.h \
	src/rate/textscore.c src/rate/textscore.h \
	src/rate/share.c src/rate/share.h \
	src/rate/value.c src/rate/value.h

# The command over it.
libarena_a_SOURCES += \
	src/cmd/rate.c src/cmd/rate.h \
	src/cmd/rate_amelo.c src/cmd/rate_glicko.c src/cmd/rate_board.c src/cmd/rate_board.h src/cmd/rate_model.c \
	src/cmd/rate_compare.c src/cmd/rate_compare.h \
	src/cmd/rate_more.c src/cmd/rate_more.h \
	src/cmd/rate_opts.c src/cmd/rate_opts.h \
	src/cmd/rate_print.c src/cmd/rate_print.h \
	src/cmd/rate_csv.c src/cmd/rate_jsonl.c \
	src/cmd/rate_data.c src/cmd/rate_data.h \
	src/cmd/rate_file.c src/cmd/rate_file.h \
	src/cmd/rate_json.c src/cmd/rate_json.h \
	src/cmd/rate_names.c src/cmd/rate_names.h \
	src/cmd/rate_source.c src/cmd/rate_source.h

dist_man_MANS += man/prompt-arena-rate.1

# Its tests.
rate_tests = \
	tests/rate/elo.t tests/rate/golden.t tests/rate/insight.t \
	tests/rate/properties.t tests/rate/draws.t \
	tests/rate/coverage.t tests/rate/raters.t \
	tests/rate/share.t tests/rate/textscore.t tests/rate/value.t
check_PROGRAMS += $(rate_tests)
TESTS += $(rate_tests) tests/rate/cases.sh tests/rate/manual.sh
dist_check_SCRIPTS += tests/rate/cases.sh tests/rate/manual.sh
EXTRA_DIST += tests/rate/tap.h tests/rate/fuzz_file.c
# ./configure --enable-fuzzers CC=clang; tests/rate/fuzz_file -max_len=4096
if FUZZERS
check_PROGRAMS += tests/rate/fuzz_file
tests_rate_fuzz_file_SOURCES = tests/rate/fuzz_file.c
tests_rate_fuzz_file_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_rate_fuzz_file_LDADD = $(libarena_libs)
endif
rate_cppflags = $(AM_CPPFLAGS) -I$(srcdir)

tests_rate_elo_t_SOURCES = tests/rate/elo.c
tests_rate_elo_t_CPPFLAGS = $(rate_cppflags)
tests_rate_elo_t_LDADD = $(libarena_libs)
tests_rate_golden_t_SOURCES = tests/rate/golden.c
tests_rate_golden_t_CPPFLAGS = $(rate_cppflags)
tests_rate_golden_t_LDADD = $(libarena_libs)
tests_rate_properties_t_SOURCES = tests/rate/properties.c
tests_rate_properties_t_CPPFLAGS = $(rate_cppflags)
tests_rate_properties_t_LDADD = $(libarena_libs)
tests_rate_draws_t_SOURCES = tests/rate/draws.c
tests_rate_draws_t_CPPFLAGS = $(rate_cppflags)
tests_rate_draws_t_LDADD = $(libarena_libs)
tests_rate_coverage_t_SOURCES = tests/rate/coverage.c
tests_rate_coverage_t_CPPFLAGS = $(rate_cppflags)
tests_rate_coverage_t_LDADD = $(libarena_libs)
tests_rate_insight_t_SOURCES = tests/rate/insight.c
tests_rate_insight_t_CPPFLAGS = $(rate_cppflags)
tests_rate_insight_t_LDADD = $(libarena_libs)
tests_rate_raters_t_SOURCES = tests/rate/raters.c
tests_rate_raters_t_CPPFLAGS = $(rate_cppflags)
tests_rate_raters_t_LDADD = $(libarena_libs)
tests_rate_textscore_t_SOURCES = tests/rate/textscore.c
tests_rate_textscore_t_CPPFLAGS = $(rate_cppflags)
tests_rate_textscore_t_LDADD = $(libarena_libs)
tests_rate_share_t_SOURCES = tests/rate/share.c
tests_rate_share_t_CPPFLAGS = $(rate_cppflags)
tests_rate_share_t_LDADD = $(libarena_libs)
tests_rate_value_t_SOURCES = tests/rate/value.c
tests_rate_value_t_CPPFLAGS = $(rate_cppflags)
tests_rate_value_t_LDADD = $(libarena_libs)

# The same with longer simulations.  No line ends within the quotes: make
# would take the backslash for the name of a test.
rate_checks = $(rate_tests) tests/rate/cases.sh tests/rate/manual.sh
check-rate: $(rate_tests) prompt-arena
	RUNS=2000 SEEDS=200 $(MAKE) $(AM_MAKEFLAGS) check-TESTS \
		check_PROGRAMS='$(rate_tests)' TESTS='$(rate_checks)'

.PHONY: check-rate
