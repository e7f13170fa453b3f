#!/usr/bin/env bash
# `prompt-arena check` as an administrator meets it: on the sample that ships,
# on broken files, and on databases that are none.
set -u
: "${SRCDIR:=$(cd "$(dirname "$0")/../.." && pwd)}" "${BUILDDIR:=.}"
# shellcheck source=tests/tap.sh
. "$SRCDIR/tests/tap.sh"
program=$BUILDDIR/prompt-arena
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset PROMPT_ARENA_CONF PROMPT_ARENA_STATE
export PROMPT_ARENA_DATADIR=$SRCDIR
state=$work/state conf=$work/conf
mkdir "$state"

fresh() {
	chmod -R u+w "$conf" 2>/dev/null
	rm -rf "$conf"
	cp -R "$SRCDIR/conf" "$conf" && chmod -R u+w "$conf"
}
secret() { (umask 077 && echo 0123456789abcdef-not-to-be-told >"$state/secret"); }
run() { "$program" check "$@" >"$work/out" 2>"$work/err" </dev/null; status=$?; }
out() { cat "$work/out"; }
err() { cat "$work/err"; }
tree() { find "$conf" "$state" -type f -exec sha256sum {} + | sort -k2; }

# --- the sample that ships -------------------------------------------------
fresh
run --conf "$conf" --state "$state"
is "the sample wants a secret first: exit status" "$status" 78
has "... names the file and its line" "$(err)" "$conf/arena.xml:"
has "... and says how to make it" "$(err)" "head -c 32 /dev/urandom"
has "... and counts faults" "$(err)" "1 fault"
is "... and writes nothing to standard output" "$(out)" ""

secret
before=$(tree)
run --conf "$conf" --state "$state"
is "the sample is in order: exit status" "$status" 0
case $(out) in
[0-9]*" prompts, "[0-9]*" versions, "[0-9]*" questions, "[0-9]*" answers, 1 activity, 1 setup: everything is in order")
	ok "... says how much there is" 0 ;;
*) ok "... says how much there is: $(out)" 1 ;;
esac
is "... and has no word of complaint" "$(err)" ""
is "... and nothing was changed or made" "$(tree)" "$before"
run --conf "$conf/arena.xml" --state "$state"
is "the file itself may be named" "$status" 0
run --conf "$conf/demo.xml" --state "$state"
is "the demonstration is in order" "$status" 0
# Formulas are shown as written, so those that ship are written to be read.
is "no ready-made answer shows commands of TeX" \
	"$(grep -rlE '\\(frac|sqrt|sum|mu|sigma|lambda|le|ge|cdot|mid|bar|pm)\>' "$conf/answers")" ""
PROMPT_ARENA_CONF=$conf PROMPT_ARENA_STATE=$state run
is "the environment says where" "$status" 0
(cd "$conf" && run --conf . --state "$state"; exit "$status")
is "a relative path will do" $? 0

# --- all faults, not only the first ----------------------------------------
fresh
sed -i 's/<title>Socratic guide/<title>/; s/>concise</>consise</' \
	"$conf/prompts.xml"
sed -i '0,/type="knowledge"/s//type="knowlege"/' "$conf/questions.xml"
sed -i '0,/setup="sample"/s//setup="smaple"/' "$conf/answers.xml"
printf 'bell \007\n' >"$conf/questions/mutable-default.txt"
run --conf "$conf" --state "$state"
is "faults in several files: exit status" "$status" 78
has "... a title" "$(err)" "prompts.xml:6: <title>"
has "... a tag, with the nearest name" "$(err)" 'did you mean "concise"?'
has "... a type, with the nearest name" "$(err)" 'did you mean "knowledge"?'
has "... a setup, with the nearest id" "$(err)" 'write setup="sample"'
fresh
printf 'bell \007\n' >"$conf/questions/mutable-default.txt"
: >"$conf/prompts/socratic-1.txt"
run --conf "$conf" --state "$state"
has "... a control character in a text, with its line" "$(err)" \
	"questions/mutable-default.txt:1: this line holds the invisible"
has "... an empty text, and who names it" "$(err)" "prompts.xml expects"
has "... and counts them" "$(err)" "2 faults"
fresh
sed -i 's/k="32"/k="3200"/' "$conf/arena.xml"
run --conf "$conf" --state "$state"
is "a number out of range: exit status" "$status" 78
has "... says the range" "$(err)" 'is "3200"; a number from 1 to 200'

# --- things that are not a configuration -----------------------------------
run --conf "$work/nowhere" --state "$state"
is "no such folder: exit status" "$status" 78
has "... says what to copy" "$(err)" "copy the sample folder"
ln -s loop "$work/loop"
run --conf "$work/loop/arena.xml" --state "$state"
is "a folder that cannot be entered: exit status" "$status" 78
hasnt "... is not said to lack the file" "$(err)" "no such file"
has "... and why is said in words" "$(err)" "cannot be read (Too many levels of symbolic links)"
if [ "$(id -u)" != 0 ]; then
	mkdir "$work/shut" && cp "$conf/arena.xml" "$work/shut" && chmod 0 "$work/shut"
	run --conf "$work/shut/arena.xml" --state "$state"
	has "a folder of somebody else's" "$(err)" "permissions of it and of its folders"
	chmod 700 "$work/shut"
fi
mkdir "$work/empty"
PROMPT_ARENA_DATADIR=$work/empty run --conf "$conf" --state "$state"
is "no schemas: exit status" "$status" 78
has "... names the schema" "$(err)" "schema/arena.xsd"
run --confg "$conf"
is "an unknown option: exit status" "$status" 64
has "... shows the usage" "$(err)" "usage: prompt-arena check"
run "$conf"
is "a path without its option: exit status" "$status" 64
run --conf
is "an option without its path: exit status" "$status" 64
run --help
is "--help: exit status" "$status" 0
has "... explains itself" "$(out)" "--state DIR"

# --- databases --------------------------------------------------------------
fresh
db() { run --conf "$conf" --state "$state"; }
printf 'this is no database, only a text that is long enough to look at' \
	>"$state/arena.db"
db
is "a file that is no database: exit status" "$status" 78
has "... is named" "$(err)" "$state/arena.db: the database cannot be used"
: >"$state/arena.db"
db
is "an empty database file: exit status" "$status" 78
rm "$state/arena.db"
echo '{"n":1}' >"$state/votes.log"
db
is "a ledger without its database: exit status" "$status" 78
has "... says what to do" "$(err)" "put a backup"
rm "$state/votes.log"
ln -s "$work/nowhere.db" "$state/arena.db"
db
is "a link that leads nowhere: exit status" "$status" 78
has "... is named" "$(err)" "arena.db: a symbolic link that leads nowhere"
PROMPT_ARENA_CONF=$conf "$program" recompute --rebuild --state "$state" >"$work/out" 2>"$work/err"
[ -L "$state/arena.db" ]
ok "... and is never replaced" $?
rm "$state/arena.db"
stored_as() { # DATABASE: what check says of it
	fresh
	sed -i "s|<storage database=[^/]*/>|<storage database=\"$1\"/>|" "$conf/arena.xml"
	db
}
for name in votes.log arena.key; do
	stored_as "$name"
	is "a database called $name: exit status" "$status" 78
	has "... is told" "$(err)" "another file of the program"
done
stored_as "$work/not/there/arena.db"
is "a database in a folder that no start can make: exit status" "$status" 78
has "... is told" "$(err)" "is not there and cannot be made"
stored_as "$work/not/arena.db"
is "one in a folder that a start makes: exit status" "$status" 0
fresh
run --conf "$conf" --state "$work/state/yet"
has "a state folder that is not there yet lacks only the secret" \
	"$(err)" "1 fault"

# --- pages -------------------------------------------------------------------
fresh
cp -R "$SRCDIR/templates" "$conf/templates" && chmod -R u+w "$conf"
sed -i 's|<roles>|<templates folder="templates"/>\n  <roles>|' "$conf/arena.xml"
db
is "templates of one's own: exit status" "$status$(err)" 0
line=$(grep -n 't:text=' "$conf/templates/home.xhtml" | head -n 1 | cut -d: -f1)
sed -i "${line}s/t:text=\"[^\"]*\"/t:text=\"no_such_name\"/" \
	"$conf/templates/home.xhtml"
printf 'bell \007\n' >"$conf/questions/mutable-default.txt"
db
is "a template with an unknown name: exit status" "$status" 78
has "... is told with file and line" "$(err)" \
	"$conf/templates/home.xhtml:$line:"
has "... beside the faults of the catalog" "$(err)" \
	"questions/mutable-default.txt:1:"
fresh
sed -i 's|</site>|<privacy file="privacy.xhtml"/></site>|' "$conf/arena.xml"
echo '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>P</title></head
><body><script src="x.js"></script></body></html>' >"$conf/privacy.xhtml"
db
is "a statement with a script in it: exit status" "$status" 78
has "... is told with its line" "$(err)" "$conf/privacy.xhtml:2:"

# Every family of pages can be named in <access>, but those that must be open.
families=$(grep -oE '^[[:space:]]+"[a-z]+", ROLE_' "$SRCDIR/src/cmd/route.c" |
	sed 's/^[^"]*"//; s/".*//' | sort -u)
unnamed=
for name in $families; do
	case $name in
	privacy | accessibility | healthz | robots | favicon | hooks | worker) ;;
	*) grep -q "<xs:enumeration value=\"$name\"/>" \
		"$SRCDIR/schema/arena.xsd" || unnamed="$unnamed $name" ;;
	esac
done
has "the route table was read" "$families" leaderboard
is "every family of pages may stand in <access>" "$unnamed" ""

# --- what leads out of the folder, and languages that are not there ---------
fresh
echo 'a text for nobody' >"$work/outside.txt"
file=$(grep -om1 'file="prompts/socratic[^"]*"' "$conf/prompts.xml" | cut -d'"' -f2)
ln -sf "$work/outside.txt" "$conf/$file"
run --conf "$conf" --state "$state"
is "a text by a symbolic link from elsewhere: exit status" "$status" 78
has "... names the line" "$(err)" "$conf/prompts.xml:$(grep -nm1 "$file" "$conf/prompts.xml" | cut -d: -f1): "
has "... and where it leads" "$(err)" "symbolic link to \"$(realpath "$work/outside.txt")\""
fresh
mv "$conf/prompts" "$conf/texts" && ln -s texts "$conf/prompts"
ln -s "$conf" "$work/also"
run --conf "$work/also" --state "$state"
is "links within the folder, and to it, are nobody's business" "$status$(err)" 0
sed -i 's|<lang>en</lang>|<lang>xx</lang>|' "$conf/arena.xml"
run --conf "$conf" --state "$state"
is "a language without pages: exit status" "$status" 78
has "... names the line" "$(err)" "$conf/arena.xml:$(grep -n '<lang>xx' "$conf/arena.xml" | cut -d: -f1): <lang> is \"xx\""
has "... and what to write" "$(err)" "write en"
fresh

# --- secrets ----------------------------------------------------------------
chmod 644 "$state/secret"
db
is "a secret for everybody's eyes: exit status" "$status" 78
has "... says what to run" "$(err)" "chmod 600 $state/secret"
echo 'short-not-told' >"$state/secret"
chmod 600 "$state/secret"
db
is "a secret that is too short: exit status" "$status" 78
hasnt "... is not shown" "$(err)" "not-told"
secret

# --- the manual says all ----------------------------------------------------
man=$SRCDIR/man/prompt-arena-conf.5
missing=
for xsd in arena catalog; do
	for name in $(grep -oE '<xs:(element|attribute) name="[^"]*"' \
	    "$SRCDIR/schema/$xsd.xsd" | sed 's/.*name="//; s/"//' | sort -u); do
		grep -qE "(^\.(Ss|It Sy|Sy|Ql) |, )${name}( |\$)|^\.Ql .*<$name|Sy ${name}( |\$)" \
			"$man" || missing="$missing $xsd:$name"
	done
	for name in $(grep -oE '<xs:enumeration value="[^"]*"' \
	    "$SRCDIR/schema/$xsd.xsd" | sed 's/.*value="//; s/"//' | sort -u); do
		grep -qwe "$name" "$man" || missing="$missing $xsd=$name"
	done
done
is "the manual names every element, attribute and value" "$missing" ""
fresh
sed -n '/^\.Bd/,/^\.Ed/{//!p}; /^\.Ed/q' "$man" >"$conf/small.xml"
run --conf "$conf/small.xml" --state "$state"
is "the manual's smallest configuration is in order" "$status$(err)" 0

tap_done
