'use strict';
// The titles that pictures should have, made again from their numbers alone:
// a line "NAME<tab>TITLE" each.
const BASE = process.argv[2];
const MINIMUM = 30, FEW = 5;
const say = (name, title) => console.log(`${name}\t${title}`);
const rows = async (name) => (await (await fetch(`${BASE}/plot/${name}.json`)).json()).rows;

async function wins() {
	const met = (await rows('wins')).filter((r) => r.matches >= FEW)
		.map((r) => ({ ...r, edge: Math.abs(r.share - 50) }));
	const top = met.sort((a, b) => b.edge - a.edge)[0];
	if (!top) return 'No two prompts have met five times yet.';
	if (!top.edge) return 'No two prompts that met five times or more differ: each won as often as it lost.';
	const [x, y] = top.share < 50 ? [top.against, top.prompt] : [top.prompt, top.against];
	return `${x} beat ${y} most clearly: ${Math.round(50 + top.edge)} % of ${top.matches} matches.`;
}

async function types() {
	const all = await rows('types');
	const names = [...new Set(all.map((r) => r.type))];
	const leads = new Map();
	for (const type of names) {
		const official = all.filter((r) => r.type === type && r.matches >= MINIMUM).sort((a, b) => b.elo - a.elo);
		if (!official.length || (official[1] && official[1].elo === official[0].elo)) continue;
		leads.set(official[0].prompt, (leads.get(official[0].prompt) || 0) + 1);
	}
	const most = Math.max(0, ...leads.values());
	if (!most) return 'In no question type does one official prompt stand alone at the top.';
	const first = all.map((r) => r.prompt).find((p) => leads.get(p) === most);
	return `${first} has the highest Elo in ${most} of ${names.length} question types.`;
}

async function days() {
	const all = (await rows('days')).map((r) => ({ day: r.day, n: r.counted + r.not_counted }));
	const most = all.reduce((a, b) => (b.n > a.n ? b : a));
	return `${all.reduce((n, r) => n + r.n, 0)} votes on ${all.length} days; no day had more than the ${most.n} of ${most.day}.`;
}

async function sides() {
	const all = (await rows('sides'))[0];
	const board = await (await fetch(`${BASE}/leaderboard.json`)).json();
	const decided = board.official.concat(board.provisional).some((r) => r.wins > 0);
	if (!decided) return 'Every vote here was a tie so far: nobody has preferred a side.';
	const won = `${Math.round(all.share_a)} % of ${all.a_won + all.b_won} decided votes`;
	if (all.lower === undefined) return `The answer shown as A won ${won}; it takes more voters to see whether a side is preferred.`;
	if (all.lower > 50) return `The answer shown as A is preferred: it won ${won}.`;
	if (all.upper < 50) return `The answer shown as B is preferred: A won only ${won}.`;
	return `Neither side is preferred: the answer shown as A won ${won}.`;
}

(async () => {
	for (const [name, title] of Object.entries({ wins, types, days, sides })) say(name, await title());
})();
