# The store: database, ledger and ratings.
libarena_a_SOURCES += \
	src/model/ledger.c src/model/ledger.h \
	src/model/ledger_file.c src/model/ledger_parts.h \
	src/model/recount.c src/model/recount.h \
	src/model/recount_table.c src/model/recount_table.h \
	src/model/store.c src/model/store.h \
	src/model/store_check.c src/model/store_parts.h \
	src/model/store_lock.c \
	src/model/store_repair.c \
	src/model/store_schema.c \
	src/model/store_writer.c \
	src/model/verify.c src/model/verify.h \
	src/model/verify_parts.h src/model/verify_rows.c \
	src/model/vote_rows.c src/model/vote_rows.h

# The schema is installed for people and compiled in for the program.
schema_sql = schema/database.sql
nodist_libarena_a_SOURCES = src/model/schema_own.c
CLEANFILES += src/model/schema_own.c
EXTRA_DIST += build-aux/embed-schema
src/model/schema_own.c: $(schema_sql) build-aux/embed-schema
	$(AM_V_GEN)$(MKDIR_P) src/model; files=; \
	for f in $(schema_sql); do files="$$files $(srcdir)/$$f"; done; \
	$(SHELL) $(srcdir)/build-aux/embed-schema $$files >$@.tmp && mv -f $@.tmp $@

store_tests = tests/model/store.t tests/model/ledger.t \
	tests/model/startup.t tests/model/recount.t \
	tests/model/kill.t
check_PROGRAMS += $(store_tests)
TESTS += $(store_tests)
EXTRA_DIST += tests/model/data/votes.log tests/model/data/public.jsonl
store_test_sources = tests/model/arena.h tests/tap.h
tests_model_store_t_SOURCES = tests/model/store.c $(store_test_sources)
tests_model_store_t_LDADD = $(libarena_libs)
tests_model_ledger_t_SOURCES = tests/model/ledger.c $(store_test_sources)
tests_model_ledger_t_LDADD = $(libarena_libs)
tests_model_startup_t_SOURCES = tests/model/startup.c $(store_test_sources)
tests_model_startup_t_LDADD = $(libarena_libs)
tests_model_recount_t_SOURCES = tests/model/recount.c $(store_test_sources)
tests_model_recount_t_LDADD = $(libarena_libs)
tests_model_kill_t_SOURCES = tests/model/kill.c $(store_test_sources)
tests_model_kill_t_LDADD = $(libarena_libs)

# The commands of the store.
libarena_a_SOURCES += src/cmd/storage.c src/cmd/storage.h
TESTS += tests/cmd/storage.sh
EXTRA_DIST += tests/cmd/storage.sh
