#!/usr/bin/env bash
# What a forum meets that runs for a term: a long queue of reports, two tabs
# on one message, pasted addresses, a discussion that was taken away.
. "$(dirname "$0")/../arena.sh"
MORE_USERS="carol"
arena_new 's|</limits>|&|; s|<limits|<forum posts-per-minute="0" post-chars="5000"/>\n  <limits|' || { echo "not ok 1 - the arena starts"; exit 1; }
db=$DIR/arena.db
sql() { sqlite3 -cmd '.timeout 5000' "$db" "$1"; }
sound_page() { # NAME
	xmllint --noout --nonet "$DIR/body" 2>"$DIR/err"
	ok "$1 is well-formed" $?
}
field() { sed -n "s/.*name=\"$1\"[^>]*value=\"\([^\"]*\)\".*/\1/p" "$DIR/body" | head -n 1; }
for user in alice bob carol teacher; do as "$user" GET /preferences; done
as alice POST /forum/new -d activity=everyone -d 'title=A long term' -d 'text=The first words'
topic=$LOCATION

# ---- the queue of reports, page by page --------------------------------------
as bob POST "$topic/1/report" -d reason=spam -d words=w0
sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120)
	INSERT INTO account(kind, created_at, pseud_key) SELECT 'simulated', 1700000000 + i, randomblob(32) FROM n;
	INSERT INTO report(kind, ref, reporter, reason, words, made_at)
	SELECT 'post', 1, id, 'spam', 'w' || row_number() OVER (ORDER BY id), 1700000000 + id FROM account WHERE kind = 'simulated'"
pages=0 seen=0 path=/forum/reports
while [ -n "$path" ] && [ "$pages" -lt 9 ]; do
	as teacher GET "$path"
	pages=$((pages + 1)) last=$path
	seen=$((seen + $(grep -c '<p><bdi>w[0-9]' "$DIR/body")))
	[ "$pages" != 2 ] || sound_page "the second page of reports"
	path=$(sed -n 's/.*href="\([^"]*\)"[^>]*>Later reports<.*/\1/p' "$DIR/body" | sed 's/&amp;/\&/g')
done
is "the queue has as many pages as it needs" "$pages" 3
is "on which every report stands once" "$seen" 121
as teacher GET "$last"
has "and a way back to the first" "$BODY" 'href="/forum/reports">First reports<'
id=$(field id)
as teacher POST /forum/reports -d id="$id" -d after="$(field after)"
is "one that is done leads back to the page it stood on" "$LOCATION" "${last}&done=1"
as teacher GET "$LOCATION"
is "which says so" "$STATUS" 200
has "in words" "$BODY" 'role="status"'
as teacher GET "/forum/reports?after=999999"
is "beyond the last there is an empty page" "$STATUS" 200
hasnt "that does not claim that nothing waits" "$BODY" "Nothing waits for a teacher"
as teacher GET "/forum/reports?after=x"
is "and no page of that name" "$STATUS" 400

# ---- a list with more pinned topics than a page has ---------------------------
sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
	INSERT INTO topic(token, activity, author, title, made_at, posts, last_post, last_at, pinned)
	SELECT 'pinned' || i, activity, author, 'Pinned ' || i, made_at, 1, 1000 + i, made_at, 1 FROM n, topic WHERE token = '${topic##*/}'"
as carol GET "/forum?activity=everyone"
is "every pinned topic is listed, for it stands nowhere else" "$(grep -c '>Pinned [0-9]*<' "$DIR/body")" 60
has "before the others" "$BODY" ">A long term<"

# ---- two tabs on one message --------------------------------------------------
as alice GET "$topic/1/edit"
one=$(field version)
[ -n "$one" ]
ok "the form knows which words it was made of" $?
as alice POST "$topic/1/edit" -d version="$one" -d 'title=A long term' -d 'text=From the first tab'
is "the first tab saves" "$STATUS" 303
as alice POST "$topic/1/edit" -d version="$one" -d 'title=A long term' -d 'text=From the first tab'
is "twice is once" "$STATUS" 303
as alice POST "$topic/1/edit" -d version="$one" -d 'title=A long term' -d 'text=From the <second> tab'
is "the second is told" "$STATUS" 409
is "and nothing is written over" "$(sql 'SELECT source FROM post WHERE id = 1')" "From the first tab"
has "what was typed is kept" "$BODY" '>From the &lt;second&gt; tab</textarea>'
has "it says why" "$BODY" "was changed after this form was opened"
has "and shows what stands there now" "$BODY" 'From the first tab</p>'
sound_page "the edit that came too late"
two=$(field version)
as alice POST "$topic/1/edit" -d version="$two" -d 'title=A long term' -d 'text=From the second tab'
is "saved again, on purpose, it is stored" "$STATUS" 303
as alice GET "$topic/1/history"
has "and what it replaced is in the history" "$BODY" 'From the first tab</p>'
as alice GET "$topic/1/edit"
one=$(field version)
as alice POST "$topic/1/edit" -d version="$one" -d 'title=A new title' -d 'text=From the second tab'
as alice POST "$topic/1/edit" -d version="$one" -d 'title=Another title' -d 'text=From the second tab'
is "two titles are no different" "$STATUS" 409
has "the title typed is kept" "$BODY" 'value="Another title"'
has "beside that which stands there" "$BODY" ">A new title<"
as alice POST "$topic/1/edit" -d version="$one" -d 'title=A new title' -d 'text='
is "nothing is still nothing" "$STATUS" 400
is "and keeps the older mark" "$(field version)" "$one"
as alice POST "$topic" -d 'text=To go'
as alice GET "$topic/2/edit"
one=$(field version)
as alice POST "$topic/2" -d do=delete
as alice POST "$topic/2/edit" -d version="$one" -d 'text=Too late'
is "what was deleted meanwhile is not changed" "$STATUS" 403
has "for that reason" "$BODY" "This message has been deleted"

# ---- bare addresses ------------------------------------------------------------
as bob POST "$topic" --data-urlencode 'text=See https://example.org/a?b=1&c=2. And (https://example.org/w_(x)) or `https://example.org/code`, 看https://example.org/中文。 https://user@evil.example/ javascript:alert(1) https://'
as carol GET "$topic"
has "a bare address is a link" "$BODY" '<a href="https://example.org/a?b=1&amp;c=2" rel="noopener noreferrer nofollow ugc">https://example.org/a?b=1&amp;c=2</a>.'
has "with its own brackets, not those around it" "$BODY" '>https://example.org/w_(x)</a>)'
has "but not in code" "$BODY" '<code dir="ltr">https://example.org/code</code>'
has "it ends where other writing begins" "$BODY" '>https://example.org/</a>中文'
hasnt "one with a name in it misleads, and stays words" "$BODY" 'href="https://user'
hasnt "as does every other scheme" "$BODY" 'href="javascript'
sound_page "a topic with links"

# ---- a discussion that was taken away ------------------------------------------
as alice GET /arena
as alice POST /arena -d type=any
match=$LOCATION token=${LOCATION##*/}
as alice GET "$match"
as alice POST "$match" -d choice=a -d do=vote
as alice POST /forum/new -d match="$token" -d 'title=About two answers' -d 'text=I wonder'
first=$LOCATION
as alice POST "$first/1" -d do=delete
as alice GET "$first"
is "a discussion of which nothing is left is gone" "$STATUS" 410
has "as its address says" "$BODY" "This topic has been deleted"
has "with a way on" "$BODY" 'href="/forum?activity=everyone"'
sound_page "the page of a deleted topic"
as alice GET "$first/1"
is "an old link to a message leads there" "$STATUS" 303
as alice GET "/forum/new?match=$token"
is "the match can be discussed anew" "$STATUS" 200
has "with its answers" "$BODY" "Answer B"
as alice POST /forum/new -d match="$token" -d 'title=Once more' -d 'text=I still wonder'
second=$LOCATION
is "in a topic" "$STATUS" 303
[ "$second" != "$first" ]
ok "of its own" $?
as carol GET "$second"
has "that shows the answers" "$BODY" 'Answer A</h2>'
as alice GET "$first"
is "the old address says the same as before" "$STATUS" 410
hasnt "without the answers" "$BODY" 'Answer A</h2>'
as alice GET "/forum/new?match=$token"
is "the match has one discussion again" "$LOCATION" "$second"

# ---- test notifications ---------------------------------------------------------
for i in 1 2 3; do as bob POST /notices/test; done
as bob GET "/notices.json?since=0"
is "three test notifications are one" "$(grep -o '"kind":"test"' <<<"$BODY" | wc -l)" 1
is "and counted as one" "$(sql "SELECT unread FROM account WHERE login = 'bob'")" \
	"$(sql "SELECT count(*) FROM notice n JOIN account a ON a.id = n.account WHERE a.login = 'bob' AND read_at IS NULL")"
latest=$(grep -o '"latest":[0-9]*' <<<"$BODY")
as bob POST /notices/test
as bob GET "/notices.json?since=${latest#*:}"
has "each is news of its own" "$BODY" '"kind":"test"'
as bob GET /notices
is "the list has the last one" "$(grep -c 'Test' <<<"$BODY")" 1
tap_done
