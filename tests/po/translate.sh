#!/usr/bin/env bash
# What makes pages in other languages: good translations get in, a bad one
# stops the build and is named by file and line.
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILDDIR=${BUILDDIR:-$SRCDIR/build/check}
. "$SRCDIR/tests/tap.sh"
if ! command -v itstool >/dev/null || ! command -v msgfmt >/dev/null; then
	echo "1..0 # SKIP itstool and gettext are not here"
	exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/templates" "$work/po"
cp "$SRCDIR/po/templates.its" "$work/po/"

cat >"$work/templates/x.xhtml" <<'X'
<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:t="urn:prompt-arena:template" lang="en" xml:lang="en">
<head><title>Board – <span t:text="site">Arena</span></title></head>
<body>
<main>
<h1 t:text="title">A sample</h1>
<p>The prompt <b t:text="first">Socratic</b> leads by <span t:text="gap">9</span> points.</p>
<p>See <a href="/votes" class="more">your votes</a> or skip.</p>
<ul><li data-word="many">{n} new from {who}</li></ul>
<nav aria-label="Pages of this list"><p class="actions"><a href="/a">First</a> <a href="/b">Second</a></p></nav>
</main>
</body>
</html>
X

# translation MSGID MSGSTR [MSGID MSGSTR...]: the .po file
translation() {
	printf 'msgid ""\nmsgstr ""\n"Project-Id-Version: x\\n"\n"PO-Revision-Date: 2026-01-01 00:00+0000\\n"\n"Last-Translator: x\\n"\n"Language-Team: x\\n"\n"Language: fa\\n"\n"MIME-Version: 1.0\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
	while [ $# -gt 0 ]; do
		printf '\nmsgid "%s"\nmsgstr "%s"\n' "${1//\"/\\\"}" "${2//\"/\\\"}"
		shift 2
	done
}

merge() {
	translation "$@" >"$work/po/fa.po"
	out=$(sh "$SRCDIR/build-aux/translate" merge "$work" po/fa.po \
		"$BUILDDIR/po/same" "$work/out" templates/x.xhtml 2>&1)
	status=$?
	page=$(cat "$work/out/fa/x.xhtml" 2>/dev/null)
}

leads='The prompt <b t:text="first">Socratic</b> leads by <span t:text="gap">9</span> points.'
see='See <a href="/votes" class="more">your votes</a> or skip.'

# --- what gets in ---
merge "$leads" 'با <span t:text="gap">9</span> امتیاز، <b t:text="first">Socratic</b> پیش است.' \
	'{n} new from {who}' '{who}: {n} تازه' 'Pages of this list' 'صفحه‌ها' First نخست
is "a translation is merged" "$status$out" 0
has "with its words, in its own order" "$page" '<p>با <span t:text="gap">9</span> امتیاز، <b t:text="first">Socratic</b> پیش است.</p>'
has "in what is heard as well" "$page" '<nav aria-label="صفحه‌ها">'
has "links like buttons are single sentences" "$page" '<a href="/a">نخست</a> <a href="/b">Second</a>'
has "what is not translated stays in English" "$page" "$see"
has "the page says its language and direction" "$page" 'lang="fa" xml:lang="fa" dir="rtl"'
ok "the English page is beside it" "$([ "$work/out/x.xhtml" -ef "$work/templates/x.xhtml" ]; echo $?)"
merge "$leads" ""
has "an empty translation is none" "$page" "$leads"

# --- what does not ---
# bad NAME WORD MSGID MSGSTR...: refused, saying WORD; the old page stays
bad() {
	local name=$1 word=$2 before=$page
	shift 2
	merge "$@"
	ok "$name is refused" "$([ "$status" != 0 ]; echo $?)"
	has "$name is named" "$out" "$word"
	is "$name leaves the old page" "$page" "$before"
}
bad "a lost value" 'x.xhtml:7: <b t:text="first">, or something in it, is missing' \
	"$leads" 'با <span t:text="gap">9</span> امتیاز پیش است.'
bad "a value twice" 'is only here' \
	"$leads" '<b t:text="first">S</b> <b t:text="first">S</b> <span t:text="gap">9</span> امتیاز'
bad "another value" 't:text="gab"' \
	"$leads" '<b t:text="first">S</b> با <span t:text="gab">9</span> امتیاز'
bad "another element" '<i t:text="gap">' \
	"$leads" '<b t:text="first">S</b> با <i t:text="gap">9</i> امتیاز'
bad "another link" 'href="/vote"' \
	"$see" '<a href="/vote" class="more">رأی‌ها</a> یا رد شدن'
bad "a lost class" '<a href="/votes"' \
	"$see" '<a href="/votes">رأی‌ها</a> یا رد شدن'
bad "a link without words" '<a href="/votes" class="more">, or something in it, is missing' \
	"$see" '<a href="/votes" class="more"></a> رأی‌ها یا رد شدن'
bad "an attribute of one's own" 'is only here' \
	"$see" '<a href="/votes" class="more" onclick="x()">رأی‌ها</a> یا رد شدن'
bad "broken markup" 'itstool failed' \
	"$see" '<a href="/votes" class="more">رأی‌ها یا رد شدن'
bad "an element in another's place" 'is missing' \
	"$leads" '<b t:text="first"><span t:text="gap">9</span></b> امتیاز'
bad "a lost {word} of the script" '{who} is missing here' \
	'{n} new from {who}' '{n} تازه'
bad "a {word} too many" 'more {placeholders}' \
	'{n} new from {who}' '{n} تازه از {who} {title}'
bad "a sentence that gettext refuses" 'msgfmt failed' \
	First '\q'
tap_done
