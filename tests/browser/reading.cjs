// reading - the order in which pages are read and tabbed through, what a
// screen reader is told there, and what comes out of a printer.
'use strict';
const { BASE, AUTH, signedIn, ok, is, done, part, launch } = require('./lib.cjs');

const value = (x) => x && x.value !== undefined ? x.value : '';
const prop = (n, name) => value((n.properties || []).map((p) => p.name === name ? p.value : undefined).find((v) => v));

// What assistive technology sees, in reading order.
async function tree(page) {
	const cdp = await page.context().newCDPSession(page);
	const { nodes } = await cdp.send('Accessibility.getFullAXTree');
	const byId = new Map(nodes.map((n) => [n.nodeId, n]));
	const out = [];
	await cdp.send('DOM.enable');
	const walk = (n, inside) => {
		const node = { role: value(n.role), name: String(value(n.name)).replace(/\s+/g, ' ').trim(), desc: String(value(n.description)).trim(), level: prop(n, 'level'), focusable: prop(n, 'focusable') === true, ignored: n.ignored, inside, dom: n.backendDOMNodeId };
		if (!n.ignored) out.push(node);
		for (const id of n.childIds || []) if (byId.has(id)) walk(byId.get(id), n.ignored ? inside : [...inside, node]);
	};
	walk(nodes.find((n) => !n.parentId), []);
	// A scrolling box of code, of a table or a formula inside an answer is read
	// by its content: what it is called nobody has said.
	for (const n of out.filter((o) => o.focusable && !o.name)) {
		const { object } = await cdp.send('DOM.resolveNode', { backendNodeId: n.dom });
		const { result } = await cdp.send('Runtime.callFunctionOn', { objectId: object.objectId, functionDeclaration: 'function() { return this.nodeType === 1 && this.matches(".prose pre, .prose .table, .prose .math"); }' });
		n.content = result.value;
		n.what = object.description;
	}
	await cdp.detach();
	return out;
}

const LANDMARKS = ['banner', 'navigation', 'main', 'contentinfo', 'complementary', 'search'];
const PICTURES = ['img', 'image', 'graphics-document', 'SvgRoot'];

const outline = (all) => all.filter((n) => n.role === 'heading' || n.role === 'table' || n.role === 'figure' || n.role === 'article')
	.map((n) => n.role === 'heading' ? `h${n.level} ${n.name}` : `${n.role} ${n.name}`);

// What holds on every page, whatever is on it.
async function common(page, label, summary = false) {
	const all = await tree(page);
	const marks = all.filter((n) => LANDMARKS.includes(n.role));
	const order = marks.map((n) => n.role).filter((r, i, a) => r !== 'navigation' || a[i - 1] === 'banner');
	is(`${label}: banner, navigation, main, contentinfo, each once and in this order`, order.join(' '), 'banner navigation main contentinfo');
	is(`${label}: every navigation has its own name`, new Set(marks.filter((n) => n.role === 'navigation').map((n) => n.name).filter(Boolean)).size, marks.filter((n) => n.role === 'navigation').length);
	const levels = all.filter((n) => n.role === 'heading').map((n) => n.level);
	is(`${label}: one heading of the first level, which comes first${summary ? ' after the summary' : ''}`, `${levels.filter((l) => l === 1).length} ${levels[summary ? 1 : 0]}`, '1 1');
	is(`${label}: no level of headings is skipped`, levels.filter((l, i) => i > 0 && l > levels[i - 1] + 1).join(), '');
	is(`${label}: headings have words`, all.filter((n) => n.role === 'heading' && !n.name).length, 0);
	is(`${label}: nothing takes the focus without a name`, all.filter((n) => n.focusable && n.role !== 'RootWebArea' && !n.name && !n.content).map((n) => n.what).join(), '');
	is(`${label}: every table, figure, article and form group has a name`, all.filter((n) => ['table', 'figure', 'article', 'radiogroup', 'group'].includes(n.role) && !n.name && n.focusable !== false).filter((n) => n.role !== 'group' || n.focusable).map((n) => n.role).join(), '');
	is(`${label}: every picture has a name and a description`, all.filter((n) => PICTURES.includes(n.role) && (!n.name || !n.desc)).map((n) => `${n.role} "${n.name}"`).join(), '');
	is(`${label}: every column has a name`, all.filter((n) => n.role === 'columnheader' && !n.name).length, 0);
	is(`${label}: no marker of a sort is read in a column's name`, all.filter((n) => n.role === 'columnheader' && /[▾▴▲▼]/.test(n.name)).length, 0);
	await tabbing(page, label);
	return all;
}

// The Tab key goes through everything that can be reached, in the order of the
// document, and what it reaches is seen.
async function tabbing(page, label) {
	const wanted = await page.evaluate(() => {
		// From the top, wherever the page has put the focus.
		document.body.tabIndex = -1;
		document.body.focus();
		document.body.removeAttribute('tabindex');
		window.scrollTo(0, 0);
		const list = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')].filter((e) => {
			const closed = e.closest('details:not([open])');
			return !e.disabled && e.type !== 'hidden' && e.tabIndex >= 0 && e.getClientRects().length > 0 && (!closed || e.localName === 'summary' && e.parentElement === closed);
		});
		// A group of radio buttons is one stop.
		const stops = list.filter((e) => e.type !== 'radio' || e === list.find((o) => o.type === 'radio' && o.name === e.name));
		stops.forEach((e, i) => { e.dataset.stop = i; });
		return { stops: stops.length, positive: list.filter((e) => e.tabIndex > 0).length };
	});
	is(`${label}: nobody jumps the queue of the Tab key`, wanted.positive, 0);
	const seen = [], hidden = [];
	for (let i = 0; i <= wanted.stops; i++) {
		await page.keyboard.press('Tab');
		const at = await page.evaluate(() => {
			const e = document.activeElement, r = e.getBoundingClientRect();
			const stop = e.type === 'radio' ? document.querySelector(`input[data-stop][name="${e.name}"]`) : e;
			return { stop: stop.dataset.stop === undefined ? -1 : Number(stop.dataset.stop), shown: r.width > 0 && r.bottom > 0 && r.top < innerHeight, what: `${e.localName} ${e.textContent.trim().slice(0, 40)}` };
		});
		if (at.stop < 0) break;
		seen.push(at.stop);
		if (!at.shown) hidden.push(at.what);
	}
	const first = seen.findIndex((s, i) => s !== i);
	ok(`${label}: the Tab key reaches all ${wanted.stops} stops in reading order`, seen.length === wanted.stops && first < 0, `${seen.length} of ${wanted.stops}; ${seen.slice(Math.max(0, first - 2), first + 3)}`);
	is(`${label}: what has the focus is on the screen`, hidden.slice(0, 3).join('; '), '');
}

async function board(browser) {
	const page = await browser.newPage();
	const json = await (await fetch(`${BASE}/leaderboard.json`)).json();
	for (const view of ['', '?view=full']) {
		await page.goto(`${BASE}/leaderboard${view}`);
		const all = await common(page, `board${view}`);
		const parts = ['h1 Leaderboard', 'h2 Official', 'table Official', 'h2 Provisional', ...(json.provisional.length ? ['table Provisional'] : []), 'h2 How to read this'];
		is(`board${view}: headings and tables in this order`, outline(all).join(' | '), parts.join(' | '));
		const rows = all.filter((n) => n.role === 'rowheader').map((n) => n.name);
		ok(`board${view}: each row is named by its prompt, in the board's order`, json.official.every((r, i) => rows[i].startsWith(`${r.title} v${r.version}`)), rows.slice(0, 3));
		const heads = all.filter((n) => n.role === 'columnheader').map((n) => n.name);
		is(`board${view}: columns at first sight`, heads.slice(0, 7).join(' | '), 'Rank | Prompt | Elo | Order-free, 95 % interval | Drawn | Matches | Neither good');
	}
	await page.close();
}

async function compare(browser) {
	const page = await browser.newPage();
	const [a, b] = (await (await fetch(`${BASE}/leaderboard.json`)).json()).official;
	await page.goto(`${BASE}/compare?a=${a.slug}:${a.version}&b=${b.slug}:${b.version}`);
	const all = await common(page, 'compare');
	is('compare: headings and tables in this order', outline(all).join(' | '), 'h1 Is one really better? | h2 Their own matches | table Their own matches | h2 How sure that is | h2 What the ratings foretell');
	const boxes = all.filter((n) => n.role === 'combobox').map((n) => n.name);
	is('compare: both choices are labelled, in order', boxes.join(' | '), 'One prompt | The other');
	await page.close();
}

async function card(browser) {
	const page = await browser.newPage();
	const { title } = (await (await fetch(`${BASE}/leaderboard.json`)).json()).official.find((r) => r.slug === 'socratic');
	await page.goto(`${BASE}/prompt/socratic`);
	const all = await common(page, 'card');
	const heads = outline(all);
	is('card: the prompt, its newest version, its table', heads.slice(0, 3).join(' | ').replace(/ (official|provisional)/g, ''), `h1 ${title} | h2 Version 2 | table Version 2`);
	ok('card: ends with the rating over time', /^h2 Rating over time$/.test(heads[heads.length - 1]) && heads[heads.length - 2].startsWith('figure Rating over time'), heads);
	await page.close();
}

async function pictures(browser) {
	const page = await browser.newPage();
	await page.goto(`${BASE}/pictures`);
	const all = await common(page, 'pictures');
	const figures = all.filter((n) => n.role === 'figure');
	is('pictures: seven figures', figures.length, 7);
	const images = all.filter((n) => PICTURES.includes(n.role));
	is('pictures: each with one picture, named by the figure\'s finding', images.filter((n, i) => n.name === figures[i].name).length, 7);
	is('pictures: nothing inside a picture is read besides', all.filter((n) => n.inside.some((o) => PICTURES.includes(o.role)) && (n.focusable || !['generic', 'StaticText', 'InlineTextBox'].includes(n.role))).map((n) => n.role).join(), '');
	await page.close();
}

async function methodology(browser) {
	const page = await browser.newPage();
	await page.goto(`${BASE}/methodology`);
	await common(page, 'methodology');
	await page.close();
}

// A match, the form after a mistake, and the reveal.
async function match(browser) {
	const alice = await signedIn(browser, 'alice');
	const page = await alice.newPage();
	await page.goto(`${AUTH}/arena`);
	await common(page, 'arena');
	await Promise.all([page.waitForURL(/match/), page.locator('main form button[type=submit]').first().click()]);
	let all = await common(page, 'match');
	const top = outline(all).filter((s) => /^(h[12]|article)/.test(s));
	is('match: question, A, B, vote', top.join(' | '), 'h1 Which answer is better? | h2 Question | article Answer A | h2 Answer A | article Answer B | h2 Answer B | h2 Your vote');
	const form = all.filter((n) => n.inside.some((o) => o.role === 'main') && (n.role === 'radio' || n.role === 'button' || n.role === 'DisclosureTriangle')).map((n) => n.name);
	is('vote form: four choices, more, vote, skip', form.join(' | '), 'A is better | B is better | About the same (a tie) | Neither is good (also a tie) | Say more | Vote | Skip');
	ok('vote form: the choices stand in a group that says what it is about', all.filter((n) => n.role === 'radio').every((n) => n.inside.some((o) => (o.role === 'group' || o.role === 'radiogroup') && /Your vote/.test(o.name))));
	await Promise.all([page.waitForLoadState(), page.locator('button[value=vote]').click()]);
	await page.waitForSelector('.error-summary');
	all = await common(page, 'vote form after a mistake', true);
	ok('vote form after a mistake: what is wrong is read first', /^h\d/.test(outline(all)[0]) && all.findIndex((n) => /Choose one/.test(n.name)) < all.findIndex((n) => n.role === 'article'), outline(all)[0]);
	await page.locator('#choice-a').check();
	await Promise.all([page.waitForURL(/result/), page.locator('button[value=vote]').click()]);
	all = await common(page, 'reveal');
	const heads = outline(all).map((s) => s.replace(/ Your choice/, ''));
	is('reveal: both sides, the receipt, the question', heads.filter((s) => /^(h1|article|h2 Your|h2 The)/.test(s)).join(' | '), 'h1 The prompts behind the answers | article Answer A | article Answer B | h2 Your receipt | h2 The question was');
	await alice.close();
}

// --------------------------------------------------------- tables on a phone

// Mean brightness of columns of pixels of a clip, by the browser's own decoder.
async function brightness(blank, png) {
	return blank.evaluate(async (data) => {
		const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
		const c = new OffscreenCanvas(image.width, image.height).getContext('2d');
		c.drawImage(image, 0, 0);
		const d = c.getImageData(0, 0, image.width, image.height).data, out = [];
		for (let x = 0; x < image.width; x++) {
			let sum = 0;
			for (let y = 0; y < image.height; y++) sum += d[4 * (y * image.width + x)] + d[4 * (y * image.width + x) + 1] + d[4 * (y * image.width + x) + 2];
			out.push(sum / image.height / 3);
		}
		return out;
	}, png.toString('base64'));
}

async function sideways(browser) {
	const blank = await browser.newPage();
	for (const colorScheme of ['light', 'dark']) {
		const page = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme });
		await page.goto(`${BASE}/leaderboard?view=full`);
		const box = page.locator('.scroll').first();
		await page.locator('.scroll tbody tr').first().scrollIntoViewIfNeeded();
		// Rows without letters, so that nothing but the shade is measured.
		await page.evaluate(() => document.querySelectorAll('.scroll tbody td, .scroll tbody th').forEach((e) => { e.replaceChildren(); }));
		const edges = async (left) => {
			await box.evaluate((e, x) => { e.scrollLeft = x; }, left);
			const b = await page.locator('.scroll tbody tr').first().evaluate((e) => e.getBoundingClientRect().toJSON());
			const s = await box.evaluate((e) => e.getBoundingClientRect().toJSON());
			const clip = { y: b.y + 3, height: b.height - 6 };
			const take = async (x) => { const v = await brightness(blank, await page.screenshot({ clip: { ...clip, x, width: 4 } })); return v[v.length >> 1]; };
			return { start: await take(s.x + 2), middle: await take(s.x + s.width / 2), end: await take(s.right - 6) };
		};
		const differs = (a, b) => Math.abs(a - b) > 12;
		const wide = await box.evaluate((e) => e.scrollWidth - e.clientWidth);
		ok(`${colorScheme}: the full board is wider than a phone`, wide > 50, wide);
		const at0 = await edges(0), mid = await edges(wide / 2), end = await edges(wide);
		ok(`${colorScheme}: a shade shows that there is more to the right`, differs(at0.end, at0.middle) && !differs(at0.start, at0.middle), at0);
		ok(`${colorScheme}: on both sides, half-way`, differs(mid.end, mid.middle) && differs(mid.start, mid.middle), mid);
		ok(`${colorScheme}: and to the left alone at the end`, !differs(end.end, end.middle) && differs(end.start, end.middle), end);
		await page.close();
		const still = await browser.newPage({ viewport: { width: 360, height: 740 }, colorScheme });
		await still.addInitScript(() => {
			window.shifts = 0;
			new PerformanceObserver((l) => l.getEntries().forEach((e) => { window.shifts += e.value; })).observe({ type: 'layout-shift', buffered: true });
		});
		await still.goto(`${BASE}/leaderboard?view=full`, { waitUntil: 'networkidle' });
		is(`${colorScheme}: nothing moves after the page has come`, await still.evaluate(() => window.shifts), 0);
		await still.close();
	}
	await blank.close();
}

// ------------------------------------------------------------------ printing

const A4 = { width: 794, height: 1123 }; // CSS pixels
const MARGIN = 57; // 15 mm
const pages = (pdf) => (pdf.toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g) || []).length;

async function printed(browser) {
	const page = await browser.newPage({ colorScheme: 'dark' });
	const official = (await (await fetch(`${BASE}/leaderboard.json`)).json()).official.length;
	await page.goto(`${BASE}/leaderboard`);
	const margin = `${MARGIN}px`;
	const pdf = await page.pdf({ format: 'A4', margin: { top: margin, bottom: margin, left: margin, right: margin } });
	is(`print: a board of ${official} prompts comes on one page`, pages(pdf), 1);
	const long = await browser.newPage();
	await long.goto(`${BASE}/leaderboard`);
	await long.evaluate(() => {
		const rows = document.querySelector('section[aria-labelledby=official-h] tbody');
		while (rows.children.length < 20) rows.append(rows.children[rows.children.length % 5].cloneNode(true));
	});
	is('print: one of 20 as well', pages(await long.pdf({ format: 'A4', margin: { top: margin, bottom: margin, left: margin, right: margin } })), 1);
	await long.close();
	if (process.env.SHOTS) require('fs').writeFileSync(`${process.env.SHOTS}/board.pdf`, pdf);
	await page.emulateMedia({ media: 'print' });
	await page.setViewportSize({ width: A4.width - 2 * MARGIN, height: A4.height - 2 * MARGIN });
	if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/print.png`, fullPage: true });
	const seen = await page.evaluate(() => {
		const shown = (e) => e && e.getClientRects().length > 0;
		const bars = [...document.querySelectorAll('section[aria-labelledby=official-h] tbody svg.bar')];
		const cite = document.querySelector('.printed');
		const wide = document.querySelector('table.board').getBoundingClientRect();
		const colours = new Set();
		const backs = new Set();
		for (const e of document.querySelectorAll('main *')) {
			if (!shown(e)) continue;
			const c = getComputedStyle(e);
			if ([...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) colours.add(c.color);
			if (e.closest('svg')) { if (c.stroke !== 'none') colours.add(c.stroke); if (e.localName === 'circle') colours.add(c.fill); }
			if (!/, 0\)$/.test(c.backgroundColor)) backs.add(c.backgroundColor);
		}
		return { bars: bars.length, drawn: bars.filter((b) => shown(b) && shown(b.querySelector('circle')) && shown(b.querySelector('.span')) && shown(b.querySelector('.mark'))).length,
			cite: shown(cite) ? cite.textContent.replace(/\s+/g, ' ') : '', right: Math.round(wide.right), width: innerWidth, nav: shown(document.querySelector('nav')), form: shown(document.querySelector('form')), colours: [...colours], backs: [...backs] };
	});
	is('print: every row has its dot, bar and stroke', seen.drawn, official);
	ok('print: nothing is cut off at the right', seen.right <= seen.width, `${seen.right} of ${seen.width}`);
	ok('print: the citation names the site, the date and the parameters', /How to cite: .*\d{4}-\d\d-\d\d.*K = 32.*start 1500/.test(seen.cite), seen.cite);
	ok('print: neither navigation nor forms', !seen.nav && !seen.form);
	const grey = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map(Number); return Math.max(r, g, b) - Math.min(r, g, b) <= 8; };
	const luminance = (c) => c.match(/[\d.]+/g).slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((a, v, i) => a + v * [0.2126, 0.7152, 0.0722][i], 0);
	is('print: black, white and greys alone', [...seen.colours, ...seen.backs].filter((c) => !grey(c)).join('; '), '');
	is('print: on white paper, also from a dark screen', seen.backs.filter((c) => luminance(c) < 0.9).join('; '), '');
	is('print: every text and mark stands out from the paper', seen.colours.filter((c) => 1.05 / (luminance(c) + 0.05) < 2.5).join('; '), '');
	await page.close();
}

(async () => {
	const browser = await launch();
	for (const [name, fn] of Object.entries({ board, compare, card, pictures, methodology, match, sideways, printed })) await part(name, () => fn(browser));
	await browser.close();
	done();
})();
