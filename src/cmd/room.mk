# What src/cmd is made of.
libarena_a_SOURCES += \
	src/cmd/cgi.c src/cmd/cgi.h \
	src/cmd/check.c src/cmd/check.h \
	src/cmd/control.c src/cmd/control.h \
	src/cmd/daemon.c src/cmd/daemon.h \
	src/cmd/generate.c src/cmd/generate.h \
	src/cmd/endpoint.c src/cmd/endpoint.h \
	src/cmd/notify.c src/cmd/notify.h \
	src/cmd/options.c src/cmd/options.h \
	src/cmd/route.c src/cmd/route.h \
	src/cmd/serve.c src/cmd/serve.h \
	src/cmd/simulate.c src/cmd/simulate.h

# Its tests.
TESTS += tests/cmd/check.sh
EXTRA_DIST += tests/cmd/check.sh

check_PROGRAMS += tests/cmd/daemon.t
TESTS += tests/cmd/daemon.t
tests_cmd_daemon_t_SOURCES = tests/cmd/daemon.c tests/tap.h \
	tests/fcgi_client.h
tests_cmd_daemon_t_LDADD = $(libarena_libs)

TESTS += tests/cmd/main.sh tests/cmd/simulate.sh
EXTRA_DIST += tests/cmd/main.sh tests/cmd/simulate.sh
