# vnu.sh - pages put by for the validator, and its verdict.  Source it after
# arena.sh: what a test leaves in $OUT is judged by vnu_finish.
# shellcheck shell=bash
export OUT
OUT=$(mktemp -d)
status=0 # of the test so far; 1 after any fault

# The last test of a script: the validator finds nothing in the pages and
# pictures.  Its further arguments are the validator's.
vnu_finish() {
	local vnu=${NODE_PATH:-/nonexistent}/vnu-jar/build/dist/vnu.jar found
	found=$(java -jar "$vnu" "$@" --xml --Werror --format gnu "$OUT"/*.xhtml 2>&1
		! compgen -G "$OUT/*.svg" >/dev/null ||
			java -jar "$vnu" "$@" --svg --Werror --format gnu "$OUT"/*.svg 2>&1)
	tap_n=0 tap_failed=0
	is "vnu finds nothing in $(find "$OUT" -type f | wc -l) pages and pictures" \
		"$(head -n 40 <<<"$found" | sed "s|$OUT||g")" ""
	rm -rf "$OUT"
	[ "$status" = 0 ] && [ "$tap_failed" = 0 ]
}
