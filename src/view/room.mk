# What src/view is made of.
libarena_a_SOURCES += \
	src/view/axis.c src/view/axis.h \
	src/view/compile.c src/view/compile.h \
	src/view/forbid.c src/view/forbid.h \
	src/view/lang.c src/view/lang.h \
	src/view/messages.c src/view/messages.h \
	src/view/plot.c src/view/plot.h \
	src/view/plot_board.c src/view/plot_time.c src/view/plots.h \
	src/view/scope.c src/view/scope.h \
	src/view/set.c src/view/view.h src/view/shape.h src/view/ops.h \
	src/view/write.c src/view/write.h

# Its tests.
view_tests = \
	tests/view/faults.t \
	tests/view/lang.t \
	tests/view/render.t
check_PROGRAMS += $(view_tests)
TESTS += $(view_tests)
EXTRA_DIST += \
	tests/view/golden/en.xhtml \
	tests/view/golden/fa.xhtml \
	tests/view/golden/zh-Hant-TW.xhtml \
	tests/view/sample/fa/head.xhtml \
	tests/view/sample/fa/header.xhtml \
	tests/view/sample/fa/messages.xhtml \
	tests/view/sample/fa/page.xhtml \
	tests/view/sample/head.xhtml \
	tests/view/sample/header.xhtml \
	tests/view/sample/messages.xhtml \
	tests/view/sample/page.xhtml \
	tests/view/sample/zh-Hant-TW/head.xhtml \
	tests/view/sample/zh-Hant-TW/header.xhtml \
	tests/view/sample/zh-Hant-TW/messages.xhtml \
	tests/view/sample/zh-Hant-TW/page.xhtml

tests_view_faults_t_SOURCES = tests/view/faults.c tests/view/sample.h
tests_view_faults_t_LDADD = $(libarena_libs)
tests_view_lang_t_SOURCES = tests/view/lang.c
tests_view_lang_t_LDADD = $(libarena_libs)
tests_view_render_t_SOURCES = tests/view/render.c tests/view/sample.h
tests_view_render_t_LDADD = $(libarena_libs)
