#!/usr/bin/env bash
# fuzz.sh SECONDS: run the loader's fuzzer on seeds made from the good sample.
# Needs a build with CC=clang ./configure --enable-fuzzers --enable-sanitizers;
# run in its build folder after `make tests/conf/fuzz`.
set -eu
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
export SRCDIR
corpus=${CORPUS:-$(mktemp -d)}
mkdir -p "$corpus"
i=0
for f in arena.xml prompts.xml questions.xml answers.xml activities.xml \
    texts/short-1.txt; do
	{ printf "\\x0$i"; cat "$SRCDIR/tests/conf/good/$f"; } >"$corpus/seed-$i"
	i=$((i + 1))
done
# Every name and value that the schemas know.
grep -ohE '(name|value)="[^"]*"' "$SRCDIR"/schema/*.xsd | sed 's/^[a-z]*=//' |
	sed 's/\\/\\\\/g' | sort -u >"$corpus.dict"
exec ./tests/conf/fuzz -max_total_time="$1" -max_len=16384 -timeout=5 \
	-rss_limit_mb=1024 -dict="$corpus.dict" "$corpus"
