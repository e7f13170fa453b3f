'use strict';
// The cards of a board: a line "NAME<tab>GOT<tab>WANTED" for what they say.
const BASE = process.argv[2];
const FEW = 5, SHOWN = 3, WORDS_MOST = 26;
const say = (name, got, wanted) => console.log([name, got, wanted].join('\t'));
const plain = (html) => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ').replace(/&amp;/g, '&').trim();
const json = async (path) => (await fetch(BASE + path)).json();
const between = (html, from, to) => (html.includes(from) ? html.split(from)[1].split(to)[0] : '');
const items = (html) => [...html.matchAll(/<li>(.*?)<\/li>/g)].map((m) => plain(m[1]));

// What the pairs of the board say: share in whole percent, of so many matches.
function opponents(wins, name) {
	const share = (r) => (100 * (2 * r.won + r.ties + r.both_poor)) / (2 * r.matches);
	const met = wins.filter((r) => r.prompt === name && r.matches >= FEW).sort((a, b) => share(b) - share(a));
	const line = (r) => `${Math.round(share(r))} % of ${r.matches} matches`;
	return {
		best: met.slice(0, Math.min(SHOWN, Math.ceil(met.length / 2))).map(line),
		worst: met.reverse().slice(0, Math.min(SHOWN, Math.floor(met.length / 2))).map(line),
	};
}

// "Next above: NAME, by N points": what the two numbers on the pages differ by.
function neighbours(name, html, row, board) {
	for (const line of items(html).filter((s) => /^Next (above|below): /.test(s))) {
		const [, who, points] = /^Next \w+: (.*), by (\d+) points/.exec(line);
		const other = board.official.find((r) => `${r.title} v${r.version}` === who);
		say(`${name}: points to ${who}`, Number(points), Math.abs(Math.round(other.elo) - Math.round(row.elo)));
	}
}

function version(card, row, wins, board) {
	const name = `${row.slug} v${row.version}`;
	const html = between(card, `<h2 id="v${row.version}"`, '</section>');
	const text = plain(between(html, '</h2>', '<details>').replace(/<table[\s\S]*?<\/table>/g, '').replace(/<\/(p|li|h3)>/g, '. '));
	const long = text.split(/(?<=[.:?])\s/).filter((s) => s.split(' ').length > WORDS_MOST);
	say(`${name}: no long sentence`, long.join(' | '), '');
	say(`${name}: no nought`, (text.match(/(^|[\s(])0(\.0)? (of|headings|list|bold|matches|votes|points|words)[^.]*/g) || []).join(' | '), '');
	neighbours(name, html, row, board);
	const reasons = items(between(between(html, 'not counted:', '</section>'), '<ul', '</ul>') + '').map((s) => Number(/: (\d+)$/.exec(s)[1]));
	const said = / (\d+) votes? on this version (is|are) not counted:/.exec(` ${text}`);
	say(`${name}: how many votes are not counted`, said ? Number(said[1]) : 0, row.not_counted);
	say(`${name}: and for each of them why`, reasons.reduce((a, b) => a + b, 0), row.not_counted);
	const wanted = opponents(wins, `${row.title} v${row.version}`), share = (s) => /won (.*)$/.exec(s)[1];
	for (const [side, head] of [['best', 'Best against'], ['worst', 'Worst against']])
		say(`${name}: ${side} opponents`, items(between(between(html, `<h3>${head}</h3>`, '</section>'), '<ul>', '</ul>')).map(share).join(', '), wanted[side].join(', '));
	if (row.order_free === undefined) return;
	const outside = Math.round(row.elo) > Math.round(row.order_free_upper) ? 'above' : Math.round(row.elo) < Math.round(row.order_free_lower) ? 'below' : '';
	say(`${name}: where Elo stands outside its interval`, (/Elo is (above|below) the interval, since/.exec(text) || ['', ''])[1], outside);
}

(async () => {
	const board = await json('/leaderboard.json'), wins = (await json('/plot/wins.json')).rows;
	// Both ways round, whichever the file has.
	const all = wins.map((r) => ({ ...r, prompt: r.against, against: r.prompt, won: r.lost, lost: r.won })).concat(wins);
	const once = [...new Map(all.map((r) => [`${r.prompt}|${r.against}`, r])).values()];
	for (const row of board.official.concat(board.provisional))
		version(await (await fetch(`${BASE}/prompt/${row.slug}`)).text(), row, once, board);
})();
