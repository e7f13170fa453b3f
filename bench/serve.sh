#!/usr/bin/env bash
# serve.sh - how fast pages leave, as ratios to files that nginx sends itself.
#
# Each ratio is the median of 5 pairs: a static file of the same size, then
# the page, with the same load (wrk, 2 threads, 32 connections).  Only ratios
# mean anything; the machine's own speed does not.
. "$(dirname "$0")/../tests/arena.sh"
PAIRS=${PAIRS:-5} SECONDS_EACH=${SECONDS_EACH:-2}
export NGINX_WORKERS=1

# A catalog of 100 prompts, so that the board has 100 rows.
catalog() { # CONF FOLDER
	local p q
	{
		echo '<prompts xmlns="urn:prompt-arena:catalog:1">'
		for p in $(seq 1 100); do
			echo "<prompt id=\"prompt-$p\" author=\"author-$p\"><title>Prompt number $p</title><description>The $p. of a hundred.</description><tag>concise</tag><version>Answer in the manner of prompt number $p.</version></prompt>"
		done
		echo '</prompts>'
	} >"$1/prompts.xml"
	{
		echo '<questions xmlns="urn:prompt-arena:catalog:1">'
		for q in $(seq 1 50); do
			echo "<question id=\"question-$q\" type=\"knowledge\" lang=\"en\"><text>What is the use of question $q?</text></question>"
		done
		echo '</questions>'
	} >"$1/questions.xml"
	{
		echo '<answers xmlns="urn:prompt-arena:catalog:1">'
		for q in $(seq 1 50); do
			for p in $(seq 1 100); do
				echo "<answer prompt=\"prompt-$p\" version=\"1\" question=\"question-$q\" setup=\"sample\" sample=\"1\">Prompt $p says that question $q is a good one.</answer>"
			done
		done
		echo '</answers>'
	} >"$1/answers.xml"
}

rate() { # URL [wrk arguments...]: requests per second
	local url=$1
	shift
	wrk -t2 -c32 -d"${SECONDS_EACH}s" "$@" "$url" 2>/dev/null |
		awk '/Non-2xx/ { bad = 1 } /Requests\/sec/ { r = $2 } END { print bad ? 0 : r }'
}

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# ratio NAME GOAL URL [wrk arguments...]
ratio() {
	local name=$1 goal=$2 url=$3 i a b size
	shift 3
	curl -s "$url" -o "$HTDOCS/static/bench.xhtml"
	size=$(stat -c %s "$HTDOCS/static/bench.xhtml")
	rate "$url" "$@" >/dev/null
	for i in $(seq 1 "$PAIRS"); do
		a=$(rate "$BASE/static/bench.xhtml")
		b=$(rate "$url" "$@")
		awk -v a="$a" -v b="$b" 'BEGIN { printf "%.3f\n", b / a }'
	done >"$DIR/ratios"
	printf '%-46s %6d B  %s of static  (%s to %s, wanted >= %s)\n' "$name" "$size" \
		"$(median <"$DIR/ratios")" "$(sort -g "$DIR/ratios" | head -n 1)" \
		"$(sort -g "$DIR/ratios" | tail -n 1)" "$goal"
}

# MB that serve holds once it has come to rest: nothing asked, nothing rated.
resident() {
	local before='' now
	while now=$(awk '{ print $14 + $15 }' "/proc/$SERVE_PID/stat") &&
		[ "$now" != "$before" ]; do
		before=$now
		read -rt 2 <> <(:)
	done
	awk '/VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$SERVE_PID/status"
}

# The static part is served from a copy, so that the source tree stays clean.
HTDOCS=$(mktemp -d)
cp -r "$PA_SRC/htdocs/." "$HTDOCS/"
real_locations=$(declare -f sample_locations)
eval "${real_locations/sample_locations/sample_locations_of_source}"
sample_locations() { sample_locations_of_source "$@" | sed "s|$PA_SRC/htdocs/|$HTDOCS/|"; }

DIR=$(mktemp -d)
cp -r "$PA_SRC/conf" "$DIR/conf"
CONF=$DIR/conf/demo.xml
arena_ports
sample_prepare
BASE=http://127.0.0.1:$PORT
trap 'arena_end; rm -rf "$HTDOCS"' EXIT
sample_start || exit 1
echo "RSS of serve, idle, as shipped: $(resident) MB (wanted <= 25)"
sample_stop
catalog "$DIR/conf"
sample_program simulate --votes 6000 --seed 1 >"$DIR/simulate.log" 2>&1 || { cat "$DIR/simulate.log"; exit 1; }
sample_start || exit 1
echo "RSS of serve, idle, 100 prompts and 6000 votes: $(resident) MB"
ratio "small page, rendered each time" 0.27 "$BASE/accessibility" -H 'Cookie: none=1'
ratio "board of 100 rows, rendered each time" 0.15 "$BASE/leaderboard" -H 'Cookie: none=1'
ratio "board of 100 rows, one-second cache" 0.7 "$BASE/leaderboard"
