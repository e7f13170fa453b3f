# What src/base is made of.
libarena_a_SOURCES += \
	src/base/err.c src/base/err.h \
	src/base/buf.c src/base/buf.h \
	src/base/clock.c src/base/clock.h \
	src/base/failpoint.c src/base/failpoint.h \
	src/base/heap.c src/base/heap.h \
	src/base/log.c src/base/log.h \
	src/base/pool.c src/base/pool.h \
	src/base/rng.c src/base/rng.h \
	src/base/str.c src/base/str.h \
	src/base/text.c src/base/text.h

# Its tests.
check_PROGRAMS += tests/base/buf.t
tests_base_buf_t_SOURCES = tests/base/buf.c tests/tap.h
tests_base_buf_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/clock.t
tests_base_clock_t_SOURCES = tests/base/clock.c tests/tap.h
tests_base_clock_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/log.t
tests_base_log_t_SOURCES = tests/base/log.c tests/tap.h
tests_base_log_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/pool.t
tests_base_pool_t_SOURCES = tests/base/pool.c tests/tap.h
tests_base_pool_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/rng.t
tests_base_rng_t_SOURCES = tests/base/rng.c tests/tap.h
tests_base_rng_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/str.t
tests_base_str_t_SOURCES = tests/base/str.c tests/tap.h
tests_base_str_t_LDADD = $(libarena_libs)
check_PROGRAMS += tests/base/text.t
tests_base_text_t_SOURCES = tests/base/text.c tests/tap.h
tests_base_text_t_LDADD = $(libarena_libs)
TESTS += \
	tests/base/buf.t \
	tests/base/clock.t \
	tests/base/log.t \
	tests/base/pool.t \
	tests/base/rng.t \
	tests/base/str.t \
	tests/base/text.t
