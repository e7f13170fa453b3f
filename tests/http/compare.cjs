'use strict';
// Every pair of a board that met: a line "NAME<tab>GOT<tab>WANTED" for what the
// page, its JSON and prompt-arena rate say of it.
const fs = require('fs'), { execFileSync } = require('child_process');
const [BASE, DIR] = process.argv.slice(2);
const say = (name, got, wanted) => console.log([name, got, wanted].join('\t'));
const WORDS = { clear: 'clearly', probable: 'probably', equal: 'practically equal', open: 'cannot be told apart yet' };
const about = (n) => {
	let step = 1;
	while (Math.floor(n / step) >= 100) step *= 10;
	return Math.ceil(n / step) * step;
};

function sentence(j, a, b) {
	const [kind, side] = j.verdict.split('_'), [x, y] = side === 'b' ? [b, a] : [a, b];
	const more = `About ${about(j.matches_needed)} more match${about(j.matches_needed) === 1 ? '' : 'es'} between them would settle it, at the present estimate.`;
	if (kind === 'clear') return `${x} is clearly better than ${y}.`;
	if (kind === 'probable') return `${x} is probably better than ${y}. ${more}`;
	if (kind === 'open') return `${x} and ${y} cannot be told apart yet. ${more}`;
	return `${x} and ${y} are practically equal: whatever more votes say, the difference is small.`;
}

(async () => {
	const votes = (await (await fetch(`${BASE}/ledger.jsonl`)).text()).trim().split('\n').map(JSON.parse).filter((v) => v.k === 'vote' && v.c === 1);
	const file = `${DIR}/public.csv`;
	fs.writeFileSync(file, 'a,b,winner\n' + votes.map((v) => `${v.va},${v.vb},${{ a: 'a', b: 'b', tie: 'tie', both_poor: 'tie' }[v.w]}`).join('\n') + '\n');
	const board = await (await fetch(`${BASE}/leaderboard.json`)).json();
	const rows = board.official.concat(board.provisional), seen = new Set();
	for (let i = 0; i < rows.length; i++) {
		for (let k = 0; k < i; k++) {
			const [a, b] = (i + k) % 2 ? [rows[i], rows[k]] : [rows[k], rows[i]];
			const query = `?a=${a.slug}:${a.version}&b=${b.slug}:${b.version}`;
			const j = await (await fetch(`${BASE}/compare.json${query}`)).json();
			if (j.verdict === 'no_votes') continue;
			const r = JSON.parse(execFileSync(process.env.PA_BIN, ['rate', '--compare', `${a.digest},${b.digest}`, '--format', 'json', file]));
			const name = `${a.slug} ${a.version} against ${b.slug} ${b.version}`;
			const page = await (await fetch(`${BASE}/compare${query}`)).text();
			const lede = /<p class="lede">(.*?)<\/p>/.exec(page)[1].replace(/<[^>]*>/g, '').replace(/&amp;/g, '&');
			say(`${name}: the command's verdict`, r.verdict, `${WORDS[j.verdict.split('_')[0]]}${/_a$/.test(j.verdict) ? ' better' : /_b$/.test(j.verdict) ? ' worse' : ''}`);
			say(`${name}: its number of matches`, r.matches_needed, j.matches_needed);
			say(`${name}: its evidence`, r.log_e_value, j.log_e_value);
			say(`${name}: the page`, lede, sentence(j, `${a.title} v${a.version}`, `${b.title} v${b.version}`));
			seen.add(j.verdict.split('_')[0]);
		}
	}
	say('there were pairs that are apart, and pairs that are not', [...seen].filter((v) => v !== 'equal').sort().join(), 'clear,open,probable');
})();
