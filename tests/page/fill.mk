# Arenas of a pattern, for the tests of boards in browsers.
check_PROGRAMS += tests/page/fill
tests_page_fill_SOURCES = tests/page/fill.c
tests_page_fill_LDADD = $(libarena_libs)
EXTRA_DIST += tests/page/states.sh
