# Work for the model servers, and what is made ready with it.
libarena_a_SOURCES += \
	src/model/answer.c src/model/answer.h src/model/answer_leaks.c \
	src/model/job.c src/model/job.h \
	src/model/job_flight.c src/model/job_flight.h \
	src/model/job_parts.h src/model/job_runner.c \
	src/model/leak.c src/model/leak.h \
	src/model/leak_bytes.c src/model/leak_names.c src/model/leak_parts.h \
	src/model/leak_phrases.c src/model/leak_run.c src/model/leak_self.c \
	src/model/leak_turns.c src/model/leak_words.c \
	src/model/match_make.c src/model/match_parts.h \
	src/model/stock.c src/model/stock.h \
	src/model/works.c src/model/works.h src/model/works_tell.c

job_tests = tests/model/job.t tests/model/leak.t tests/model/stock.t
check_PROGRAMS += $(job_tests)
TESTS += $(job_tests)
EXTRA_DIST += tests/model/data/leak-corpus.tsv tests/model/data/leak-corpus-3.tsv \
	tests/model/data/leak-corpus-2.tsv tests/model/data/leak-corpus-4.tsv \
	tests/model/data/leak-corpus-5.tsv \
	tests/model/data/leak-corpus-6.tsv
tests_model_leak_t_SOURCES = tests/model/leak.c tests/tap.h
tests_model_leak_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_leak_t_LDADD = $(libarena_libs)
tests_model_job_t_SOURCES = tests/model/job.c tests/tap.h tests/model/town.h
tests_model_job_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_job_t_LDADD = $(libarena_libs)
tests_model_stock_t_SOURCES = tests/model/stock.c tests/tap.h \
	tests/model/town.h
tests_model_stock_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_stock_t_LDADD = $(libarena_libs)
