# What src/model is made of.
libarena_a_SOURCES += \
	src/model/catalog.c src/model/catalog.h \
	src/model/catalog_activities.c src/model/catalog_answers.c \
	src/model/catalog_parts.h \
	src/model/catalog_prompts.c src/model/catalog_questions.c \
	src/model/conf.c src/model/conf.h \
	src/model/conf_check.c src/model/conf_lists.c \
	src/model/conf_parts.h \
	src/model/textfile.c src/model/textfile.h

# Its tests.
conf_tests = tests/conf/conf.t tests/conf/catalog.t tests/conf/broken.t
check_PROGRAMS += $(conf_tests)
TESTS += $(conf_tests)
EXTRA_DIST += tests/conf/good
conf_test_sources = tests/tap.h tests/conf/good.h
tests_conf_conf_t_SOURCES = tests/conf/conf.c $(conf_test_sources)
tests_conf_conf_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_conf_conf_t_LDADD = $(libarena_libs)
tests_conf_catalog_t_SOURCES = tests/conf/catalog.c $(conf_test_sources)
tests_conf_catalog_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_conf_catalog_t_LDADD = $(libarena_libs)
tests_conf_broken_t_SOURCES = tests/conf/broken.c $(conf_test_sources)
tests_conf_broken_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_conf_broken_t_LDADD = $(libarena_libs)

# The loader's fuzzer: tests/conf/fuzz.sh says how to run it.
EXTRA_DIST += tests/conf/fuzz.sh
if FUZZERS
EXTRA_PROGRAMS += tests/conf/fuzz
tests_conf_fuzz_SOURCES = tests/conf/fuzz.c $(conf_test_sources)
tests_conf_fuzz_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_conf_fuzz_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_conf_fuzz_LDADD = $(libarena_libs)
endif

include src/model/store.mk
include src/model/match.mk
include src/model/standing.mk

# Questions to model servers.
libarena_a_SOURCES += \
	src/model/conf_endpoints.c \
	src/model/llm.c src/model/llm.h src/model/llm_ask.h \
	src/model/llm_classify.c src/model/llm_error.c src/model/llm_key.c \
	src/model/llm_mask.c src/model/llm_names.c \
	src/model/llm_parts.h src/model/llm_place.c src/model/llm_repeat.c \
	src/model/llm_reply.c src/model/llm_request.c src/model/llm_retry.c \
	src/model/llm_sse.c \
	src/model/llm_text.c src/model/llm_url.c src/model/llm_visible.c
include src/model/job.mk
include src/model/social.mk
