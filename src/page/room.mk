# What src/page is made of.
libarena_a_SOURCES += \
	src/page/app.c src/page/app.h \
	src/page/admin_endpoints.c \
	src/page/again.c src/page/again.h \
	src/page/arena.c \
	src/page/auth.c src/page/auth.h \
	src/page/board_data.c \
	src/page/board_query.c src/page/board_query.h \
	src/page/compare.c \
	src/page/dispatch.c \
	src/page/error.c src/page/error.h \
	src/page/feed.c \
	src/page/figure.c src/page/figure.h \
	src/page/pictures.c src/page/raters.c src/page/reasons.c src/page/reasons.h \
	src/page/form.c src/page/form.h \
	src/page/forum.c src/page/forum.h \
	src/page/forum_more.c src/page/forum_write.c \
	src/page/frame.c src/page/frame.h \
	src/page/handlers.h \
	src/page/home.c \
	src/page/leaderboard.c \
	src/page/match.c \
	src/page/messages.c src/page/metrics.c \
	src/page/methodology.c \
	src/page/hook.c \
	src/page/notices.c src/page/notices.h \
	src/page/notices_json.c \
	src/page/opponents.c src/page/opponents.h \
	src/page/options.c src/page/options.h \
	src/page/owntext.c src/page/owntext.h \
	src/page/pages.c src/page/pages.h \
	src/page/plumbing.c \
	src/page/preferences.c \
	src/page/prompt.c \
	src/page/req.c src/page/req.h \
	src/page/resp.c src/page/resp.h \
	src/page/result.c \
	src/page/route.c src/page/route.h \
	src/page/texts.c \
	src/page/tutor.c \
	src/page/verdict.c src/page/verdict.h \
	src/page/votes.c

# Pages as they lie, and what browsers fetch beside them.
templatesdir = $(pkgdatadir)/templates
dist_templates_DATA = $(page_templates)
page_templates = \
	templates/accessibility.xhtml templates/arena.xhtml \
	templates/forum.xhtml templates/forum-edit.xhtml \
	templates/forum-history.xhtml templates/forum-new.xhtml \
	templates/forum-search.xhtml templates/report.xhtml \
	templates/ta.xhtml templates/ta-thread.xhtml \
	templates/reports.xhtml templates/topic.xhtml \
	templates/compare.xhtml templates/marks.svg templates/pictures.xhtml templates/plot.svg templates/raters.xhtml \
	templates/error.xhtml templates/feed.atom templates/footer.xhtml templates/head.xhtml \
	templates/header.xhtml templates/home.xhtml \
	templates/last-resort.xhtml templates/leaderboard.xhtml \
	templates/match-over.xhtml templates/match-wait.xhtml \
	templates/match.xhtml templates/messages.xhtml \
	templates/admin-endpoints.xhtml \
	templates/methodology.xhtml templates/notices.xhtml \
	templates/preferences.xhtml \
	templates/privacy.xhtml templates/problems.xhtml \
	templates/prompt.xhtml templates/result.xhtml templates/votes.xhtml
staticdir = $(pkgdatadir)/htdocs/static
dist_static_DATA = htdocs/static/arena.css htdocs/static/arena.js \
	htdocs/static/icon.svg htdocs/static/icon-192.png htdocs/static/sw.js
static_soundsdir = $(staticdir)/sounds
dist_static_sounds_DATA = \
	htdocs/static/sounds/bell.mp3 htdocs/static/sounds/bell.ogg \
	htdocs/static/sounds/drop.mp3 htdocs/static/sounds/drop.ogg
EXTRA_DIST += build-aux/make-sounds
static_errordir = $(staticdir)/error
dist_static_error_DATA = htdocs/static/error/400.xhtml \
	htdocs/static/error/401.xhtml htdocs/static/error/403.xhtml \
	htdocs/static/error/404.xhtml htdocs/static/error/405.xhtml \
	htdocs/static/error/413.xhtml htdocs/static/error/414.xhtml \
	htdocs/static/error/503.xhtml

# Its tests.
page_tests = tests/page/auth.t tests/page/csrf.t tests/page/dispatch.t \
	tests/page/form.t tests/page/language.t tests/page/match.t tests/page/owntext.t \
	tests/page/pages.t tests/page/poll.t tests/page/route.t \
	tests/page/templates.t
check_PROGRAMS += $(page_tests)
TESTS += $(page_tests)
# Templates and the sample catalog are found from here.
EXTRA_DIST += tests/page/site.h
tests_page_auth_t_SOURCES = tests/page/auth.c tests/page/site.h tests/tap.h
tests_page_auth_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_auth_t_LDADD = $(libarena_libs)
tests_page_csrf_t_SOURCES = tests/page/csrf.c tests/page/site.h tests/tap.h
tests_page_csrf_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_csrf_t_LDADD = $(libarena_libs)
tests_page_dispatch_t_SOURCES = tests/page/dispatch.c tests/page/site.h \
	tests/tap.h
tests_page_dispatch_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_dispatch_t_LDADD = $(libarena_libs)
tests_page_form_t_SOURCES = tests/page/form.c tests/tap.h
tests_page_form_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_form_t_LDADD = $(libarena_libs)
tests_page_language_t_SOURCES = tests/page/language.c tests/page/site.h \
	tests/tap.h
tests_page_language_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_language_t_LDADD = $(libarena_libs)
tests_page_match_t_SOURCES = tests/page/match.c tests/page/site.h tests/tap.h
tests_page_match_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_match_t_LDADD = $(libarena_libs)
tests_page_pages_t_SOURCES = tests/page/pages.c tests/page/site.h tests/tap.h
tests_page_pages_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_pages_t_LDADD = $(libarena_libs)
tests_page_poll_t_SOURCES = tests/page/poll.c tests/page/site.h tests/tap.h
tests_page_poll_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_poll_t_LDADD = $(libarena_libs)
tests_page_owntext_t_SOURCES = tests/page/owntext.c tests/page/site.h \
	tests/tap.h
tests_page_owntext_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_owntext_t_LDADD = $(libarena_libs)
tests_page_route_t_SOURCES = tests/page/route.c tests/tap.h
tests_page_route_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_route_t_LDADD = $(libarena_libs)
tests_page_templates_t_SOURCES = tests/page/templates.c tests/tap.h
tests_page_templates_t_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)
tests_page_templates_t_LDADD = $(libarena_libs)
include tests/page/fill.mk
