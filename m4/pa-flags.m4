dnl PA_FLAGS: our own compiler flags, kept apart from the user's CFLAGS.
AC_DEFUN([PA_TRY_FLAG], [
	pa_save_cflags=$CFLAGS
	CFLAGS="$CFLAGS $PA_CFLAGS -Werror $2"
	AC_MSG_CHECKING([whether $CC takes $2])
	AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
		[AC_MSG_RESULT([yes]); $1="$$1 $2"],
		[AC_MSG_RESULT([no])])
	CFLAGS=$pa_save_cflags
])

AC_DEFUN([PA_FLAGS], [
	AC_ARG_ENABLE([werror],
		[AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
		[], [enable_werror=no])
	AC_ARG_ENABLE([sanitizers],
		[AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
			[build with these sanitizers (yes: address,undefined)])],
		[], [enable_sanitizers=no])
	AC_ARG_ENABLE([fuzzers],
		[AS_HELP_STRING([--enable-fuzzers],
			[build the libFuzzer programs (needs clang)])],
		[], [enable_fuzzers=no])
	AC_ARG_ENABLE([coverage],
		[AS_HELP_STRING([--enable-coverage], [count executed lines])],
		[], [enable_coverage=no])

	PA_CFLAGS="-std=gnu17"
	PA_LDFLAGS=
	m4_foreach_w([flag], [-Wall -Wextra -Wpedantic -Wshadow -Wcast-qual
		-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes
		-Wold-style-definition -Wpointer-arith -Wundef -Wvla -Wformat=2
		-Wnull-dereference -Wimplicit-fallthrough -Wunused-result
		-Werror=format-security -Werror=implicit-function-declaration
		-fno-common -fvisibility=hidden -ffp-contract=off
		-fstack-protector-strong -fstack-clash-protection
		-fcf-protection],
		[PA_TRY_FLAG([PA_CFLAGS], flag)])
	AS_IF([test "$enable_werror" = yes], [PA_CFLAGS="$PA_CFLAGS -Werror"])

	AS_CASE([$enable_sanitizers],
		[no], [AS_CASE([" $CFLAGS $CPPFLAGS "],
			[*_FORTIFY_SOURCE*|*" -O0 "*], [],
			[PA_CPPFLAGS="-D_FORTIFY_SOURCE=2"])],
		[yes], [enable_sanitizers=address,undefined])
	AS_IF([test "$enable_sanitizers" != no], [
		PA_CFLAGS="$PA_CFLAGS -fsanitize=$enable_sanitizers -fno-omit-frame-pointer -fno-sanitize-recover=all"
		PA_LDFLAGS="$PA_LDFLAGS -fsanitize=$enable_sanitizers"
		AC_DEFINE([PA_SANITIZERS], [1], [Define when built with sanitizers.])
	], [PA_LDFLAGS="$PA_LDFLAGS -pie -Wl,-z,relro -Wl,-z,now"
		PA_CFLAGS="$PA_CFLAGS -fPIE"])
	AS_IF([test "$enable_fuzzers" = yes], [
		PA_CFLAGS="$PA_CFLAGS -fsanitize=fuzzer-no-link"])
	AS_IF([test "$enable_coverage" = yes], [
		PA_CFLAGS="$PA_CFLAGS --coverage"
		PA_LDFLAGS="$PA_LDFLAGS --coverage"])
	AM_CONDITIONAL([FUZZERS], [test "$enable_fuzzers" = yes])
	AC_SUBST([PA_CPPFLAGS])
	AC_SUBST([PA_CFLAGS])
	AC_SUBST([PA_LDFLAGS])
])
