# Ratings of every board, in memory.
libarena_a_SOURCES += \
	src/model/board_standing.c \
	src/model/debut.c src/model/debut.h \
	src/model/standing.c src/model/standing.h \
	src/model/standing_judge.c src/model/standing_names.c \
	src/model/standing_parts.h src/model/standing_scope.c \
	src/model/standing_view.c src/model/standing_work.c

check_PROGRAMS += tests/model/standing.t tests/model/debut.t
TESTS += tests/model/standing.t tests/model/debut.t
tests_model_debut_t_SOURCES = tests/model/debut.c tests/tap.h \
	tests/model/arena.h
tests_model_debut_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_debut_t_LDADD = $(libarena_libs)
tests_model_standing_t_SOURCES = tests/model/standing.c tests/tap.h \
	tests/model/arena.h tests/model/ballots.h
tests_model_standing_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_standing_t_LDADD = $(libarena_libs)
