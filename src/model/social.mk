# Notices, the forum, the AI teaching assistant.
libarena_a_SOURCES += \
	src/model/forum.c src/model/forum.h src/model/forum_parts.h \
	src/model/forum_report.c src/model/forum_search.c \
	src/model/forum_tell.c src/model/forum_write.c \
	src/model/notice.c src/model/notice.h \
	src/model/notice_hook.c \
	src/model/tutor.c src/model/tutor.h src/model/tutor_job.c

social_tests = tests/model/notice.t tests/model/forum.t \
	tests/model/tutor.t
check_PROGRAMS += $(social_tests)
TESTS += $(social_tests)
social_test_sources = tests/tap.h tests/model/town.h
tests_model_notice_t_SOURCES = tests/model/notice.c $(social_test_sources)
tests_model_notice_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_notice_t_LDADD = $(libarena_libs)
tests_model_forum_t_SOURCES = tests/model/forum.c $(social_test_sources)
tests_model_forum_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_forum_t_LDADD = $(libarena_libs)
tests_model_tutor_t_SOURCES = tests/model/tutor.c $(social_test_sources)
tests_model_tutor_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_model_tutor_t_LDADD = $(libarena_libs)
