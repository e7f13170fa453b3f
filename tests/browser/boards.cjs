// boards - boards and pictures in a state: whole, true, readable.
'use strict';
const fs = require('fs');
const { execFileSync } = require('child_process');
const { BASE, AUTH, signedIn, ok, is, done, part, launch, watch, keep, axe, overflow } = require('./lib.cjs');
const STATE = process.env.STATE;
const PATHS = ['/leaderboard', '/leaderboard?view=full', '/leaderboard?type=coding&view=full', '/pictures', '/pictures?type=writing'];
PATHS.push('/compare', '/methodology', ...(STATE === 'sample' ? ['/prompt/socratic'] : []));
const SIZES = [{ width: 320, height: 640 }, { width: 360, height: 740 }, { width: 1280, height: 900 }];
const NAMES = ['intervals', 'wins', 'types', 'history', 'days', 'sides', 'lengths'];

// Text in a picture stands on marks, so axe cannot tell its background; the
// colours are tried as a table instead (contrasts() below).
const known = (fault) => !/color could not be determined because element contains an image node/.test(fault);

async function inspect(browser, path) {
	for (const colorScheme of ['light', 'dark']) {
		const page = await browser.newPage();
		await page.emulateMedia({ colorScheme });
		const complaints = watch(page);
		const response = await page.goto(BASE + path);
		const label = `${STATE}: ${path} (${colorScheme})`;
		is(`${label} answers`, response.status(), 200);
		if (colorScheme === 'light') await keep(`${STATE}-${path}`, response);
		for (const size of SIZES) {
			await page.setViewportSize(size);
			is(`${label} fits ${size.width} px`, (await overflow(page)).join('; '), '');
			if (process.env.SHOTS && size.width !== 320)
				await page.screenshot({ path: `${process.env.SHOTS}/${STATE}${path.replace(/\W+/g, '-')}-${size.width}-${colorScheme}.png`, fullPage: true });
			if (STATE !== 'many' || size.width === 360)
				is(`${label} has no accessibility fault at ${size.width} px`, (await axe(page)).filter(known).join('\n'), '');
		}
		const text = await page.evaluate(() => document.body.textContent);
		ok(`${label} shows no NaN, null or undefined`, !/\bNaN\b|\bnull\b|\bundefined\b|\binf\b/.test(text));
		is(`${label} leaves the browser quiet`, complaints.join('; '), '');
		await page.close();
	}
}

// What the table says is what the JSON says, in the same order.
async function numbers(browser) {
	const json = await (await fetch(`${BASE}/leaderboard.json`)).json();
	const page = await browser.newPage();
	await page.goto(`${BASE}/leaderboard?view=full`);
	const table = async (id) => page.evaluate((h) => [...document.querySelectorAll(`section[aria-labelledby=${h}] tbody tr`)].map((tr) => [...tr.children].map((c) => c.textContent.replace(/\s+/g, ' ').trim())), id);
	const rows = await table('official-h');
	is(`${STATE}: as many official rows as in the JSON`, rows.length, json.official.length);
	const wrong = [];
	// Groups that never met stand apart, in the order in which they appear.
	const groups = [...new Set(json.official.map((r) => r.group))];
	const shown = groups.flatMap((g) => json.official.filter((r) => r.group === g));
	is(`${STATE}: a table for each group`, await page.evaluate(() => document.querySelectorAll('section[aria-labelledby=official-h] table').length), groups.length);
	// What holds of most rows is said once, above them.
	const open = json.official.filter((r) => !r.settled).length, many = json.official.length;
	const once = many > 1 && 2 * open > many, tied = json.official.every((r) => r.wins + r.losses === 0);
	const lede = (await page.evaluate(() => document.querySelector('.lede').textContent)).replace(/\s+/g, ' ').trim();
	is(`${STATE}: "not settled" is said once, or row by row`, lede.includes(`The order of ${open} of ${many} versions is not settled`), once && !tied);
	ok(`${STATE}: versions are not counted as prompts`, !/\d official prompt/.test(lede), lede);
	shown.forEach((r, i) => {
		const place = json.official.filter((o) => o.group === r.group).indexOf(r) + 1;
		const c = rows[i], full = r.rank_from === r.rank_to ? `${r.rank_from}` : `${r.rank_from}–${r.rank_to}`;
		const round = (x) => String(Math.sign(x) * Math.round(Math.abs(x)));
		const wanted = { 0: full, 2: round(r.elo), 5: String(r.matches) };
		for (const [k, v] of Object.entries(wanted)) if (c[k] !== v) wrong.push(`${r.slug} column ${k}: ${c[k]} is not ${v}`);
		if (!c[1].startsWith(r.title)) wrong.push(`${r.slug}: ${c[1]}`);
		if (!c[3].startsWith(round(r.order_free))) wrong.push(`${r.slug} order-free ${c[3]} is not ${r.order_free}`);
		if (r.lower !== undefined && !c[3].includes(`${round(r.order_free_lower)} to ${round(r.order_free_upper)}`)) wrong.push(`${r.slug} interval ${c[3]}`);
		if (!(r.order_free_lower <= r.order_free && r.order_free <= r.order_free_upper)) wrong.push(`${r.slug}: a rating outside its own interval`);
		if (r.lower !== Math.min(r.elo, r.order_free_lower) || r.upper !== Math.max(r.elo, r.order_free_upper)) wrong.push(`${r.slug}: lower and upper are not the ends of interval and Elo`);
		const above = (x, y) => x.group === y.group && x.order_free_lower > y.order_free_upper;
		if (r.rank_from !== 1 + json.official.filter((o) => above(o, r)).length) wrong.push(`${r.slug}: rank from ${r.rank_from}`);
		if (!c.includes(String(r.wins)) || !c.includes(`${r.ties} + ${r.both_poor}`)) wrong.push(`${r.slug} wins, ties: ${c}`);
		if (r.rank_to !== json.official.filter((o) => o.group === r.group && !above(r, o)).length) wrong.push(`${r.slug}: rank to ${r.rank_to}`);
		if (r.settled !== (r.rank_from === r.rank_to && r.rank_from === place)) wrong.push(`${r.slug}: settled ${r.settled} in place ${place} of ${full}`);
		if (c[3].includes('not settled') !== (!once && !r.settled)) wrong.push(`${r.slug} settled ${r.settled}: ${c[3]}`);
		const side = round(r.elo) - round(r.order_free_upper) > 0 ? 'above' : round(r.elo) - round(r.order_free_lower) < 0 ? 'below' : '';
		if ((/Elo is (above|below) it/.exec(c[3]) || ['', ''])[1] !== side) wrong.push(`${r.slug}: Elo ${side || 'within'}, but ${c[3]}`);
	});
	// The bar belongs to its dot: drawn from the order-free numbers alone.
	const places = await page.evaluate(() => [...document.querySelectorAll('section[aria-labelledby=official-h] tbody svg.bar')].map((s) => {
		const at = (q, a) => Number(s.querySelector(q).getAttribute(a));
		return { dot: at('circle', 'cx'), from: at('.span', 'x1'), to: at('.span', 'x2'), elo: at('.mark', 'x1') };
	}));
	shown.forEach((r, i) => {
		const p = places[i], scale = (p.to - p.from) / (r.order_free_upper - r.order_free_lower);
		const x = (v) => p.from + (v - r.order_free_lower) * scale;
		if (Math.abs(p.dot - x(r.order_free)) > 1 || Math.abs(p.elo - x(r.elo)) > 1) wrong.push(`${r.slug}: dot ${p.dot}, stroke ${p.elo}, bar ${p.from} to ${p.to}`);
	});
	is(`${STATE}: every number of the table is the JSON's`, wrong.slice(0, 5).join('\n'), '');
	const csv = (await (await fetch(`${BASE}/leaderboard.csv`)).text()).trim().split('\r\n').slice(1);
	is(`${STATE}: the CSV has the JSON's rows`, csv.length, json.official.length + json.provisional.length);
	ok(`${STATE}: with the same Elo, to the last digit`, json.official.every((r, i) => csv[i].split(',').includes(String(r.elo)) || csv[i].includes(r.elo.toPrecision(17).replace(/0+$/, ''))), csv[0]);
	await page.close();
	return json;
}

// The same votes through the command.
function rated(json, type) {
	const votes = fs.readFileSync(`${process.env.DIR}/votes.log`, 'utf8').trim().split('\n').map(JSON.parse);
	const counted = votes.filter((v) => v.k === 'vote' && v.c === 1 && (!type || v.type === type));
	const all = [...json.official, ...json.provisional];
	if (counted.length === 0) {
		ok(`${STATE}: without votes nobody has an order-free rating`, all.every((r) => r.order_free === undefined));
		return;
	}
	const file = `${process.env.DIR}/rate.csv`;
	fs.writeFileSync(file, 'model_a,model_b,winner,judge\n' + counted.map((v) => `${v.va},${v.vb},${{ a: 'model_a', b: 'model_b', tie: 'tie', both_poor: 'both_poor' }[v.w]},${v.u}`).join('\n') + '\n');
	const run = (args) => JSON.parse(execFileSync(process.env.PA_BIN, ['rate', ...args, '--format', 'json', file]));
	const bt = new Map(run(['--model', 'bt', '--intervals', 'sandwich']).ratings.map((r) => [r.name, r]));
	const elo = new Map(run(['--model', 'elo', '--intervals', 'none']).ratings.map((r) => [r.name, r]));
	const off = { elo: 0, rating: 0, bounds: 0, counts: 0 };
	for (const r of all) {
		const b = bt.get(r.digest), e = elo.get(r.digest);
		if (!b) {
			if (r.matches !== 0) off.counts++;
			continue;
		}
		off.elo = Math.max(off.elo, Math.abs(r.elo - e.rating));
		off.rating = Math.max(off.rating, Math.abs(r.order_free - b.rating));
		if (r.order_free_lower !== undefined)
			off.bounds = Math.max(off.bounds, Math.abs(r.order_free_lower - b.lower), Math.abs(r.order_free_upper - b.upper));
		if (r.wins !== b.wins || r.losses !== b.losses || r.matches !== b.matches) off.counts++;
	}
	const what = `${STATE}${type ? `, ${type}` : ''}: prompt-arena rate on the same votes gives the same`;
	is(`${what} Elo`, off.elo < 1e-9, true);
	ok(`${what} order-free ratings`, off.rating < 1e-6, String(off.rating));
	ok(`${what} intervals`, off.bounds < 1e-6, String(off.bounds));
	is(`${what} counts`, off.counts, 0);
}

// As far as our schemas go: JSON Schema in forty lines.
function faults(schema, v, root = schema, at = '$') {
	if (schema.$ref) return faults(root.$defs[schema.$ref.split('/').pop()], v, root, at);
	const kind = v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v, out = [];
	const known = ['$schema', '$defs', 'title', 'description', 'type', 'required', 'additionalProperties', 'properties', 'items', 'const', 'enum', 'pattern', 'minimum', 'maximum'];
	for (const k of Object.keys(schema)) if (!known.includes(k)) out.push(`${at}: the schema's ${k} is not looked at`);
	if (schema.type && schema.type !== (schema.type === 'integer' && Number.isInteger(v) ? 'integer' : kind)) return [`${at} is no ${schema.type}`];
	if ('const' in schema && v !== schema.const) out.push(`${at} is not ${schema.const}`);
	if (schema.enum && !schema.enum.includes(v)) out.push(`${at} is none of ${schema.enum}`);
	if (schema.pattern && !new RegExp(schema.pattern).test(v)) out.push(`${at} is not like ${schema.pattern}`);
	if (v < schema.minimum || v > schema.maximum) out.push(`${at} is ${v}`);
	if (kind === 'array' && schema.items) v.forEach((x, i) => out.push(...faults(schema.items, x, root, `${at}[${i}]`)));
	if (kind !== 'object') return out;
	for (const k of schema.required || []) if (!(k in v)) out.push(`${at}.${k} is missing`);
	for (const k of Object.keys(v)) {
		if (schema.properties && schema.properties[k]) out.push(...faults(schema.properties[k], v[k], root, `${at}.${k}`));
		else if (schema.additionalProperties === false) out.push(`${at}.${k} is not in the schema`);
	}
	return out;
}

// Files say what the schema says, and whether a program made the votes.
async function documented(json) {
	const simulated = STATE === 'sample';
	const [a, b] = json.official;
	const files = { leaderboard: ['/leaderboard.json', '/leaderboard.json?type=coding'], compare: b ? [`/compare.json?a=${a.slug}:${a.version}&b=${b.slug}:${b.version}`] : [], plot: NAMES.map((n) => `/plot/${n}.json`) };
	for (const [name, paths] of Object.entries(files)) {
		const schema = JSON.parse(fs.readFileSync(`${process.env.PA_SRC}/schema/${name}.schema.json`, 'utf8'));
		for (const path of paths) {
			const v = await (await fetch(BASE + path)).json();
			is(`${STATE}: ${path} is as its schema says`, faults(schema, v).slice(0, 5).join('; '), '');
			is(`${STATE}: ${path} says whether a program made the votes`, v.simulated, simulated);
		}
	}
	for (const path of ['/leaderboard.csv', ...NAMES.map((n) => `/plot/${n}.csv`)]) {
		const lines = (await (await fetch(BASE + path)).text()).trim().split('\r\n');
		ok(`${STATE}: so does every line of ${path}`, /,simulated$/.test(lines[0]) && lines.slice(1).every((l) => l.endsWith(simulated ? ',1' : ',0')), lines.slice(0, 2));
	}
	const schema = JSON.parse(fs.readFileSync(`${process.env.PA_SRC}/schema/leaderboard.schema.json`, 'utf8'));
	const head = (await (await fetch(`${BASE}/leaderboard.csv`)).text()).split('\r\n')[0].replace('\ufeff', '').split(',');
	is(`${STATE}: the CSV has the schema's names`, head.slice().sort().join(), [...Object.keys(schema.$defs.official.properties), 'section', 'simulated'].sort().join());
}

// The public ledger alone is enough for every rating.
async function published(json) {
	const votes = (await (await fetch(`${BASE}/ledger.jsonl`)).text()).trim().split('\n').map(JSON.parse).filter((v) => v.k === 'vote' && v.c === 1);
	if (votes.length === 0) return;
	const file = `${process.env.DIR}/public.csv`;
	fs.writeFileSync(file, 'a,b,winner\n' + votes.map((v) => `${v.va},${v.vb},${{ a: 'a', b: 'b', tie: 'tie', both_poor: 'tie' }[v.w]}`).join('\n') + '\n');
	for (const [model, key] of [['bt', 'order_free'], ['elo', 'elo']]) {
		const rated = new Map(JSON.parse(execFileSync(process.env.PA_BIN, ['rate', '--model', model, '--intervals', 'none', '--format', 'json', file])).ratings.map((r) => [r.name, r.rating]));
		const off = Math.max(...[...json.official, ...json.provisional].filter((r) => rated.has(r.digest)).map((r) => Math.abs(r[key] - rated.get(r.digest))));
		ok(`${STATE}: the public ledger, rated by ${model}, gives the board`, off < 1e-6, String(off));
	}
}

async function compare(browser, json) {
	const [a, b] = json.official;
	is(`${STATE}: /compare of one prompt asks for another`, (await fetch(`${BASE}/compare`)).status, 200);
	is(`${STATE}: /compare of an unknown prompt is not found`, (await fetch(`${BASE}/compare?a=nobody&b=nobody`)).status, 404);
	if (!b) return;
	const path = `/compare?a=${a.slug}:${a.version}&b=${b.slug}:${b.version}`;
	await inspect(browser, path);
	const page = await browser.newPage();
	await page.goto(BASE + path);
	const text = (await page.evaluate(() => document.querySelector('main').textContent)).replace(/\s+/g, ' ');
	const j = await (await fetch(BASE + path.replace('/compare', '/compare.json'))).json();
	const log = fs.readFileSync(`${process.env.DIR}/votes.log`, 'utf8').trim().split('\n').map(JSON.parse)
		.filter((v) => v.k === 'vote' && v.c === 1 && [v.va, v.vb].sort().join() === [a.digest, b.digest].sort().join());
	is(`${STATE}: wins of the first as the ledger has them`, j.a_won, log.filter((v) => v.w === (v.va === a.digest ? 'a' : 'b')).length);
	is(`${STATE}: ties as the ledger has them`, j.ties, log.filter((v) => v.w === 'tie' || v.w === 'both_poor').length);
	if (j.share !== undefined) ok(`${STATE}: the page says the share and its interval`, text.includes(`${(100 * j.share).toFixed(1)} %`) && text.includes(`${(100 * j.share_lower).toFixed(1)} to ${(100 * j.share_upper).toFixed(1)}`), text.slice(0, 900));
	if (j.share !== undefined) ok(`${STATE}: the sequence is wider than the interval of one look`, j.sequence_lower <= j.share_lower + 1e-9 && j.sequence_upper >= j.share_upper - 1e-9);
	const words = { clear_a: 'clearly better', clear_b: 'clearly better', probable_a: 'probably better', probable_b: 'probably better', equal: 'practically equal', open: 'cannot be told apart', no_votes: 'not met yet' };
	ok(`${STATE}: the verdict in words`, text.includes(words[j.verdict]), `${j.verdict}: ${text.slice(0, 300)}`);
	await page.close();
}

async function pictures(browser) {
	for (const name of NAMES) {
		for (const w of ['', '?w=narrow']) {
			const r = await fetch(`${BASE}/plot/${name}.svg${w}`);
			const svg = await r.text();
			is(`${STATE}: ${name}.svg${w} is a picture`, r.headers.get('content-type'), 'image/svg+xml');
			is(`${STATE}: ${name}.svg${w} may be embedded`, r.headers.get('cross-origin-resource-policy'), 'cross-origin');
			ok(`${STATE}: ${name}.svg${w} has role, title, description and an ETag`, /role="img"/.test(svg) && /<title>[^<]/.test(svg) && /<desc>[^<]/.test(svg) && r.headers.get('etag'));
			ok(`${STATE}: ${name}.svg${w} has no NaN`, !/nan|inf\b/i.test(svg.replace(/<style>.*<\/style>/s, '')));
			const again = await fetch(`${BASE}/plot/${name}.svg${w}`, { headers: { 'if-none-match': r.headers.get('etag') } });
			ok(`${STATE}: ${name}.svg${w} is not sent twice`, again.status === 304 || again.status === 200 && again.headers.get('etag') !== r.headers.get('etag'));
		}
		const csv = (await (await fetch(`${BASE}/plot/${name}.csv`)).text()).trim().split('\r\n');
		const json = await (await fetch(`${BASE}/plot/${name}.json`)).json();
		is(`${STATE}: ${name}: CSV and JSON have the same rows`, csv.length - 1, json.rows.length);
	}
	const page = await browser.newPage();
	await page.goto(`${BASE}/plot/intervals.svg`);
	ok(`${STATE}: a picture alone is an SVG document`, await page.evaluate(() => document.documentElement.localName === 'svg' && getComputedStyle(document.documentElement).backgroundColor !== 'rgba(0, 0, 0, 0)'));
	await page.close();
	is(`${STATE}: other answers may not be embedded`, (await fetch(`${BASE}/leaderboard.json`)).headers.get('cross-origin-resource-policy'), 'same-origin');
	is(`${STATE}: an unknown picture is not found`, (await fetch(`${BASE}/plot/nothing.svg`)).status, 404);
	is(`${STATE}: an unknown width is refused`, (await fetch(`${BASE}/plot/days.svg?w=huge`)).status, 400);
}

// Every text of a picture against what it may stand on, in both themes.
async function contrasts(browser) {
	for (const colorScheme of ['light', 'dark']) {
		const page = await browser.newPage();
		await page.emulateMedia({ colorScheme });
		await page.goto(`${BASE}/pictures`);
		const low = await page.evaluate(() => {
			const probe = document.createElement('i');
			document.body.append(probe);
			const rgb = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number); };
			const lum = (c) => c.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((a, v, i) => a + v * [0.2126, 0.7152, 0.0722][i], 0);
			const ratio = (a, b) => { const [x, y] = [lum(a), lum(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
			const pairs = [['--ink', '--card'], ['--ink-soft', '--card']];
			for (let k = 2; k <= 6; k++) pairs.push(['--ink', `--h${k}`]);
			for (const k of [0, 1, 7, 8]) pairs.push(['--h-ink', `--h${k}`]);
			return pairs.map(([a, b]) => [a, b, ratio(rgb(a), rgb(b))]).filter((p) => p[2] < 4.5).map((p) => `${p[0]} on ${p[1]}: ${p[2].toFixed(2)}`);
		});
		is(`${STATE}: texts in pictures are readable (${colorScheme})`, low.join('; '), '');
		await page.close();
	}
}

(async () => {
	const browser = await launch();
	for (const path of PATHS) await part(path, () => inspect(browser, path));
	await part('numbers', async () => {
		const json = await numbers(browser);
		rated(json);
		await published(json);
		await documented(json);
		await compare(browser, json);
		rated(await (await fetch(`${BASE}/leaderboard.json?type=coding`)).json(), 'coding');
	});
	if (STATE === 'ties') await part('contrasts', () => contrasts(browser));
	await part('voters', async () => {
		is(`${STATE}: nobody but administrators sees who votes well`, (await fetch(`${BASE}/raters`)).status, 403);
		const admin = await signedIn(browser, 'admin');
		const page = await admin.newPage();
		const r = await page.goto(`${AUTH}/raters`);
		is(`${STATE}: administrators do`, r.status(), 200);
		await keep(`${STATE}-raters`, r);
		is(`${STATE}: that page has no accessibility fault`, (await axe(page)).join('\n'), '');
		is(`${STATE}: and fits`, (await overflow(page)).join('; '), '');
		await admin.close();
	});
	await part('pictures', () => pictures(browser));
	await browser.close();
	done();
})();
