#!/usr/bin/env bash
# What a board of 500 prompts in full view takes, beside the plain board of
# exactly 100: medians of single requests, in turns, and the ratio of each
# round.  Both are rendered anew every time (no cookie-less cache).
if ! command -v node >/dev/null; then
	echo "500 prompts in full / 100 plain: not measured, node is missing"
	exit 0
fi
. "$(dirname "$0")/../tests/arena.sh"
. "$TESTS/page/states.sh"
arena_new && states_make many || exit 1
node -e '
const B = process.argv[1], HEADERS = { cookie: "none=1" };
const get = async (path) => (await (await fetch(B + path, { headers: HEADERS })).arrayBuffer()).byteLength;
const time = async (path, n) => {
	const all = [];
	for (let i = 0; i < n; i++) {
		const from = process.hrtime.bigint();
		await get(path);
		all.push(Number(process.hrtime.bigint() - from) / 1e6);
	}
	return all.sort((x, y) => x - y)[n >> 1];
};
(async () => {
	const full = "/leaderboard?view=full", plain = "/leaderboard?tag=coding_expert";
	const rows = async (path) => {
		const b = await (await fetch(B + path.replace("/leaderboard", "/leaderboard.json"))).json();
		return b.official.length + b.provisional.length;
	};
	const n = [await rows(full), await rows(plain)];
	if (n[0] !== 500 || n[1] !== 100) throw new Error(`boards of ${n} rows, not of 500 and 100`);
	const bytes = [await get(full), await get(plain)], rounds = [];
	await time(full, 5);
	await time(plain, 5);
	for (let k = 0; k < 9; k++) {
		const a = await time(full, 9), b = await time(plain, 9);
		rounds.push({ a, b, ratio: a / b });
	}
	rounds.sort((x, y) => x.ratio - y.ratio);
	const { a, b, ratio } = rounds[4];
	console.log(`500 prompts in full / 100 plain   ${ratio.toFixed(2)}    (15 or less wanted; ${rounds[0].ratio.toFixed(2)} to ${rounds[8].ratio.toFixed(2)}; ${a.toFixed(1)} ms to ${b.toFixed(1)} ms, ${bytes[0]} bytes to ${bytes[1]})`);
})().catch((e) => { console.error(e.message); process.exit(1); })' "$BASE"
