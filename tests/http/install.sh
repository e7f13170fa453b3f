#!/usr/bin/env bash
# INSTALL.md, word for word: its commands are run in their order, on a machine
# that only this test sees (a mount namespace whose /usr, /etc and /var are
# layers above the real ones), and what they have set up is used.
set -u
here=$(cd "$(dirname "$0")" && pwd)
PA_SRC=${PA_SRC:-$(cd "$here/../.." && pwd)}
BUILD=${BUILD:-$PA_SRC/build}
PATH=$PATH:/usr/sbin:/sbin
# shellcheck source=tests/tap.sh
. "$here/../tap.sh"

skip() {
	echo "ok 1 # SKIP $*"
	echo "1..1"
	exit 0
}

# Outside: a machine of our own, then once more from the top.
if [ -z "${INSTALL_TEST-}" ]; then
	[ "$(id -u)" = 0 ] || skip "only root can make a machine of its own"
	command -v systemd-socket-activate >/dev/null || skip "systemd is not here"
	INSTALL_TEST=$(mktemp -d) || exit 1
	export INSTALL_TEST
	trap 'rm -rf "$INSTALL_TEST"' EXIT
	mkdir "$INSTALL_TEST/layers" "$INSTALL_TEST/state"
	unshare -m true || skip "mount namespaces are not allowed here"
	unshare -m bash "$0"
	exit
fi

work=$INSTALL_TEST
mount --make-rprivate / && mount -t tmpfs layers "$work/layers" || exit 1
for dir in usr etc var srv; do
	mkdir -p "$work/layers/$dir" "$work/layers/$dir.work"
	mount -t overlay "$dir" -o "lowerdir=/$dir,upperdir=$work/layers/$dir,workdir=$work/layers/$dir.work" \
		"/$dir" || skip "layered folders are not allowed here"
done
mount -t tmpfs run /run
# A database must lie on a real disk, so this folder is no layer.
mkdir -p /var/lib/prompt-arena
mount --bind "$work/state" /var/lib/prompt-arena
rm -f /etc/nginx/sites-enabled/* /etc/nginx/conf.d/*

export FAKE_SYSTEMD=$work
mkdir "$work/bin"
ln -s "$here/../systemctl.sh" "$work/bin/systemctl"
ln -s /bin/true "$work/bin/apt-get"
PATH=$work/bin:$PATH

stop_all() {
	systemctl stop prompt-arena.service
	[ ! -s /run/nginx.pid ] || nginx -s stop
}
trap stop_all EXIT

. "$here/../arena.sh" # fetch and its friends, ports; no arena of its own
arena_ports || exit 1
SITE=arena.example.edu:$PORT
DIR=$work

# The commands of one chapter, with what a machine of its own cannot have
# changed by the edits: sed expressions.
steps() { # CHAPTER EDIT...
	local chapter=$1 edits=(-e '') edit
	shift
	for edit in "$@"; do edits+=(-e "$edit"); done
	awk -v head="## $chapter." 'index($0, head) == 1 { on = 1; next }
		/^## / { on = 0 } on && /^    / { print substr($0, 5) }' \
		"$PA_SRC/INSTALL.md" | sed "${edits[@]}" >"$work/step$chapter"
	[ -s "$work/step$chapter" ] &&
		(cd "${WHERE:-/}" && bash -eu "$work/step$chapter") \
		>"$work/step$chapter.log" 2>&1
}

# done_with NAME STATUS CHAPTER
done_with() {
	ok "$1" "$2"
	[ "$2" = 0 ] || diag "$(tail -n 25 "$work/step$3.log")"
}

mkdir -p "$BUILD/install"
[ -x "$PA_SRC/configure" ] || (cd "$PA_SRC" && autoreconf -fi) >/dev/null 2>&1
relative=$(realpath --relative-to="$BUILD/install" "$PA_SRC")
WHERE=$BUILD/install steps 1 '/^autoreconf/d' \
	"s|^\./configure|'$(sed 's/[&|\\]/\\&/g' <<<"$relative")'/configure -q|" \
	's/make && make check/make/'
status=$?
done_with "chapter 1: built and installed" $status 1
[ "$status" = 0 ] || { tap_done; exit 1; }
is "the program is where the units look for it" "$(command -v prompt-arena)" \
	/usr/bin/prompt-arena
ok "its user was made" "$(id prompt-arena >/dev/null 2>&1; echo $?)"
for page in prompt-arena.1 prompt-arena-rate.1 prompt-arena-conf.5; do
	ok "the manual page $page is there" \
		"$(test -s "/usr/share/man/man${page##*.}/$page"; echo $?)"
done
out=$(systemd-analyze verify --man=no /usr/lib/systemd/system/prompt-arena.service \
	/usr/lib/systemd/system/prompt-arena.socket 2>&1 | grep prompt-arena)
is "systemd finds the installed units in order" "$out" ""

steps 2
done_with "chapter 2: configured and checked" $? 2

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
	-days 2 -subj /CN=arena.example.edu -keyout /etc/ssl/private/arena.key \
	-out /etc/ssl/certs/arena.pem >/dev/null 2>&1
steps 3 "s/listen 443 ssl/listen 127.0.0.1:$PORT ssl/" \
	's/passwd -apr1/& alice-pw/'
done_with "chapter 3: nginx takes it" $? 3

curlrc=$work/.curlrc
printf 'resolve = "%s:127.0.0.1"\ncacert = /etc/ssl/certs/arena.pem\n' \
	"$SITE" >"$curlrc"
export CURL_HOME=$work
steps 4 "s|https://arena.example.edu|--fail https://$SITE|"
done_with "chapter 4: started and healthy" $? 4

BASE=https://$SITE jar=$work/jar
as() { "$1" "$jar" "$2" -u alice:alice-pw "${@:3}"; }
get "$jar" "$BASE/"
is "nobody comes in without a password" "$STATUS" 401
as get "$BASE/"
is "alice reads the home page" "$STATUS" 200
has "and is known" "$BODY" "alice"
for url in $(grep -oE '(href|src)="/static/[^"]*"' <<<"$BODY" |
    cut -d'"' -f2 | sort -u); do
	get "$jar" "$BASE$url"
	is "$url is installed and served" "$STATUS" 200
done
as get "$BASE/arena"
CSRF=$(csrf)
as post "$BASE/arena" -d type=any --data-urlencode "csrf=$CSRF"
is "she gets a match" "$STATUS" 303
MATCH=$(absolute "$LOCATION" "$BASE")
as get "$MATCH"
is "sees it" "$STATUS" 200
has "with two answers" "$BODY" "Answer B"
CSRF=$(csrf)
as post "$MATCH" -d choice=a -d do=vote --data-urlencode "csrf=$CSRF"
is "votes" "$STATUS" 303
as get "$(absolute "$LOCATION" "$BASE")"
is "and sees the reveal" "$STATUS" 200
has "with her choice" "$BODY" "Your choice"
is "the state belongs to the service" \
	"$(stat -c %U:%a /var/lib/prompt-arena/arena.db)" prompt-arena:600

systemctl reload prompt-arena >"$work/reload.log" 2>&1
ok "a reload is accepted" $?
sed -i 's/<name>Prompt Arena/<name>Prompt Rodeo/' /etc/prompt-arena/arena.xml
systemctl reload prompt-arena >>"$work/reload.log" 2>&1
as get "$BASE/"
has "and a changed name is read" "$BODY" "Prompt Rodeo"

mkdir -p /srv/backup
steps 5
done_with "chapter 5: backed up, and all proven" $? 5
ok "the copy is there" "$(test -s /srv/backup/arena-*.db.votes.log; echo $?)"

# The administrator's commands, as root, must not take files from the service.
systemctl stop prompt-arena.service
prompt-arena verify >"$work/verify" 2>&1
ok "verify works while the service rests" $?
is "and leaves nothing that is not the service's" \
	"$(find /var/lib/prompt-arena ! -user prompt-arena)" ""
systemctl start prompt-arena.service
as get "$MATCH/result"
is "the service starts again and knows the vote" "$STATUS" 200
diag "$(grep -v ' notice: ' "$work/journal" | tail -n 5)"
tap_done
