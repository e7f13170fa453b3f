#!/usr/bin/env bash
# The forum over HTTP: topics, posts, edits, moderation, notices, the pair.
. "$(dirname "$0")/../arena.sh"
MORE_USERS="carol dave"
arena_new 's|</limits>|&|; s|<limits|<forum posts-per-minute="30" post-chars="5000"/>\n  <limits|' || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
sql() { sqlite3 -cmd '.timeout 5000' "$db" "$1"; }
sound_page() { # NAME
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$1 is well-formed" $?
}
for user in alice bob carol dave teacher; do as "$user" GET /preferences; done
as alice POST /preferences -d forum=1
as bob POST /preferences -d ta_desktop=1
as carol POST /preferences -d forum=1 -d sound=1
as teacher POST /preferences -d forum=1

as alice GET /forum
is "the forum answers" "$STATUS" 200
has "one activity is its own list" "$BODY" "No topic yet"
sound_page "an empty forum"
as alice GET "/forum/new?activity=everyone"
is "a topic can be started" "$STATUS" 200
as alice POST /forum/new -d activity=everyone -d title= --data-urlencode 'text=Kept **words** & <b>'
is "without a title it is refused" "$STATUS" 400
has "what was typed is kept" "$BODY" 'Kept **words** &amp; &lt;b&gt;'
has "the fault is named" "$BODY" "Give your topic a title."
sound_page "the refusal"
as alice POST /forum/new -d activity=everyone -d title=Only --data-urlencode 'text= '
is "without words it is refused" "$STATUS" 400
has "and the title is kept" "$BODY" 'value="Only"'
as alice POST /forum/new -d activity=everyone -d title=Long --data-urlencode "text=$(head -c 6000 /dev/zero | tr '\0' x)"
is "a post that is too long is refused" "$STATUS" 400
as alice POST /forum/new -d activity=everyone -d form=one --data-urlencode 'title=<img src=x onerror=alert(1)> & recursion' \
	--data-urlencode $'text=# Head\n\n<script>alert(1)</script>\n\n**bold** [x](javascript:alert(1)) ![i](http://evil.example/x.png)\n\n`vector<int>` a < b > c'
is "a topic is made" "$STATUS" 303
topic=$LOCATION
[[ $topic =~ ^/forum/[a-z2-7]{26}$ ]]
ok "under a token" $?
as alice POST /forum/new -d activity=everyone -d form=one -d title=Again -d text=Again
is "the same form again leads to it" "$LOCATION" "$topic"
is "and is one post" "$(sql 'SELECT count(*) FROM post')" 1
as bob GET "$topic"
is "bob reads it" "$STATUS" 200
sound_page "the topic"
has "P7: the title is text" "$BODY" '&lt;img src=x onerror=alert(1)&gt; &amp; recursion'
has "P7: raw HTML is text" "$BODY" '&lt;script&gt;alert(1)&lt;/script&gt;'
hasnt "P7: no image is fetched" "$BODY" 'src="http'
hasnt "P7: no script link" "$BODY" 'href="javascript'
has "Markdown works" "$BODY" '<strong>bold</strong>'
has "P8: every character is visible" "$BODY" 'vector&lt;int&gt;'
has "headings start below the page's own" "$BODY" '<h3'
has "the author is named" "$BODY" '>alice<'

# Notices: who wants them, once, never for one's own.
is "carol was told" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'carol'")" 1
is "the teacher was told once, with two roles" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'teacher'")" 1
is "bob, whose switch is off, was not" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'bob'")" 0
is "alice hears nothing of her own post" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'alice'")" 0
is "nothing is left to tell" "$(sql 'SELECT count(*) FROM post_telling')" 0
as carol GET /notices
has "the notice names who and where" "$BODY" 'alice</bdi> wrote in <bdi>&lt;img'
as bob POST "$topic" -d text=First
is "bob replies" "$STATUS" 303
has "and is led to his post" "$LOCATION" "#p2"
as bob POST "$topic" -d text=Second
as bob POST "$topic" -d text=Third
as carol GET "/notices.json?since=0"
has "carol has four" "$BODY" '"unread":4'
has "they pop up and ring" "$BODY" '"popup":true,"ring":true'
as carol GET "$topic"
has "P17: opening the topic" "$BODY" 'data-thread="topic:'
hasnt "P17: the page's own count agrees" "$BODY" 'class="unread">('
as carol GET "/notices.json?since=0"
has "P17: clears all its notices" "$BODY" '"unread":0'
as alice GET "/notices.json?since=0"
has "alice has three, of bob" "$BODY" '"unread":3'
as alice GET /notices
is "a busy topic is one line" "$(grep -c 'href="/notices/[0-9]' <<<"$BODY")" 1
has "that says how many there are" "$BODY" "and 2 messages before that"
has "and marks all of them" "$BODY" 'name="thread" value="topic:'
sound_page "the list of notices"
id=$(sql "SELECT max(n.id) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'alice'")
as alice GET "/notices/$id"
has "a notice leads to its post" "$LOCATION" "$topic/4"
as alice GET "$topic/4"
has "which leads to its page and place" "$LOCATION" "$topic?page=1#p4"
as alice GET "/notices.json?since=0"
has "and reads its thread" "$BODY" '"unread":0'

# Follow and mute.
as bob POST "$topic/set" -d do=follow
is "bob follows" "$STATUS" 303
as carol POST "$topic/set" -d do=mute
as alice POST "$topic" -d text=Fourth
is "a follower is told though the switch is off" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'bob' AND read_at IS NULL")" 1
is "who has muted it is not" "$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'carol' AND read_at IS NULL")" 0
as bob GET "/notices.json?since=0"
has "it does not pop up then" "$BODY" '"popup":false'
as bob GET /preferences
has "the preferences list what one follows" "$BODY" "$topic"
as bob POST "$topic/set" -d do=plain -d back=preferences
is "and lead back" "$LOCATION" /preferences
as bob GET /preferences
hasnt "and no more" "$BODY" "$topic"

# Who may not enter a forum (any more) hears nothing of it.
as bob POST "$topic/set" -d do=follow
as alice POST "$topic" -d 'text=The last that he hears'
sql "UPDATE activity SET grp = 'course-1'"
as bob GET "/notices.json?since=0"
has "outside, nothing is unread" "$BODY" '"unread":0'
hasnt "and no title is told" "$BODY" recursion
as bob GET /notices
hasnt "nor listed" "$BODY" recursion
as bob GET /preferences
hasnt "nor named as followed" "$BODY" "$topic"
as teacher POST "$topic" -d 'text=For the members'
as bob GET "/notices.json?since=0"
has "nor does anything new come" "$BODY" '"unread":0'
sql 'UPDATE activity SET grp = NULL'
as bob POST "$topic/set" -d do=plain
as teacher POST "$topic/6" -d do=hide
as teacher POST "$topic/7" -d do=hide

# Edit, history, delete.
as bob GET "$topic/2/edit"
is "one's own post can be edited" "$STATUS" 200
as bob POST "$topic/2/edit" -d text=
is "not to nothing" "$STATUS" 400
as bob POST "$topic/2/edit" --data-urlencode 'text=First, better'
is "the edit is stored" "$STATUS" 303
as alice GET "$topic"
has "it shows" "$BODY" "First, better"
has "that it was edited" "$BODY" "$topic/2/history"
as alice GET "$topic/2/history"
is "the history can be read" "$STATUS" 200
has "it has the earlier words" "$BODY" '>First<'
sound_page "the history"
as alice GET "$topic/2/edit"
is "nobody edits another's post" "$STATUS" 403
as alice POST "$topic/2/edit" -d text=Mine
is "not by a forged form either" "$STATUS" 403
as teacher POST "$topic/2/edit" -d text=Mine
is "nor does a teacher" "$STATUS" 403
as alice POST "$topic/2/edit" -d text=
is "nor to nothing" "$STATUS" 403
hasnt "and no form comes back" "$BODY" '<textarea'
as alice POST "$topic/999/edit" -d text=
is "what is not there cannot be edited, not even to nothing" "$STATUS" 404
as alice POST "$topic/999/edit" -d text=Mine
is "nor to something" "$STATUS" 404
as alice POST "$topic/2" -d do=delete
is "nobody deletes another's post" "$STATUS" 403
as bob POST "$topic/3" -d do=delete
is "its author deletes it" "$STATUS" 303
as teacher GET "$topic"
has "its place says so" "$BODY" "Deleted by its author."
hasnt "its words are gone" "$BODY" ">Second<"
is "also from the database" "$(sql "SELECT count(*) FROM post WHERE source LIKE 'Second%'")" 0
as bob GET "$topic/3/history"
is "and its history" "$STATUS" 404

# Moderation.
for verb in pin lock hide; do
	as alice POST "$topic/set" -d do=$verb
	is "a student cannot $verb" "$STATUS" 403
done
as alice POST "$topic/2" -d do=hide
is "nor hide a post" "$STATUS" 403
as teacher POST "$topic/2" -d do=hide
is "a teacher hides a post" "$STATUS" 303
as alice GET "$topic"
has "classmates see that" "$BODY" "Hidden by a teacher."
hasnt "but not its words" "$BODY" "First, better"
as bob GET "$topic"
has "its author still does" "$BODY" "First, better"
as alice GET "$topic/2/history"
is "its history is hidden as well" "$STATUS" 404
as bob POST "$topic/2/edit" -d text=Again
is "a hidden post cannot be edited" "$STATUS" 403
has "what was typed is kept" "$BODY" ">Again</textarea>"
has "to be copied" "$BODY" 'readonly="readonly"'
has "with the true reason" "$BODY" "A teacher has hidden this message"
hasnt "and no button that would fail again" "$BODY" ">Save<"
sound_page "an edit that is refused"
as bob GET "$topic/2/edit"
is "nor is the form offered for it" "$STATUS" 403
has "but the words and the reason are" "$BODY" "A teacher has hidden this message"
as bob POST "$topic/3/edit" -d 'text=Not gone'
is "a deleted post cannot be edited" "$STATUS" 403
has "for that reason" "$BODY" "This message has been deleted"
has "and what was typed is kept as well" "$BODY" ">Not gone</textarea>"
as teacher POST "$topic/2" -d do=show
as alice GET "$topic"
has "and shows it again" "$BODY" "First, better"
as teacher POST "$topic/set" -d do=pin
as teacher POST "$topic/set" -d do=lock
as alice GET "/forum?activity=everyone"
has "a pinned topic says so" "$BODY" "Pinned"
as alice POST "$topic" -d 'text=Too late'
is "a locked topic takes no reply" "$STATUS" 403
has "which says so" "$BODY" "takes no more"
has "and keeps what was typed" "$BODY" 'readonly="readonly">Too late</textarea>'
hasnt "without a button" "$BODY" ">Send<"
sound_page "a reply to a locked topic"
as bob POST "$topic/4/edit" -d 'text=Late as well'
is "nor an edit" "$STATUS" 403
has "which keeps the words too" "$BODY" ">Late as well</textarea>"
sql 'UPDATE activity SET retired = 1'
as alice POST "$topic" -d 'text=When all is over'
is "an activity that is over takes none" "$STATUS" 403
has "and says that it is over" "$BODY" "This activity is over"
has "with the words" "$BODY" ">When all is over</textarea>"
as alice POST /forum/new -d activity=everyone -d title=Late -d 'text=A new one'
is "nor a new topic" "$STATUS" 410
has "whose words are there to copy" "$BODY" ">A new one</textarea>"
sound_page "a refusal with the words"
sql 'UPDATE activity SET retired = 0'
as teacher POST "$topic" -d 'text=Locked, says the teacher'
is "but from teachers" "$STATUS" 303
as teacher POST "$topic/set" -d do=unlock
as teacher POST "$topic/set" -d do=hide
as bob GET "$topic"
is "a hidden topic does not exist" "$STATUS" 404
as bob GET "$topic/1"
is "nor its posts" "$STATUS" 404
as bob POST "$topic" -d 'text=Written meanwhile'
is "nor can one reply" "$STATUS" 404
has "but what was typed can be copied" "$BODY" ">Written meanwhile</textarea>"
as bob POST /forum/aaaaaaaaaaaaaaaaaaaaaaaaaa -d 'text=Written meanwhile'
is "as it can where there never was one" "$STATUS" 404
has "which tells nothing" "$BODY" ">Written meanwhile</textarea>"
fetch "$DIR/bob" POST "$AUTH$topic" -u bob:bob -d text=Planted -H 'Sec-Fetch-Site: cross-site'
hasnt "words that another site sends are not shown" "$BODY" Planted
as alice GET "$topic"
is "its author does not read it either" "$STATUS" 403
has "but hears why" "$BODY" "A teacher has hidden this topic"
as teacher GET "$topic"
is "a teacher sees it" "$STATUS" 200
as teacher POST "$topic/set" -d do=show
as teacher POST "$topic/set" -d do=unpin

# Reports.
as alice GET "$topic/2/report"
is "a post can be reported" "$STATUS" 200
as alice POST "$topic/2/report" --data-urlencode 'words=Kept words'
is "not without a reason" "$STATUS" 400
has "the words are kept" "$BODY" "Kept words"
as alice POST "$topic/2/report" -d reason=offensive --data-urlencode 'words=<b>It</b> hurts'
is "a report is taken" "$STATUS" 200
has "with thanks" "$BODY" "Thank you."
as alice POST "$topic/2/report" -d reason=spam -d words=again
is "the same person's second replaces the first" "$(sql 'SELECT count(*) FROM report')" 1
as alice GET /forum/reports
is "the queue is not for students" "$STATUS" 403
as teacher GET /forum
has "teachers see that it is not empty" "$BODY" "Reports waiting for a teacher: 1"
as teacher GET /forum/reports
has "and what is in it" "$BODY" "It is advertising, or nonsense"
html=$(sql "SELECT p.html FROM report w JOIN post p ON p.id = w.ref")
has "as it is read" "$BODY" "$html"
author=$(sql "SELECT coalesce(nullif(a.name, ''), a.login) FROM report w JOIN post p ON p.id = w.ref JOIN account a ON a.id = p.author")
has "who wrote it" "$(sed 's/<[^>]*>//g' <<<"$BODY")" "Written by $author"
has "and the way to where it can be hidden" "$BODY" "<a href=\"$topic/2\">Hide it"
sound_page "the queue"
as teacher POST /forum/reports -d id=1
as teacher GET "/forum/reports?done=1"
has "a report can be done" "$BODY" "Nothing waits for a teacher."

# Search.
as alice POST /forum/new -d activity=everyone --data-urlencode 'title=雜湊表的問題' --data-urlencode 'text=請問雜湊表什麼時候會變慢？ كتاب علي café'
zh=$LOCATION
for words in 雜湊 變慢 'کتاب' 'CAFE' 'علی' '"雜湊表"' '雜湊 慢'; do
	as bob GET "/forum/search" -G --data-urlencode "q=$words"
	has "search finds $words" "$BODY" "$zh/1"
done
# Words are found however a keyboard joins, parts or counts them.
as alice POST /forum/new -d activity=everyone --data-urlencode 'title=نیم‌فاصله' --data-urlencode 'text=کتاب‌ها را می‌خوانم، درس ۱۲ و Ｌｅｓｓｏｎ 34'
joined=$LOCATION
as alice POST /forum/new -d activity=everyone --data-urlencode 'title=بی نیم‌فاصله' --data-urlencode 'text=کتابها را می خوانم'
plain=$LOCATION
for words in 'کتاب‌ها' 'کتابها' 'را کتابها' 'می‌خوانم کتاب‌ها'; do
	as bob GET "/forum/search" -G --data-urlencode "q=$words"
	has "search finds $words where it is joined by ZWNJ" "$BODY" "$joined/1"
	has "and where it is not: $words" "$BODY" "$plain/1"
done
as bob GET "/forum/search" -G --data-urlencode "q=می خوانم"
has "so it does what is typed with a blank" "$BODY" "$joined/1"
for words in '12' '۱۲' '١٢' '۳۴' 'lesson' 'Ｌｅｓｓｏｎ' '１２'; do
	as bob GET "/forum/search" -G --data-urlencode "q=$words"
	has "search finds $words" "$BODY" "$joined/1"
done
for words in '變慢　雜湊' $'變慢\t雜湊' $'變慢\u00a0雜湊' '變慢　，　雜湊' '🎓 雜湊' '‌ 雜湊'; do
	as bob GET "/forum/search" -G --data-urlencode "q=$words"
	has "blanks of every kind part words: $words" "$BODY" "$zh/1"
done
for words in '"' '*' 'a* NEAR(b c)' 'x OR y' '(((((' "' OR 1=1 --" '-' '^a' 'words:x' '{a b} : c' "$(head -c 300 /dev/zero | tr '\0' '"')"; do
	as bob GET "/forum/search" -G --data-urlencode "q=$words"
	is "search is not broken by ${words:0:20}" "$STATUS" 200
done
as bob GET "/forum/search" -G --data-urlencode "q=Second"
hasnt "deleted words are not found" "$BODY" "$topic/3"
as teacher POST "$topic/2" -d do=hide
as bob GET "/forum/search" -G --data-urlencode "q=better"
hasnt "nor hidden ones" "$BODY" "$topic/2\""

# Discuss a match: A and B, without names; its readers never meet them blind.
new_match_as() { as "$1" GET /arena; as "$1" POST /arena -d type="${2:-any}"; MATCH=$LOCATION; as "$1" GET "$MATCH"; }
new_match_as dave
token=${MATCH##*/}
as dave GET "/forum/new?match=$token"
is "no discussion before one's own vote" "$STATUS" 403
as dave POST "$MATCH" -d choice=a -d do=vote
as dave GET "$MATCH/result"
has "the reveal offers it" "$BODY" "/forum/new?match=$token"
has "and a report" "$BODY" "$MATCH/report"
as dave GET "/forum/new?match=$token"
is "the form is there" "$STATUS" 200
has "with the answers" "$BODY" "Answer B"
sound_page "the form for a match"
as bob GET "/forum/new?match=$token"
is "nobody discusses another's match" "$STATUS" 404
as dave POST /forum/new -d match="$token" -d title=Which -d 'text=I wonder'
is "the topic is made" "$STATUS" 303
pair=$LOCATION
as dave GET "/forum/new?match=$token"
is "a match has one topic" "$LOCATION" "$pair"
names=$(sql "SELECT p.title FROM match m JOIN answer a ON a.id IN (m.answer_a, m.answer_b) JOIN version v ON v.id = a.version JOIN prompt p ON p.id = v.prompt WHERE m.token = '$token'")
as carol GET "$pair"
is "carol reads it" "$STATUS" 200
has "with both answers" "$BODY" 'Answer A</h2>'
sound_page "the discussion"
while read -r name; do hasnt "the page does not name $name" "$BODY" ">$name<"; done <<<"$names"
hasnt "nor the match" "$BODY" "$token"
hasnt "nor any vote" "$BODY" "Your choice"
is "both answers are seen by her" "$(sql "SELECT count(*) FROM seen_answer s JOIN account a ON a.id = s.account WHERE a.login = 'carol'")" 2
as carol GET "$pair"
is "once" "$(sql "SELECT count(*) FROM seen_answer")" 2
get "$DIR/stranger" "$BASE$pair"
hasnt "a visitor without an account is asked first" "$BODY" 'Answer A</h2>'
has "whether to read on" "$BODY" "Show the two answers"
hasnt "and reads no word of it" "$BODY" "I wonder"
post "$DIR/stranger" "$BASE$pair" -d do=enter
get "$DIR/stranger" "$BASE$pair"
has "then they are shown" "$BODY" 'Answer A</h2>'

# One of the answers in an open match of the reader: the match comes first.
new_match_as alice
atoken=${MATCH##*/}
sql "UPDATE match SET answer_a = (SELECT answer_b FROM match WHERE token = '$token') WHERE token = '$atoken' AND answer_b <> (SELECT answer_b FROM match WHERE token = '$token')" 2>"$DIR/err"
if [ "$(sql "SELECT count(*) FROM match o JOIN match m ON m.token = '$token' WHERE o.token = '$atoken' AND (o.answer_a IN (m.answer_a, m.answer_b) OR o.answer_b IN (m.answer_a, m.answer_b))")" = 1 ]; then
	as alice GET "$pair"
	has "an open match comes first" "$BODY" "First your own vote"
	hasnt "its answer is not shown" "$BODY" 'Answer A</h2>'
fi

# Too often.
as dave GET /preferences
for i in $(seq 1 40); do as dave POST "$topic" -d "text=Flood $i"; [ "$STATUS" = 303 ] || break; done
is "whoever writes very often waits" "$STATUS" 429
has "what was typed is kept" "$BODY" ">Flood $i</textarea>"
has "and told so" "$BODY" "Wait a minute"

# Pages.
as bob GET "$topic?page=2"
is "a second page exists by now" "$STATUS" 200
has "with posts from 26" "$BODY" 'id="p26"'
has "and links to the pages" "$BODY" 'aria-current="page"'
as bob GET "$topic?page=99"
is "no page beyond the last" "$STATUS" 404
as bob GET "$topic?page=0"
is "nor before the first" "$STATUS" 400
as bob GET "/forum/aaaaaaaaaaaaaaaaaaaaaaaaaa"
is "no topic of that name" "$STATUS" 404

# One's own topic: its title can be changed, and all of it taken away.
as carol POST /forum/new -d activity=everyone -d 'title=Tpyo in the title' -d 'text=Sent once' -d form=once
own=$LOCATION
as carol POST /forum/new -d activity=everyone -d 'title=Tpyo in the title' -d 'text=Sent once' -d form=twice
is "back and send again leads to the topic that is there" "$LOCATION" "$own"
as carol GET "$own/1/edit"
has "message 1 is edited with its title" "$BODY" 'value="Tpyo in the title"'
sound_page "the edit of a first message"
as carol POST "$own/1/edit" -d title= -d 'text=Sent once'
is "which cannot be empty" "$STATUS" 400
has "as is said" "$BODY" "Give your topic a title."
as carol POST "$own/1/edit" -d 'title=Typo in the title' -d 'text=Sent once'
is "a better title is taken" "$STATUS" 303
as alice GET "/forum?activity=everyone"
has "and listed" "$BODY" ">Typo in the title<"
as bob GET "/forum/search?q=typo"
has "and found" "$BODY" "$own/1"
as bob POST "$own" -d 'text=A reply of which nothing is left'
as alice GET /notices
has "and told" "$BODY" "wrote in <bdi>Typo in the title"
as carol POST "$own/1" -d do=delete
as alice GET "/forum?activity=everyone"
hasnt "once message 1 is deleted its title is gone" "$BODY" "Typo in"
has "its replies are still there" "$BODY" ">Deleted topic<"
sound_page "a list with a deleted topic"
is "and counted without it" "$(grep -A2 "$own" <<<"$BODY" | grep -o "1 messages*")" "1 message"
as alice GET "$own"
has "the page is called the same" "$BODY" "<h1>Deleted topic"
sound_page "a topic without its first message"
as alice GET /notices
hasnt "nor do notices tell the title" "$BODY" "Typo in"
as bob POST "$own/2" -d do=delete
as alice GET "/forum?activity=everyone"
hasnt "with the last reply it leaves the list" "$BODY" "$own"
as alice GET "$own"
is "its address says what became of it" "$STATUS" 410
has "in words" "$BODY" "This topic has been deleted"
as alice POST "$own" -d 'text=Too late for that'
is "and takes no reply" "$STATUS" 403
has "which is kept to be copied" "$BODY" ">Too late for that</textarea>"

# A token that does not fit: nothing happens, and nothing typed is lost.
before=$(sql 'SELECT (SELECT count(*) FROM post) || (SELECT count(*) FROM topic) || (SELECT count(*) FROM report) || (SELECT group_concat(source) FROM post) || (SELECT count(*) FROM account) || (SELECT count(*) FROM match) || (SELECT count(*) FROM seen_answer)')
stale() { # NAME PATH FIELD [curl arguments...]
	local name=$1 path=$2 field=$3
	shift 3
	post "$DIR/bob" "$AUTH$path" -u bob:bob -d csrf=no --data-urlencode "$field=Old <words>" "$@"
	is "$name with an old token is refused" "$STATUS" 403
	has "which is said" "$BODY" "Nothing has been sent yet"
	has "and the words are in the form" "$BODY" 'Old &lt;words&gt;</textarea>'
	[ -n "$(csrf)" ]
	ok "with a token" $?
	sound_page "$name shown again"
	fetch "$DIR/bob" POST "$AUTH$path" -u bob:bob -d csrf=no --data-urlencode "$field=Planted" -H 'Sec-Fetch-Site: cross-site' "$@"
	is "$name from another site is refused" "$STATUS" 403
	hasnt "and shows nothing of it" "$BODY" Planted
}
as bob GET "$topic"
stale "a reply" "$topic" text
stale "a topic" /forum/new text -d activity=everyone -d title=Old
stale "an edit" "$topic/4/edit" text
stale "a report" "$topic/1/report" words -d reason=spam
post "$DIR/bob" "$AUTH$pair" -u bob:bob -d csrf=no -d 'text=Old words'
has "the words are kept where the form cannot be shown" "$BODY" ">Old words</textarea>"
hasnt "and the answers are not shown for that" "$BODY" 'Answer A</h2>'
post "$DIR/bob" "$AUTH$pair" -u bob:bob -d csrf=no -d do=enter
is "nor can one enter by it" "$STATUS" 403
post "$DIR/bob" "$AUTH$topic/set" -u bob:bob -d do=follow -d csrf=no
is "a form without words is refused as before" "$STATUS" 403
has "as too old" "$BODY" "This page was too old"
post "$DIR/bob" "$AUTH$topic" -u bob:bob -d csrf=no -d 'text=Sent in the end' -d form=stale
fresh=$(csrf)
is "nothing of all that happened" "$(sql 'SELECT (SELECT count(*) FROM post) || (SELECT count(*) FROM topic) || (SELECT count(*) FROM report) || (SELECT group_concat(source) FROM post) || (SELECT count(*) FROM account) || (SELECT count(*) FROM match) || (SELECT count(*) FROM seen_answer)')" "$before"
post "$DIR/bob" "$AUTH$topic" -u bob:bob --data-urlencode "csrf=$fresh" -d 'text=Sent in the end' -d form=stale
is "the form shown again can be sent" "$STATUS" 303
tap_done
