#!/usr/bin/env bash
# verify, recompute and backup on a real arena: what they say and how they exit.
set -u
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILDDIR:=.}"
# shellcheck source=tests/tap.sh
. "$SRCDIR/tests/tap.sh"
program=$BUILDDIR/prompt-arena
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export PROMPT_ARENA_DATADIR=$SRCDIR PROMPT_ARENA_STATE=$work
export PROMPT_ARENA_CONF=$SRCDIR/conf/demo.xml
unset PROMPT_ARENA_FAILPOINT
(umask 077 && echo "0123456789abcdef-not-to-be-told" >"$work/secret")

run() { "$program" "$@" >"$work/out" 2>"$work/err" </dev/null; status=$?; }
out() { cat "$work/out"; }
err() { cat "$work/err"; }

for c in verify recompute backup; do
	run $c --help
	is "$c --help" "$status" 0
	has "... its usage" "$(out)" "usage: prompt-arena $c"
	run $c --nonsense x y
	is "$c with nonsense" "$status" 64
done
run verify --database "$work/none.db"
is "verify without a database" "$status" 66
run recompute --database "$work/none.db"
is "recompute without one" "$status" 66
run backup --database "$work/none.db" "$work/copy.db"
is "backup of none" "$status" 66
run verify --conf /nonexistent
is "verify without a configuration" "$status" 78

run simulate --votes 300 --seed 3
is "an arena with 300 votes" "$status" 0
db=$(find "$work" -name '*.db' | head -n 1)
log=$(dirname "$db")/votes.log
if [ ! -s "$db" ] || [ ! -s "$log" ]; then
	diag "$(err)"
	echo "Bail out! no database and no ledger"
	exit 1
fi
run verify
is "verify" "$status" 0
has "... the database" "$(out)" "ok       database:"
has "... the ledger" "$(out)" "each digest, each link"
has "... the ratings" "$(out)" "to the bit"
has "... the receipts" "$(out)" "and 300 receipts"
has "... in all" "$(out)" "verified"

# The chain by other tools: sha256sum has never seen our code.
prev=$(printf '0%.0s' $(seq 64)) bad=0 n=0
while IFS= read -r line; do
	n=$((n + 1))
	h=$(printf %s "${line%,\"h\":*}" | sha256sum | cut -d' ' -f1)
	case $line in
	"{\"n\":$n,"*"\"prev\":\"$prev\",\"h\":\"$h\"}") ;;
	*) bad=$((bad + 1)) ;;
	esac
	prev=$h
done < <(head -n 60 "$log")
is "sha256sum finds the same chain" "$bad" 0

ratings() { sqlite3 -readonly "$db" "SELECT quote(elo), * FROM rating ORDER BY scope, setup, version" | sha256sum; }
before=$(ratings)
run recompute
is "recompute" "$status" 0
has "... says that nothing changed" "$(out)" "are the same"
is "... the ratings are the same bytes" "$(ratings)" "$before"
sqlite3 "$db" "UPDATE rating SET wins = wins + 1 WHERE scope = 'all'"
run verify
is "verify of a forged rating" "$status" 65
has "... says where" "$(out)" "scope all: stored"
run recompute
is "recompute mends it" "$status" 0
has "... and says so" "$(out)" "have changed"
is "... to the same bytes" "$(ratings)" "$before"

cp "$db" "$work/first.db"
# Another K in the configuration: other ratings; and the old K the old ones.
cp -R "$SRCDIR/conf" "$work/conf"
chmod -R u+w "$work/conf"
sed -i 's/<elo k="32"/<elo k="16"/' "$work/conf/demo.xml"
run recompute --conf "$work/conf/demo.xml"
is "recompute under another K" "$status" 0
has "... says so" "$(out)" "K = 16"
has "... and that they changed" "$(out)" "have changed"
run verify
is "... which verifies under the K that was used" "$status" 0
has "... but for the receipts of the other" "$(out)" "and 0 receipts"
run recompute
is "... back" "$status" 0
is "... to the same bytes" "$(ratings)" "$before"

run backup "$work/copy.db"
is "backup" "$status" 0
has "... names both files" "$(out)" "$work/copy.db.votes.log"
cmp -s "$log" "$work/copy.db.votes.log"
ok "... the ledger whole" $?
is "... not readable by others" "$(stat -c %a "$work/copy.db" "$work/copy.db.votes.log" | tr '\n' ' ')" "600 600 "
run backup "$work/copy.db"
is "backup never overwrites" "$status" 65
mkdir "$work/restored"
cp "$work/copy.db" "$work/restored/arena.db"
cp "$work/copy.db.votes.log" "$work/restored/votes.log"
run verify --database "$work/restored/arena.db"
is "the copy verifies" "$status" 0

"$program" verify >/dev/full 2>"$work/err"
is "verify that cannot say its findings" "$?" 74

# No database: told by its name, and left as it is.
head -c 8192 /dev/zero | tr '\0' x >"$work/restored/arena.db"
run recompute --database "$work/restored/arena.db"
is "recompute of a file that is no database" "$status" 78
has "... names the file" "$(err)" "$work/restored/arena.db: damaged"
is "... and leaves it" "$(tr -d x <"$work/restored/arena.db" | wc -c)" 0

# Lock held: by flock(1), as a running service holds it.
exec 9>>"$db.lock"
flock -n 9
run recompute
is "recompute beside a service" "$status" 75
run verify
is "verify beside a service" "$status" 0
exec 9>&-

# Damage: each is found, with its place, and the file is left alone.
cp "$log" "$work/whole.log"
n_last=$(wc -l <"$log")
damaged() { # NAME PIECE
	local sum
	sum=$(sha256sum "$log")
	run verify
	is "verify: $1" "$status" 65
	has "... says where" "$(out)" "$2"
	is "... and touches nothing" "$(sha256sum "$log")" "$sum"
	cp "$work/whole.log" "$log"
}
sed -i '100s/"w":"[^"]*"/"w":"tie"/;100s/"c":1/"c":0/' "$log"
damaged "a changed verdict" "line 100 "
sed -i 120d "$log"
damaged "a missing line" "line 121 "
: >"$log"
damaged "an empty ledger" "lines 1 to"
printf hello >>"$log"
damaged "what is no piece of a line" "no piece of a line"
printf hello >>"$log"
run recompute
is "... with which nothing starts" "$status" 78
cp "$work/whole.log" "$log"

# What a sudden end leaves is healthy: a start completes it.
healthy() { # NAME PIECE
	run verify
	is "verify: $1" "$status" 0
	has "... is a note" "$(out)" "note     votes.log: $2"
	has "... for the rest is verified" "$(out)" "verified"
}
sed -i '$d' "$log"
healthy "a missing end" "lines $n_last to $n_last are in the database alone"
has "... says what to do" "$(out)" "a start of the service appends them"
printf '{"n":%s,' "$n_last" >>"$log"
healthy "and a torn line" "a torn line"
sqlite3 "$db" "UPDATE ledger SET w = CASE w WHEN 'a' THEN 'b' ELSE 'a' END WHERE n = $n_last"
damaged "a forged row that no line confirms" "row $n_last of table ledger"
sqlite3 "$db" "UPDATE ledger SET w = (SELECT choice FROM vote WHERE vote.n = ledger.n) WHERE n = $n_last"
sed -i '$d' "$log"
printf '{"n":%s,' "$n_last" >>"$log"
run recompute
is "a start" "$status" 0
cmp -s "$log" "$work/whole.log"
ok "... makes it whole" $?
sqlite3 "$db" "PRAGMA user_version = 99"
run verify
is "verify of a newer database" "$status" 65
has "... names it" "$(out)" "database: $db was made by a newer prompt-arena (schema version 99)"
has "... in the log too" "$(err)" "store $db: made by a newer"
sqlite3 "$db" "PRAGMA user_version = 1"
sqlite3 "$db" "UPDATE vote SET choice = CASE choice WHEN 'a' THEN 'b' ELSE 'a' END WHERE n = 50"
run verify
is "verify: a vote and its line differ" "$status" 65
has "... says which" "$(out)" "line 50 "
sqlite3 "$db" "UPDATE vote SET choice = (SELECT w FROM ledger WHERE ledger.n = vote.n) WHERE n = 50"
# As it was before any other rule: that receipts can be compared.
rm -f "$db-wal" "$db-shm"
cp "$work/first.db" "$db"
cp "$db" "$work/whole.db"
forged() { # NAME SQL PIECE: one mismatch, which says where
	sqlite3 "$db" "$2"
	run verify
	is "verify: $1" "$status" 65
	is "... is one mismatch" "$(grep -c ^MISMATCH "$work/out")" 1
	has "... says which" "$(out)" "$3"
	rm -f "$db-wal" "$db-shm"
	cp "$work/whole.db" "$db"
}
counted=$(sqlite3 "$db" "SELECT n FROM vote WHERE counted AND n > 100 LIMIT 1")
forged "a receipt that tells other numbers" \
	"UPDATE vote SET after_a = after_a + 1 WHERE n = $counted" \
	"line $counted moved the ratings otherwise"
forged "a receipt without numbers" \
	"UPDATE vote SET before_b = NULL WHERE n = $counted" \
	"line $counted moved the ratings otherwise"
forged "a vote given to another voter" \
	"UPDATE vote SET voter = (SELECT max(id) FROM account WHERE id <> vote.voter) WHERE n = 60;
	UPDATE match SET voter = (SELECT voter FROM vote WHERE match = match.id) WHERE id = (SELECT match FROM vote WHERE n = 60)" \
	"line 60 and its vote name different voters (1 such)"
forged "a vote that is not its match's voter's" \
	"UPDATE match SET voter = (SELECT max(id) FROM account WHERE id <> match.voter) WHERE id = (SELECT match FROM vote WHERE n = 60)" \
	"line 60 is a vote by somebody else"
forged "a match moved to another activity" \
	"INSERT INTO activity (id, slug, title) VALUES (999, 'other', 'x');
	UPDATE match SET activity = 999 WHERE id = (SELECT match FROM vote WHERE n = 61)" \
	"line 61 and its match name different activities"
forged "a question by another name" \
	"UPDATE question SET slug = slug || '-x' WHERE id = (SELECT question FROM match JOIN vote ON vote.match = match.id WHERE n = 62)" \
	"and its match name different questions"
forged "an answer by another number" \
	"UPDATE answer SET sample = sample + 100 WHERE id = (SELECT answer_a FROM match JOIN vote ON vote.match = match.id WHERE n = 63)" \
	"and its match name different answers"
forged "another time of voting" \
	"UPDATE vote SET cast_at = cast_at - 1 WHERE n = 64" \
	"line 64 and the vote it is for say different times"
forged "a voted match that is open again" \
	"UPDATE match SET state = 'skipped' WHERE id = (SELECT match FROM vote WHERE n = 65)" \
	"line 65 is a vote, but its match is not marked"
forged "a match without its vote" \
	"UPDATE match SET state = 'voted' WHERE id = (SELECT min(id) FROM match WHERE state <> 'voted');
	INSERT INTO match SELECT max(id) + 1, 'abc', voter, activity, question, setup, answer_a, answer_b, 'voted', policy, probability, calibration, made_at, shown_at, ends_at, NULL FROM match" \
	"is marked as voted, but there is no vote"
forged "another text of a version" \
	"UPDATE version SET text = text || '!' WHERE id = 1" \
	"does not have the digest it is known by"
forged "another arena" \
	"UPDATE meta SET value = 'x' WHERE key = 'arena_uuid'" \
	"not the arena that line 1 opens"
forged "a foreign trigger" \
	"CREATE TRIGGER sly AFTER INSERT ON vote BEGIN UPDATE rating SET wins = 0; END" \
	"the trigger sly is none of this program's"
forged "a foreign view" "CREATE VIEW sly AS SELECT 1" \
	"the view sly is none of this program's"
forged "a foreign table" "CREATE TABLE vot (x)" \
	"the table vot is none of this program's"
forged "a foreign index" "CREATE INDEX sly ON vote (why)" \
	"the index sly is none of this program's"
run verify
is "the database unforged verifies" "$status" 0
sqlite3 "$db" "UPDATE ledger SET why = 'x' WHERE n = 70"
run verify
is "verify: a row and its line differ" "$status" 65
has "... says which" "$(out)" "line 70 "

# The database is lost.
rm -f "$db" "$db-wal" "$db-shm"
run recompute
is "a lost database is not made anew" "$status" 78
[ ! -e "$db" ]
ok "... indeed not" $?
has "... and says what to do" "$(err)" "--rebuild"
run recompute --rebuild
is "recompute --rebuild makes it from the ledger" "$status" 0
is "... with the same ratings" "$(ratings)" "$before"
run verify
is "... and it verifies" "$status" 0
tap_done
