#!/usr/bin/env bash
# style.sh - the house rules that a program can check.
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh

out=$(build-aux/checksrc . 2>&1)
ok "no banned call, no upward include, one port a library" $?
[ -z "$out" ] || diag "$out"

# The checker itself: planted faults must be found.
plant=$(mktemp -d)
mkdir -p "$plant"/{src/{base,port,rate,model,view,page,cmd},po,tests,bench}
cat >"$plant/src/base/x.c" <<'C'
/* This file knows how to be wrong. */
#include "model/vote.h"
#include <sqlite3.h>
void f(char *d) { sprintf(d, "%d", 1); /* atoi(d) */ }
C
printf '/* nothing */\nint g(void);\n' >"$plant/src/page/y.c"
printf 'const char *q = "SELECT 1 FROM t";\nconst char *m = "<p>x</p>";\n' >>"$plant/src/page/y.c"
out=$(build-aux/checksrc "$plant" 2>&1)
has "checksrc sees a banned call" "$out" "x.c:4: the call sprintf()"
has "checksrc sees an upward include" "$out" "x.c:2: src/base may not include model/vote.h"
has "checksrc sees a foreign header" "$out" "x.c:3: the headers of SQLite"
has "checksrc sees SQL in a page" "$out" "y.c:3: SQL belongs"
has "checksrc sees markup in a page" "$out" "y.c:4: markup belongs"
has "checksrc sees a file without its sentence" "$out" "y.c:1: begin with"
hasnt "checksrc reads no comments" "$out" "atoi"
rm -rf "$plant"

# Every header stands alone.
flags=$(pkg-config --cflags libxml-2.0 sqlite3 libcurl jansson libsodium 2>/dev/null)
bad=
for h in $(find src -name '*.h' | sort); do
	# shellcheck disable=SC2086
	printf '#include "%s"\n' "${h#src/}" |
		gcc -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -Isrc -I"${BUILD:-build}/check" $flags -x c - 2>/tmp/h.$$ ||
		bad="$bad $h"
done
rm -f /tmp/h.$$
is "every header compiles by itself" "$bad" ""

# Long functions, long files.
long=$(awk '
	FNR == 1 { infn = 0 }
	/^[a-z_].*\(/ && !/;$/ { name = $0; start = FNR }
	/^\{/ { infn = 1; start = FNR }
	/^\}/ && infn { infn = 0; if (FNR - start > 100) print FILENAME ":" start ": " FNR - start " lines" }
' $(find src -name '*.c'))
is "no function is over 100 lines" "$long" ""

files=$(find src po -name '*.c' -o -name '*.h' | sort)
# shellcheck disable=SC2086
out=$(clang-format --dry-run -Werror $files 2>&1 | grep -c 'error:')
is "clang-format would change nothing" "$out" 0

for s in quickstart .ci/run build-aux/*.sh tests/*.sh tests/*/*.sh; do
	bash -n "$s" 2>/dev/null
	ok "$s parses" $?
done

for x in $(find conf schema templates htdocs -name '*.xml' -o -name '*.xsd' -o -name '*.xhtml' -o -name '*.svg' | sort); do
	xmllint --noout --nonet "$x" 2>/dev/null
	ok "$x is well-formed" $?
done
tap_done
