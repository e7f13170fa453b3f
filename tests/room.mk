# Tests that use the whole program: ./quickstart check runs them, from an
# unpacked archive too.
EXTRA_DIST += .ci/run tests/all.sh tests/arena.sh tests/style.sh \
	tests/systemctl.sh tests/tap.cjs tests/tap.sh tests/vnu.sh \
	tests/browser tests/faults tests/http

# ---- the model client against servers that misbehave (make check-llm) ----
EXTRA_PROGRAMS += tests/llm/ask
tests_llm_ask_SOURCES = tests/llm/ask.c tests/tap.h
tests_llm_ask_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_llm_ask_LDADD = $(libarena_libs)
check_PROGRAMS += tests/llm/parts.t
TESTS += tests/llm/parts.t
tests_llm_parts_t_SOURCES = tests/llm/parts.c tests/tap.h
tests_llm_parts_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_llm_parts_t_LDADD = $(libarena_libs)
EXTRA_DIST += tests/tsan.sh \
	tests/llm/all.sh tests/llm/cases.cjs tests/llm/endpoint.sh \
	tests/llm/fuzz_reply.c tests/llm/fuzz_sse.c tests/llm/lib.sh \
	tests/llm/package.json tests/llm/peers.sh tests/llm/soak.sh \
	tests/llm/stub.cjs tests/llm/table.sh
CLEANFILES += tests/llm/ask$(EXEEXT)
if FUZZERS
check_PROGRAMS += tests/llm/fuzz_reply tests/llm/fuzz_sse
tests_llm_fuzz_reply_SOURCES = tests/llm/fuzz_reply.c
tests_llm_fuzz_reply_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_llm_fuzz_reply_LDADD = $(libarena_libs)
tests_llm_fuzz_sse_SOURCES = tests/llm/fuzz_sse.c
tests_llm_fuzz_sse_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_llm_fuzz_sse_LDADD = $(libarena_libs)
endif

check-llm: all tests/llm/ask$(EXEEXT)
	$(AM_V_at)BUILDDIR='$(abs_builddir)' bash $(srcdir)/tests/llm/all.sh
# SECONDS=600 WORKERS=4, as in the issue
soak-llm: tests/llm/ask$(EXEEXT)
	$(AM_V_at)BUILDDIR='$(abs_builddir)' bash $(srcdir)/tests/llm/soak.sh 600 4
# Builds all anew with clang; minutes, so CI leaves it out.
check-tsan:
	$(AM_V_at)BUILDDIR='$(abs_builddir)' bash $(srcdir)/tests/tsan.sh
.PHONY: check-llm check-tsan soak-llm
