#!/usr/bin/env bash
# Teachers and administrators find their pages from every page; others see no
# link to them.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }

# The links of the footer that are for staff, one a line.
links() { sed -n '/aria-label="For teachers and administrators"/,/<\/nav>/p' <<<"$BODY" |
	grep -o 'href="[^"]*"' | cut -d'"' -f2; }
as() { get "$DIR/$1" "$AUTH$2" -u "$1:$1"; }

get "$DIR/guest" "$BASE/"
is "a guest sees no link for staff" "$(links)" ""
as alice /
is "nor does a student" "$(links)" ""
as teacher /leaderboard
is "a teacher sees those for teachers" "$(links | xargs)" "/forum/reports"
as admin /leaderboard
is "an administrator sees all" "$(links | sort | xargs)" \
	"/admin/endpoints /forum/reports /metrics /raters"
for path in $(links); do
	as admin "$path"
	is "$path answers an administrator" "$STATUS" 200
	[ "$path" = /metrics ] ||
		has "$path: the link says that one is there" "$BODY" "href=\"$path\" aria-current=\"page\""
	as alice "$path"
	is "$path is not for a student" "$STATUS" 403
	get "$DIR/guest" "$BASE$path"
	is "$path is not for a guest" "$STATUS" 403
done
as teacher /raters
is "nor are an administrator's for a teacher" "$STATUS" 403
tap_done
