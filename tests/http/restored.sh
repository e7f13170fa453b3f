#!/usr/bin/env bash
# An older database is put back: what was promised afterwards, and to whom.
. "$(dirname "$0")/../arena.sh"
arena_new || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/state/arena.db
[ -e "$db" ] || db=$(find "$DIR" -name arena.db | head -n 1)
j1=$DIR/j1 j2=$DIR/j2

votes_of() { get "$1" "$BASE/votes"; grep -o '/match/[a-z2-7]*' "$DIR/body" | sort -u; }

sample_program backup "$DIR/old.db" >"$DIR/backup.log" 2>&1
is "a backup beside the service" "$?" 0
new_match "$j1"
is "a guest of after the backup has a match" "$STATUS" 200
vote "$j1" a
is "and votes" "$STATUS" 303
first=$TOKEN
has "and finds the vote" "$(votes_of "$j1")" "$first"

# Without the newer ledger too: the older state as a whole.
sample_stop
rm -f "$db" "$db-wal" "$db-shm"
cp "$DIR/old.db" "$db"
cp "$DIR/old.db.votes.log" "$(dirname "$db")/votes.log"
CSRF=''
sample_start
is "the older state starts" "$?" 0
new_match "$j2"
is "another guest is given that number and has a match" "$STATUS" 200
vote "$j2" b
is "and votes" "$STATUS" 303
second=$TOKEN
has "and finds the vote" "$(votes_of "$j2")" "$second"

hasnt "the first guest's cookie does not lead to it" "$(votes_of "$j1")" "$second"
get "$j1" "$BASE/match/$second"
is "nor to the match" "$STATUS" 404
get "$j1" "$BASE/match/$second/result"
is "nor to what it revealed" "$STATUS" 404
get "$j1" "$BASE/preferences"
hasnt "they are no guest of ours" "$BODY" "Guest"
CSRF=''
new_match "$j1"
is "and begin anew" "$STATUS" 200
vote "$j1" tie
is "with an account of their own" "$STATUS" 303
hasnt "whose votes are others" "$(votes_of "$j2")" "$TOKEN"
tap_done
