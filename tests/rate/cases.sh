#!/bin/bash
# Files that others got wrong: an answer that is right, or an error with file
# and line; never NaN, never a hang, never a silent tie.
set -u
export LC_ALL=C
d=$(mktemp -d) || exit 99
trap 'rm -rf "$d"' EXIT
n=0
rate() { timeout 60 "$BUILDDIR/prompt-arena" rate "$@"; }

ok() { # condition-exit-code, what
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# fails CODE TEXT WHAT ARGS...: exit code, text on stderr, nothing rated.
fails() {
	code=$1 text=$2 what=$3
	shift 3
	rate "$@" >"$d/out" 2>"$d/err"
	got=$?
	[ $got -eq "$code" ] && grep -qF -- "$text" "$d/err" &&
		! grep -q rating "$d/out"
	r=$?
	[ $r -eq 0 ] || sed "s/^/# exit $got: /" "$d/err"
	ok $r "$what"
}

# rates WHAT FILTER ARGS...: exit 0, no NaN or infinity, and the filter holds.
rates() {
	what=$1 filter=$2
	shift 2
	rate "$@" >"$d/out" 2>"$d/err"
	got=$?
	[ $got -eq 0 ] && ! grep -qiE 'nan|inf[^o]|null' "$d/out" &&
		eval "$filter" <"$d/out" >/dev/null
	r=$?
	[ $r -eq 0 ] || sed "s/^/# exit $got: /" "$d/err" "$d/out" | head -20
	ok $r "$what"
}

f=$d/v.csv
put() { printf "$1" >"$f"; }
# column of a name in CSV output
value() { awk -F, -v name="$1" -v col="$2" '$1 == name {print $col}'; }
# wins, losses and ties of a name in CSV output
record() { value "$1" 0 | cut -d, -f8-10; }

put 'a,b,winner\nx,y,a\nx,y,a\ny,z,b\ny,z,a\nx,y,b\nz,x,tie\n'
cp "$f" "$d/good.csv"
rates 'three prompts are rated' 'grep -q "^x,"' --format csv "$f"

put 'a,b,winner\nx,top,b\ny,top,b\nx,y,a\nx,y,b\nz,top,b\nz,x,a\nx,z,a\nz,y,tie\n'
rates 'everybody loses to one prompt: finite and marked' \
	'test "$(value top 14)" = 0' --format csv "$f"
rates 'and the table says "not yet separable"' 'grep -q "not yet separable"' "$f"
fails 65 '"top" never lost to anybody else' '--unpenalised refuses and names it' --unpenalised "$f"

put 'a,b,winner\nx,low,a\ny,low,a\nx,y,a\nx,y,b\n'
fails 65 '"low" never won' 'one that always lost is named too' --unpenalised "$f"

put 'a,b,winner\na1,a2,a\na2,a1,a\nb1,b2,a\nb2,b1,tie\n'
rates 'two islands: two groups' 'grep -q "\"components\":2"' --format json "$f"
rates 'ranks hold within an island' \
	'test "$(awk -F, "\$5 == 1" | wc -l)" -ge 2' --format csv "$f"
rates 'the table lists them apart' 'grep -q "group 2"' "$f"

put 'a,b,winner\nm1,m01,a\nm01,\xc3\x9c,a\n\xc3\x9c,m1,a\nm1,m01,b\n'
rates 'names m1, m01 and an umlaut stay apart' \
	'test "$(grep -c "^m1,\|^m01,\|^$(printf "\\303\\234")," )" = 3' \
	--format csv "$f"

{ echo a,b,winner; for i in 1 2 3 4 5 6; do echo x,y,a; done
  for i in 1 2 3 4; do echo y,x,a; done; } >"$f"
rates 'two prompts, ten matches: 6:4 is ln 1.5' \
	'value x 2 | awk "{exit !(\$1 > 1535.218 && \$1 < 1535.219)}"' \
	--format csv "$f"

put 'a,b,winner\nx,y,tie\ny,z,tie\nz,x,both_poor\nx,z,tie (bothbad)\n'
rates 'all ties: all equal' 'test "$(awk -F, "NR > 1 {print \$2}" | sort -u)" = 1500' \
	--format csv "$f"
fails 65 'every vote is a tie' 'all ties have no tie parameter' --model davidson "$f"

put 'a,b,winner\nx,y,a\n'
rates 'a single match: finite' 'test "$(value x 14)" = 0' --format csv "$f"
rates 'a single match: bootstrap too' 'grep -q "^x,"' --format csv \
	--intervals bootstrap --rounds 50 "$f"
rates 'a single match: Elo 1516' 'test "$(value x 2)" = 1516' --format csv \
	--model elo "$f"

put 'a,b,winner\nx,y,a\nx,x,a\n'
fails 65 "v.csv:3: \"x\" is compared with itself" 'a self-match is an error with its line' "$f"
put 'a,b,winner\nx,y,a\nx,y,a\nx,y,a\nx,y,a\nx,y,a\nx,y,draw\n'
fails 65 'v.csv:7: unknown winner "draw"' 'an unknown label in line 7' "$f"
put 'a,b,winner\nx,y,\n'
fails 65 'v.csv:2: unknown winner ""' 'an empty label' "$f"
put 'a,b,winner\nx,y,A\n'
fails 65 'unknown winner "A"' 'an upper-case label' "$f"
{ printf 'a,b,winner\nx,y,'; head -c 1000000 /dev/zero | tr '\0' a; echo; } >"$f"
fails 65 'v.csv:2:' 'a label of a megabyte' "$f"
put 'a,b,winner\n,y,a\n'
fails 65 'v.csv:2: empty name' 'an empty name' "$f"
put 'a,b,winner,weight\nx,y,a,-1\n'
fails 65 'v.csv:2: weight -1 is negative' 'a negative weight' "$f"
put 'a,b,winner,weight\nx,y,a,1e308\n'
fails 65 'v.csv:2: weight 1e+308 is over' 'a weight of 1e308' "$f"
put 'a,b,winner,weight\nx,y,a,nan\n'
fails 65 'v.csv:2: weight "nan" is not' 'a weight that is no number' "$f"
put 'a,b,winner,weight\nx,y,a,0\nx,y,b,1\ny,x,b,1\nx,z,a,0\n'
rates 'weights of 0 move nothing' 'grep -q "^z,1500,"' --format csv "$f"
put 'a,b,winner,weight\nx,y,a,3\nx,y,b,2\n'
rates 'weights count: 3 to 2 is 6 to 4' \
	'value x 2 | awk "{exit !(\$1 > 1535.218 && \$1 < 1535.219)}"' \
	--format csv "$f"
gap() { # of x over y within 1e-4 of a number
	awk -F, -v want="$1" '$1 == "x" {x = $2} $1 == "y" {y = $2}
		END {d = x - y - want; exit !(d < 1e-4 && d > -1e-4)}'
}
put 'a,b,winner,weight\nx,y,a,1e9\nx,y,b,1e-9\n'
rates 'a weight of 1e9 beside 1e-9: odds of 1e18 are 7200 points' 'gap 7200' \
	--format csv "$f"
put 'a,b,winner,weight\nx,y,a,1e9\nx,y,b,1e-9\ny,z,a,1e9\nz,y,a,1e-9\n'
rates 'and so along a chain' 'gap 7200' --format csv "$f"
put 'a,b,win,loss,tie\nx,y,100000000000,1,0\n'
rates 'a hundred thousand million wins and one loss: 4400 points' 'gap 4400' \
	--format csv "$f"
put 'a,b,win,loss,tie\nx,y,6,4,0\n'
rates 'counts do too' 'value x 2 | awk "{exit !(\$1 > 1535.218 && \$1 < 1535.219)}"' \
	--format csv "$f"
put 'a,b,win,loss,tie\nx,y,6,x,0\n'
fails 65 'v.csv:2: loss "x"' 'a count that is no number' "$f"
put 'a,b,win,loss,tie\nx,y,0,0,0\n'
fails 65 'no votes' 'counts of nothing' "$f"

: >"$f"
fails 65 'empty file' 'an empty file' "$f"
put 'a,b,winner\n'
fails 65 'no votes' 'a header alone' "$f"
head -c 300000 "$BUILDDIR/prompt-arena" >"$f"
fails 65 'v.csv' 'a binary file' "$f"
printf 'a,b,winner\nx\0y,z,a\n' >"$f"
fails 65 'v.csv:2: name that is not UTF-8' 'a NUL in a name' "$f"
put 'a,b,winner\n\xff\xfe,z,a\n'
fails 65 'v.csv:2: name that is not UTF-8' 'bytes that are no UTF-8' "$f"
put 'left,winner\nx,left\n'
fails 65 'no column model_b, right or b' 'a missing column' "$f"
put 'a,b,winner\nx,y\n'
fails 65 'v.csv:2: 2 fields' 'a short row' "$f"
put 'a,b,winner\nx,"y,a\nz,y,a\n'
fails 65 'v.csv:2' 'a quotation mark without its partner' "$f"
put 'a,b,winner,note\nx,y,a,"never closed\ny,x,a,\n'
fails 65 'v.csv:2: a quotation mark without its partner' \
	'nor is it looked over in a column that nobody asked for' "$f"
put 'a,b,winner,note\nx,y,a,5" wide\ny,x,a,so\nx,y,b,6" wide\nx,y,a,"7"" w\nide"\n'
rates 'a quotation mark within a field swallows no line' \
	'test "$(record x)" = 2,2,0' --format csv "$f"
put 'a,b,winner\n5" disk,y,a\ny,5" disk,a\n'
rates 'nor in a name' 'test "$(grep -c "^\"5\"\" disk\"," )" = 1' --format csv "$f"
printf 'a,b,winner\nx,y,a\n' | gzip >"$f"
fails 65 'packed by gzip' 'a packed file is named' "$f"
fails 66 'cannot be opened' 'no such file' "$d/none.csv"
fails 64 'unknown model' 'an unknown model' --model elox "$d/good.csv"
fails 64 '--k' 'a K that is no number' --model elo --k x "$d/good.csv"

# The same votes in every dress give the same bytes.
rate --format csv "$d/good.csv" >"$d/want"
sed 's/$/\r/' "$d/good.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'CRLF'
{ printf '\xef\xbb\xbf'; cat "$d/good.csv"; } >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'a byte order mark'
awk 'NR > 1 {gsub(/[^,]+/, "\"&\"")} {print}' "$d/good.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'quoted fields'
# Rows go two ways: plain ones straight from the buffer, all others field by
# field. A quotation mark sends the rest of its buffer the second way.
awk 'NR == 1 {print; next} {row[NR] = $0} END {
	for (k = 0; k < 4000; k++) for (r = 2; r <= NR; r++) print row[r] }' \
	"$d/good.csv" >"$d/many.csv"
rate --format csv "$d/many.csv" >"$d/many"
awk -F, '{print $3 ",z," $2 "," $1 ",\r"}' "$d/many.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/many"; ok $? 'columns in another order'
awk 'NR == 11002 {gsub(/[^,]+/, "\"&\"")} NR % 7 == 3 {print ""} {print}' \
	"$d/many.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/many"; ok $? 'one quoted row, blank lines'
awk 'NR % 3 == 0 {$0 = $0 "\r"} NR > 1 && NR % 3 == 1 {$0 = $0 ",more"} {print}' \
	"$d/many.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/many"; ok $? 'line ends and widths mixed'
{ cat "$d/many.csv"; echo x,y; cat "$d/many.csv"; } >"$f"
fails 65 'v.csv:24002: 2 fields, the header promises at least 3' \
	'a short row among plain ones' "$f"
printf %s "$(cat "$d/good.csv")" >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'no line end at the end'
rate --format csv - <"$d/good.csv" | cmp -s - "$d/want"; ok $? 'standard input'
awk -F, 'NR > 1 {printf "{\"model_a\":\"%s\",\"model_b\":\"%s\",\"winner\":\"%s\",\"x\":[{}]}\n", $1, $2, $3}' \
	"$d/good.csv" >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'JSON Lines'
sed 's/"x"}*/&/; s/,"x":\[{}\]}/,"k":"vote","c":1}/' "$f" >"$d/led"
echo '{"k":"open","n":1}' | cat - "$d/led" >"$f"
rate --format csv "$f" | cmp -s - "$d/want"; ok $? 'lines of a ledger'
put '{"a":"x","b":"y","winner":"a"}\n{"a":"x","b":"y","winner":3}\n'
fails 65 'v.csv:2: unknown winner "3"' 'a JSON label that is a number' "$f"
put '{"a":"x","b":"y","winner":"a"\n'
fails 65 'v.csv:1: not JSON' 'broken JSON' "$f"
put 'model_a,model_b,winner\n"x, y","q""q",model_a\n"q""q","x, y",tie\n'
rates 'quoted commas and quotes come out quoted' 'grep -q "^\"x, y\"," &&
	rate --format csv "$f" | grep -q "^\"q\"\"q\","' --format csv "$f"
put 'a,b,winner\n"x\ny",z,a\nz,w,foo\n'
fails 65 'v.csv:4:' 'lines are counted through quoted line ends' "$f"
put 'a,b,winner\n\x1b[31mx,y,a\n'
rates 'escape sequences in names stay off the terminal' \
	'! grep -q "$(printf "\033")"' "$f"

# Columns of a terminal, not characters: CJK fills two, a combining mark none.
put 'a,b,winner\n\xe6\xa8\xa1\xe5\x9e\x8b,e\xcc\x81t\xc3\xa9,a\nplain,e\xcc\x81t\xc3\xa9,b\nplain,\xe6\xa8\xa1\xe5\x9e\x8b,a\n'
rates 'names of any width stand in one column' \
	'sed "s/\xe6\xa8\xa1\xe5\x9e\x8b/four/; s/e\xcc\x81t\xc3\xa9/ete/" |
	awk "/rank/ {at = index(\$0, \"rating\") + 6}
	/(four|ete|plain)/ {n++; if (substr(\$0, at - 2, 2) !~ /^[.][0-9]\$/) bad = 1}
	END {exit bad || n != 3}"' --intervals none "$f"
{ echo a,b,winner; for i in 1 2; do
	printf 'a name that goes on and on and on and on %s,x,a\n' $i; done; } >"$f"
rates 'a long name that was cut ends in dots' \
	'test "$(grep -c "a name that goes on and on an[.][.][.] " )" = 2' "$f"
{ echo a,b,winner; printf '\xc3\xa9'; for i in 1 2 3 4 5 6 7; do
	printf '\xe6\xa8\xa1\xe6\xa8\xa1\xe6\xa8\xa1\xe6\xa8\xa1'; done
	printf ',\xff\xfe,a\n'; } >"$f"
rate "$f" 2>&1 | iconv -f UTF-8 -t UTF-8 >"$d/out" 2>&1
ok $? 'a message is UTF-8, whatever the file is'
printf 'a,b,winner\nx,y,\xff\x80\xc3\n' >"$f"
rate "$f" 2>&1 | iconv -f UTF-8 -t UTF-8 >"$d/out" 2>&1 && grep -qF '"???"' "$d/out"
ok $? 'even of a label that is not'

# Copies of one prompt have the same rating and interval.
{ echo a,b,winner,judge; for j in 1 2 3 4 5 6; do for c in c1 c2; do
	echo "$c,x,a,$j"; echo "$c,y,b,$j"; echo "y,$c,b,$j"; done
	echo "x,y,a,$j"; echo "y,x,tie,$j"; done; } >"$f"
for how in sandwich bootstrap; do
	rates "copies of one prompt get the same numbers ($how)" \
		'test "$(sed -n "s/^c[12],//p" | sort -u | wc -l)" = 1' \
		--format csv --intervals $how --rounds 200 "$f"
done

# One prompt that met weak opponents only: high in Elo, wide by all votes.
{ echo a,b,winner; i=0; while [ $i -lt 40 ]; do i=$((i + 1))
	echo weak1,weak2,$([ $((i % 2)) = 0 ] && echo a || echo b)
	echo strong,weak1,a; echo strong,weak2,a
	echo hero,weak1,a; done; echo weak1,strong,a; echo weak1,hero,a; } >"$f"
rates 'a prompt that met only the weak has the wider interval' \
	'awk -F, "/^hero,/ {h = \$4 - \$3} /^strong,/ {s = \$4 - \$3} END {exit !(h > s)}"' \
	--format csv "$f"

# Many prompts, most of which met once.
# 100 000 of them in the long run.
many=10000
[ -z "${RUNS-}" ] || many=100000
awk -v n=$many 'BEGIN {srand(3); print "a,b,winner"; for (i = 0; i < 0.6 * n; i++) {
	a = int(rand() * n); b = int(rand() * n); if (a == b) b = a + 1;
	print "p" a ",p" b "," (rand() < .5 ? "a" : rand() < .2 ? "tie" : "b")}}' >"$f"
rates "$many prompts that met about once: rated, groups apart" \
	'awk -F, "NR > 1 && (\$2 < 0 || \$2 > 3000) {bad = 1} END {exit bad}"' \
	--format csv "$f"

put 'a,b,winner\nx,y,a\nx,y,tie\n'
rates 'Davidson without a finite maximum: finite and marked' \
	'test "$(value x 14)" = 0' --model davidson --format csv "$f"
marked() { ! cut -d, -f14 | grep -q 1; } # everybody, as not yet separable
rates 'and so Rao-Kupper' marked --model rao-kupper --format csv "$f"
put 'a,b,winner\nx,y,a\nx,y,tie\ny,x,tie\ny,z,a\nz,y,tie\nz,y,tie\n'
rates 'Rao-Kupper without a finite maximum along a chain' marked \
	--model rao-kupper --format csv "$f"

put 'a,b,winner\nx,y,a\nx,y,tie\ny,z,a\ny,z,tie\nz,w,tie\nw,x,tie\nx,z,a\n'
rates 'nor along a ring that one tie closes' marked --model rao-kupper --format csv "$f"
rates 'and so Davidson' marked --model davidson --format csv "$f"
put 'a,b,winner\nx,y,a\nx,y,tie\ny,z,a\ny,z,tie\nz,x,tie\n'
rates 'a ring that one step cannot close has a maximum' \
	'cut -d, -f14 | grep -q 1' --model rao-kupper --format csv "$f"

# Rounds of votes whose weights lie far apart: a step that suits most throws
# one prompt out to where nothing pulls any more.
awk 'function draw(n) {x = (x * 69069 + 12345) % 4294967296
		return int(x / 65536) % n}
	BEGIN {x = 5; print "a,b,winner,weight"; for (k = 0; k < 100; k++) {
	a = draw(20); b = (a + 1 + draw(19)) % 20; w = draw(3)
	print "p" a ",p" b "," (draw(9) < 4 + 4 * (a > b) ? "a" : "b") "," \
		(w == 0 ? 0.001 : w == 1 ? 1 : 1000)}}' >"$f"
rates 'a bootstrap of weights far apart' 'grep -q "^p1,"' --format csv \
	--intervals bootstrap --rounds 400 "$f"

# Without ties the models of ties are Bradley-Terry, the ghost's place and the
# intervals of votes that not everybody signed too.
{ echo a,b,winner,judge; for j in 1 2 3; do echo "x,y,a,$j"; echo "x,z,a,"
	echo "y,z,a,$j"; echo "z,y,a,"; echo "x,w,a,$j"; echo "w,z,b,"; done
	echo "y,z,a,3"; echo "w,y,a,"; } >"$f"
rate --format csv "$f" | cut -d, -f1-4 >"$d/want"
same() { # ratings and bounds as in $d/want
	cut -d, -f1-4 | paste -d, - "$d/want" | awk -F, '
		NR > 1 {for (k = 1; k <= 4; k++) {gap = $k - $(k + 4)
			if ($1 != $5 || gap > 1e-5 || gap < -1e-5) bad = 1}}
		END {exit bad || NR != 5}'
}
for model in davidson rao-kupper; do
	rates "without a tie $model says what bt says" same --model $model \
		--format csv "$f"
done
# Weights scale nothing but one another, also where not everybody signed:
# intervals of votes of 1/4 and 3/4 are those of 1 and 3.
weigh() { # LIGHT HEAVY
	echo a,b,winner,judge,weight
	for j in 1 2 3; do echo "x,y,a,$j,$1"; echo "y,x,a,,$2"
		echo "y,z,a,$j,$1"; echo "z,y,a,$j,$2"; echo "z,x,a,,$1"
		echo "x,z,tie,,$2"; echo "x,y,tie,$j,$1"; done
	echo "x,y,a,,$2"; echo "z,x,b,9,$2"
}
near() { # ratings and bounds as in $d/want
	cut -d, -f1-4 | paste -d, - "$d/want" | awk -F, '
		NR > 1 {for (k = 1; k <= 4; k++) {gap = $k - $(k + 4)
			if ($1 != $5 || gap > 1e-4 || gap < -1e-4) bad = 1}}
		END {exit bad || NR != 4}'
}
for how in '--model bt' '--model davidson' --position; do
	weigh 1 3 >"$f"
	rate --format csv $how "$f" | cut -d, -f1-4 >"$d/want"
	weigh 0.25 0.75 >"$f"
	rates "weights of a quarter and three are those of one and three ($how)" \
		near $how --format csv "$f"
done
put 'a,b,winner\nx,y,a\nx,y,b\ny,z,a\ny,z,b\n'
fails 65 'cannot tell side' 'a side effect that cannot be known' --position "$f"
fails 65 'no column "topic"' 'a column to group by that is not there' --by topic "$f"
put 'a,b,winner,type\nx,y,a,c1\nx,y,b,c2\ny,z,a,c1\nz,y,a,c2\n'
rates '--by gives one more board for every value' \
	'test "$(grep -c "^c[12],x,")" = 2' --by type --format csv "$f"
put 'a,b,winner,judge,question_id\nx,y,a,j,q1\nx,y,a,k,q1\ny,x,a,j,q2\n'
rates '--compare counts questions' 'grep -q "\"questions_won\":1,\"questions_lost\":1"' \
	--compare x,y --format json "$f"
fails 65 'nobody called "w"' '--compare with a name that has no votes' --compare x,w "$f"

put 'a;b;winner\nx;y;a\nx;"y";b\ny;x;tie\n'
rates 'semicolons separate fields where a header has no comma' \
	'test "$(value x 12)" = 3' --format csv "$f"
put 'a\tb\twinner\nx\ty\ta\nx\ty, too\tb\n'
rates 'and so do tabs' 'grep -q "y, too"' --format csv "$f"
printf 'a,b,winner\nx,y,a\n' | iconv -f UTF-8 -t UTF-16 >"$f"
fails 65 'save it as UTF-8' 'UTF-16 is told apart' "$f"
put 'a,b,winner\rx,y,a\rx,y,b\r'
fails 65 'carriage returns alone' 'line ends of old computers are named' "$f"
put '[{"a":"x","b":"y","winner":"a"}]\n'
fails 65 'JSON array' 'a JSON array is named' "$f"
put '\n \n{"a":"x","b":"y","winner":"q"}\n'
fails 65 ':3: unknown winner' 'blank lines before JSON are counted' "$f"
awk 'BEGIN { for (i = 0; i < 20000; i++)
	print "{\"a\":\"x\\\"\",\"b\":\"y\",\"winner\":\"" (i % 3 ? "a" : "b") "\"}" }' >"$f"
rates 'a quotation mark inside JSON strings ends no record' \
	'grep -q "\"votes\":20000"' --format json "$f"
put 'a,b,win,loss,tie\nx,y,1000000000000,1,0\n'
fails 65 'cannot be replayed one by one' 'Elo of a million million votes is refused' --model elo "$f"
fails 65 'cannot be looked at one by one' 'and so is their comparison' --compare x,y "$f"
put 'a,b,winner\nx,y,tie\ny,z,tie\nz,x,tie\n'
rates 'nothing but ties leaves doubt' \
	'value x 3 | grep -q "^11[0-9][0-9]"' \
	--format csv "$f"

# Votes that all say the same leave doubt, whatever the intervals are made of:
# bounds on both sides of the neighbour's, and no rank settled.
unsure() { # of CSV on standard input
	awk -F, 'NR > 1 {
		if (!($3 < $2 && $2 < $4)) bad = 1
		if ($6 != "" && ($6 != 1 || $7 < 2)) bad = 1
		if (n++ && !($4 > low)) bad = 1
		low = $3
	} END {exit bad || n < 2}'
}
put 'a,b,winner\nx,y,a\n'
for how in '--intervals sandwich' '--intervals bootstrap' '--model davidson' \
	'--model rao-kupper'; do
	rates "a single vote settles nothing ($how)" unsure --format csv $how "$f"
done
put 'a,b,winner\nx,y,tie\ny,z,tie\nz,x,tie\n'
for how in '--intervals sandwich' '--intervals bootstrap' --position; do
	rates "three ties settle nothing ($how)" unsure --format csv $how "$f"
done
put 'a,b,winner,judge\nx,y,a,j\ny,x,a,j\nx,y,a,k\ny,x,a,k\n'
for how in '--intervals sandwich' '--intervals bootstrap' '--model davidson'; do
	rates "two voters of one mind settle nothing ($how)" unsure \
		--format csv $how "$f"
done
put 'a,b,winner,judge\nx,y,a,j\nx,y,a,j\ny,x,a,j\nx,y,tie,j\n'
for how in '--intervals sandwich' '--intervals bootstrap' '--model davidson'; do
	rates "one voter alone: no interval, and why ($how)" \
		'grep -q "one voter alone" && ! grep -q upper "$d/out"' $how "$f"
done
{ echo a,b,winner; for i in 1 2 3 4 5 6 7 8 9 10; do
	echo x,y,a; echo y,z,a; echo z,y,a; done; } >"$f"
for how in sandwich bootstrap; do
	rates "ten wins without a loss are no sure rating ($how)" \
		'awk -F, "/^x,/ {x = \$4 - \$3} /^z,/ {z = \$4 - \$3} END {exit !(x > z)}"' \
		--format csv --intervals $how "$f"
done

# What is said of one island is true of it, whatever the others are like.
{ echo a,b,winner,judge; for j in 1 2 3 4 5 6 7 8 9; do
	echo "x,y,a,j$j"; echo "y,z,a,j$j"; echo "z,x,tie,j$((j / 2))"; done; } >"$d/big"
{ echo a,b,winner,judge; for j in p q; do echo "u,v,a,$j"; echo "u,v,b,$j"
	echo "v,u,tie,$j"; echo "u,v,a,p"; done; } >"$d/small"
{ cat "$d/big"; sed 1d "$d/small"; } >"$f"
rate --compare u,v "$d/small" >"$d/want"
grep -q 'by all votes.*\[-' "$d/want" && rate --compare u,v "$f" | cmp -s - "$d/want"
ok $? 'a comparison on a small island takes the voters of that island'
{ cat "$d/big"; echo u,v,tie,p; } >"$f"
fails 65 'every vote in the group of "u" is a tie' 'an island of ties is named' \
	--model davidson "$f"
rates '--check says at what level it looked for cycles' \
	'grep -q "\"check\":{\"level\":0.1,"' --check --level 0.9 --format json "$f"

# Grouping takes nothing away from the main board, and says what can group.
{ echo a,b,winner,judge,type; for j in 1 2 3 4 5 6; do
	echo "x,y,a,j$j,c"; echo "x,y,b,j$j,d"; echo "y,x,a,j$j,c"
	echo "x,y,a,j$j,c"; echo "x,y,a,j1,d"; done; } >"$f"
rate --format csv "$f" | sed 1d >"$d/want"
for by in judge type; do
	rate --by $by --format csv "$f" | sed -n 's/^,//p' | cmp -s - "$d/want"
	ok $? "--by $by leaves the main board as it is"
done
rates '--by judge gives a board for every voter' \
	'test "$(grep -c "^judge = j")" = 6' --by judge "$f"
sed '1d; s/\(.*\),\(.*\),\(.*\),\(.*\),\(.*\)/{"a":"\1","b":"\2","winner":"\3","judge":"\4","type":"\5"}/' \
	"$f" >"$d/l"
rate --by judge --format csv "$d/l" | sed -n 's/^,//p' | cmp -s - "$d/want"
ok $? 'and so in JSON Lines'
for by in a winner; do
	fails 65 'others can: judge, type' "--by $by is refused with what can be used" \
		--by $by "$f"
	fails 65 'others can: type' "and so in JSON Lines ($by)" --by $by "$d/l"
done
fails 65 'there are: judge, type' 'a column that is not there: those that are' \
	--by topic "$f"

put 'a,b,winner,type,type\nx,y,a,c,d\n'
fails 65 'two columns mean the same: "type"' 'two columns to group by' --by type "$f"

# Numbers are decimal, and whole ones are digits.
for how in '--seed 0x10' '--rounds 1e3' '--rounds 0x20' '--passes 2.0' '--seed 1e3'; do
	fails 64 "${how#* }" "$how is refused" $how "$d/good.csv"
done
fails 64 0x10 '--k 0x10 is refused' --k 0x10 --model elo "$d/good.csv"
put 'a,b,winner,weight\nx,y,a,0x10\n'
fails 65 'weight "0x10"' 'a hexadecimal weight is refused' "$f"

# A bootstrap of what has none is a mistake of the command line.
for how in '--model elo' '--model glicko' '--model am-elo' '--model davidson' \
	'--model rao-kupper' --position --style; do
	fails 64 'take --' "no bootstrap of $how, and what to take" \
		--intervals bootstrap $how "$d/good.csv"
done

# Nor is any option passed over that would change nothing.
for model in elo glicko am-elo; do
	fails 64 'take --model bt' "no sandwich of $model, and what to take" \
		--intervals sandwich --model $model "$d/good.csv"
	fails 64 'davidson or rao-kupper alone' "no clustering of $model" \
		--cluster vote --model $model "$d/good.csv"
	rates "but $model without intervals" 'grep -q "\"ratings\""' --format json \
		--intervals none --model $([ $model = am-elo ] && echo bt || echo $model) \
		"$d/good.csv"
done
for how in '--orders 9' '--passes 2' '--k 4' '--initial 0' '--scale 9'; do
	fails 64 "${how% *} goes with --model elo" "$how without Elo" $how "$d/good.csv"
done
rates '--k for the Elo of --check' 'grep -q "one axis"' --k 4 --check "$d/good.csv"
fails 64 '--model glicko alone' '--period without Glicko' --period 9 "$d/good.csv"
fails 64 '--compare alone' '--margin without --compare' --margin 0.1 "$d/good.csv"
fails 64 '--model bt alone' '--unpenalised with a side effect' --unpenalised \
	--position "$d/good.csv"
for how in '--compare x,y' --check --raters; do
	fails 64 'take --format json' "$how has no CSV" $how --format csv "$d/good.csv"
done
for how in '--model elo' '--intervals none' '--intervals bootstrap' --position \
	--check '--by winner'; do
	fails 64 '--compare does not go with' "--compare $how" --compare x,y $how \
		"$d/good.csv"
done
put 'a,b,winner,weight,judge\nx,y,a,2,j\nx,y,b,1,k\n'
for how in '--compare x,y' --raters; do
	fails 64 'take no weights' "$how of weighted votes" $how "$f"
done

# What a name does elsewhere: compute in a spreadsheet, turn a terminal's text.
put 'a,b,winner\n=cmd|x,+1,a\n@y,-2,b\n+1,@y,a\n'
rates 'no name is a formula in CSV' \
	'test "$(cut -d, -f1 "$d/out" | sed 1d | grep -c "^\"'"'"'[=+@-]")" = 4' \
	--format csv "$f"
turn=$(printf '\342\200\256') mark=$(printf '\342\200\217') wrap=$(printf '\342\201\246')
put "a,b,winner,judge,type\nx${turn}y,z,a,j,t${turn}\nz,w${mark}w,a,k,u\nw${mark}w,x${turn}y,a,j,u\nv${wrap},z,tie,k,u\n"
tame() { ! grep -q "$turn\|$mark\|$wrap"; }
rates 'bidi controls stay off the terminal' 'tame && grep -q "x?y" "$d/out"' \
	--by type --check --raters "$f"
rates 'and so in a comparison' tame --compare "x${turn}y,z" "$f"
put "a,b,winner\nx${turn}y,x${turn}y,a\n"
fails 65 '"x?y" is compared with itself' 'and in messages' "$f"

# The ledger's short names mean nothing elsewhere.
put 'a,b,winner,c,k,n,u,t,q,of\nx,y,a,0,kind,1,me,x,1,2\ny,x,a,1,vote,1,me,,,\n'
rates 'columns called c, k, n and u are not a ledger'"'"'s' \
	'test "$(record x)" = 1,1,0 && ! rate "$f" | grep -q voter' --format csv "$f"
put '{"a":"x","b":"y","winner":"a","c":0,"k":"kind"}\n{"a":"y","b":"x","winner":"a","c":0}\n'
rates 'nor are such members' 'test "$(record x)" = 1,1,0' --format csv "$f"

# Where nobody is named there are no voters to cluster by.
put 'a,b,winner\nx,y,a\nx,y,b\nx,y,tie\ny,z,b\ny,z,a\nz,x,tie\nx,z,a\nz,x,a\ny,x,a\n'
for how in '--model bt' '--model davidson' '--model rao-kupper' --position; do
	rates "no voters in the file: intervals per vote ($how)" \
		'grep -q "sandwich, per vote$"' $how "$f"
	rates "and the same in JSON ($how)" \
		'! grep -q "\"voters\"" && grep -q "\"sandwich, per vote\"" "$d/out"' \
		$how --format json "$f"
done
put 'a,b,winner,judge,type\nx,y,a,p,c\ny,x,a,q,c\nx,y,tie,r,d\ny,x,a,s,d\nx,y,a,s,d\n'
rates "a group's board counts those who voted in it" \
	'grep -A4 "^type = d" | grep -q "(2 voters)"' \
	--by type --model davidson "$f"

line() { # number, kind, rest
	printf '{"n":%d,"k":"%s",%s}\n' "$1" "$2" "$3"
}
{
	printf '{"n":1,"k":"open","m":"uuid"}\n'
	line 2 vote '"va":"x","vb":"y","w":"a","c":1,"u":"p"'
	line 3 vote '"va":"x","vb":"y","w":"b","c":1,"u":"q"'
	line 4 vote '"va":"x","vb":"y","w":"b","c":1,"u":"r"'
	line 5 vote '"va":"x","vb":"y","w":"b","c":0,"u":"r"'
	line 6 exclude '"of":3,"why":"fraud"'
	line 7 exclude '"of":4,"why":"fraud"'
	line 8 restore '"of":4,"why":"mistake"'
	line 9 vote '"va":"x","vb":"y","w":"tie","c":1,"u":"exclude"'
	line 10 restore '"of":5,"why":"never excluded"'
} >"$f"
rates 'a ledger: excluded votes are out, restored ones in, uncounted ones never' \
	'test "$(record x)" = 1,1,1' --format csv "$f"
rate --format csv "$f" >"$d/from-file"
cat "$f" | rate --format csv - | cmp -s - "$d/from-file"
ok $? 'the same through a pipe'
rates 'and in Elo' 'test "$(record x)" = 1,1,1' --model elo --format csv "$f"

# Periods of time, whatever the order of the rows; those in which nobody voted
# make ratings less sure as others do (Glickman 1999, eq. 6).
{
	echo a,b,winner,tstamp
	for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "x,y,a,$((k * 40))"
		echo "y,z,tie,$((k * 55))"
		echo "z,x,b,$((k * 700))"
	done
} >"$f"
{ sed 1q "$f" && sed 1d "$f" | sort -t, -k4,4n; } >"$d/sorted"
{ sed 1q "$f" && sed 1d "$f" | sort -r; } >"$d/reversed"
for how in "$f" "$d/reversed"; do
	rate --model glicko --period 100 "$how" >"$d/out"
	rate --model glicko --period 100 "$d/sorted" | cmp -s - "$d/out"
	ok $? 'periods of time do not hang on the order of rows'
done
width() { sed -n 2p "$d/out" | awk -F, '{ printf "%.1f\n", ($4 - $2) / 1.959963984540054 }'; }
put 'a,b,winner,tstamp\nx,y,a,5\nx,y,b,15\n'
rates 'two votes in periods next to each other' 'test "$(width)" = 261.9' \
	--model glicko --period 10 --format csv "$f"
put 'a,b,winner,tstamp\nx,y,a,5\nx,y,b,105\n'
rates 'and with 9 periods without votes between them' \
	'test "$(width)" = 275.5' --model glicko --period 10 --format csv "$f"
put 'a,b,winner,tstamp\nx,y,a,-1e300\nx,y,b,1e300\n'
rates 'and with as good as infinitely many' 'test "$(width)" = 305.3' \
	--model glicko --period 10 --format csv "$f"
put 'a,b,winner,tstamp\nx,y,a,5\nx,y,b,\n'
fails 65 'vote 2 has no tstamp' 'a vote of no period' --model glicko \
	--period 10 "$f"

# A rating that fails after others leaves no half of a document behind.
put 'a,b,winner,type\nx,y,a,p\nx,y,b,p\nx,y,tie,p\nx,z,tie,q\nz,x,tie,q\n'
for how in json csv table; do
	rate --model davidson --by type --format $how "$f" >"$d/out" 2>"$d/err"
	[ $? -eq 65 ] && [ ! -s "$d/out" ] && [ -s "$d/err" ]
	ok $? "nothing is printed where a group has no rating ($how)"
done

echo "1..$n"
