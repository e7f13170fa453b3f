# Accounts, the deck, pairing, matches, votes and boards.
libarena_a_SOURCES += \
	src/model/account.c src/model/account.h \
	src/model/activity.c src/model/activity.h \
	src/model/board.c src/model/board.h \
	src/model/board_cache.c src/model/board_cache.h \
	src/model/board_parts.h src/model/board_rows.c \
	src/model/card.c \
	src/model/catalog_sync.c src/model/catalog_sync.h \
	src/model/deck.c src/model/deck.h \
	src/model/match.c src/model/match.h \
	src/model/pairing.c src/model/pairing.h \
	src/model/pairing_left.c src/model/pairing_parts.h \
	src/model/pairing_samples.c src/model/pairing_value.c \
	src/model/reveal.c \
	src/model/rows.c src/model/rows.h \
	src/model/simulate.c src/model/simulate.h \
	src/model/sync.h src/model/sync_answers.c \
	src/model/totals.c src/model/voted.c \
	src/model/keys.c src/model/keys.h \
	src/model/vote.c src/model/vote.h

match_tests = tests/model/pairing.t tests/model/vote.t tests/model/sync.t \
	tests/model/board.t tests/model/simulate.t tests/model/account.t
check_PROGRAMS += $(match_tests)
TESTS += $(match_tests)
match_test_sources = tests/tap.h tests/model/town.h
tests_model_pairing_t_SOURCES = tests/model/pairing.c $(match_test_sources)
tests_model_pairing_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_pairing_t_LDADD = $(libarena_libs)
tests_model_vote_t_SOURCES = tests/model/vote.c $(match_test_sources)
tests_model_vote_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_vote_t_LDADD = $(libarena_libs)
tests_model_sync_t_SOURCES = tests/model/sync.c $(match_test_sources)
tests_model_sync_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_sync_t_LDADD = $(libarena_libs)
tests_model_board_t_SOURCES = tests/model/board.c $(match_test_sources)
tests_model_board_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_board_t_LDADD = $(libarena_libs)
tests_model_simulate_t_SOURCES = tests/model/simulate.c $(match_test_sources)
tests_model_simulate_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_simulate_t_LDADD = $(libarena_libs)
tests_model_account_t_SOURCES = tests/model/account.c $(match_test_sources)
tests_model_account_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_account_t_LDADD = $(libarena_libs)
