# What src/port is made of.
libarena_a_SOURCES += \
	src/port/acceptor.c src/port/acceptor.h \
	src/port/crypt.c src/port/crypt.h \
	src/port/db.c src/port/db.h src/port/db_parts.h \
	src/port/db_stmt.c src/port/db_fail.c \
	src/port/fcgi.c src/port/fcgi.h \
	src/port/fcgi_hand.c src/port/fcgi_hand.h \
	src/port/fcgi_head.c src/port/fcgi_head.h \
	src/port/fcgi_params.c src/port/fcgi_params.h \
	src/port/fcgi_peek.c src/port/fcgi_peek.h \
	src/port/json.c src/port/json.h \
	src/port/markdown.c src/port/markdown.h src/port/markdown_parts.h \
	src/port/markdown_words.c src/port/markdown_link.c \
	src/port/markdown_table.c src/port/markdown_lead.c \
	src/port/markdown_scan.c src/port/markdown_scan.h \
	src/port/listen.c src/port/listen.h \
	src/port/xml.c src/port/xml.h src/port/xml_parts.h \
	src/port/xml_parse.c src/port/xml_schema.c \
	src/port/xml_words.c src/port/xml_words.h

# Its tests.

check_PROGRAMS += tests/port/db.t
TESTS += tests/port/db.t
tests_port_db_t_SOURCES = tests/port/db.c tests/tap.h
tests_port_db_t_LDADD = $(libarena_libs)

check_PROGRAMS += tests/port/crypt.t
TESTS += tests/port/crypt.t
tests_port_crypt_t_SOURCES = tests/port/crypt.c tests/tap.h
tests_port_crypt_t_LDADD = $(libarena_libs)

check_PROGRAMS += tests/port/json.t
TESTS += tests/port/json.t
tests_port_json_t_SOURCES = tests/port/json.c tests/tap.h
tests_port_json_t_LDADD = $(libarena_libs)

check_PROGRAMS += tests/port/xml.t
TESTS += tests/port/xml.t
EXTRA_DIST += tests/port/sample.xsd
tests_port_xml_t_SOURCES = tests/port/xml.c tests/tap.h
tests_port_xml_t_LDADD = $(libarena_libs)

check_PROGRAMS += tests/port/fcgi.t
TESTS += tests/port/fcgi.t
tests_port_fcgi_t_SOURCES = tests/port/fcgi.c tests/tap.h tests/fcgi_client.h
tests_port_fcgi_t_LDADD = $(libarena_libs)

check_PROGRAMS += tests/port/markdown.t
TESTS += tests/port/markdown.t
tests_port_markdown_t_SOURCES = tests/port/markdown.c tests/port/xss.h \
	tests/port/markdown_oracle.h tests/tap.h
tests_port_markdown_t_LDADD = $(libarena_libs)

EXTRA_DIST += tests/port/fuzz_markdown.c
if FUZZERS
check_PROGRAMS += tests/port/fuzz_markdown
tests_port_fuzz_markdown_SOURCES = tests/port/fuzz_markdown.c \
	tests/port/markdown_oracle.h
tests_port_fuzz_markdown_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_port_fuzz_markdown_LDADD = $(libarena_libs)
endif

# Requests to other servers.
libarena_a_SOURCES += \
	src/port/http.c src/port/http.h src/port/http_addr.c \
	src/port/http_job.c src/port/http_job.h
