// languages - every page in every language beside the same page in English.
//
// usage: node languages.cjs
// (BASE, AUTH, CONF_DIR, TEMPLATES: folder, LANGS: "fa zh-Hant-TW")
// A text that is the same in both is a fault, unless it comes from the catalog,
// from a person, or stands on the list below.  A sentence that is new in a
// template and waits for its translators is none either, as long as few do.
'use strict';
const fs = require('fs');
const path = require('path');
const { ok, done, part } = require('../tap.cjs');
const { BASE, AUTH, CONF_DIR, TEMPLATES } = process.env;
const WAITING_SHARE = 0.03; // of the sentences of all templates, at most
const LANGS = process.env.LANGS.split(' ');

// Names, formats and formulas that are written alike everywhere.
const ALIKE = new RegExp('^(?:' + [
	'Elo', 'JSON|CSV|SVG', '(Prompt Arena|Example University|sample answers)( – Prompt Arena)?', '· Prompt Arena',
	'prompt-arena( [\\w.-]+)*', 'prompt-arena@example\\.edu', 'arena\\.xml', 'https?://\\S+',
	'[a-z][a-z_]+', // names in files: order_free_lower
	'[0-9a-f]{64}', 'alice|bob|teacher|admin', 'UTC', 'AI TA', 'urn:uuid:[0-9a-f-]+',
	'= 1 / \\(1 \\+ 10', 'v\\d+', '\\{\\w+\\}',
].join('|') + ')$');

// Everything that the catalog or a person wrote.
const WRITTEN = [];
(function read(dir) {
	for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
		const file = path.join(dir, e.name);
		if (e.isDirectory()) read(file);
		else WRITTEN.push(fs.readFileSync(file, 'utf8'));
	}
})(CONF_DIR);
const plain = (s) => s.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&#(x?)([0-9a-f]+);/gi,
	(_, x, d) => String.fromCodePoint(parseInt(d, x ? 16 : 10))).replace(/&amp;/g, '&').replace(/\s+/g, ' ').trim();
const catalog = plain(WRITTEN.join('\n').replace(/[*_`#|]/g, ''));
const wrote = ['Which prompt explains best?', 'The one with the picture.', 'words that nobody wrote', 'Socratic', 'Edited words.', 'Please look.'];
const isData = (s) => isWritten(s.replace(/^: | – Prompt Arena$/g, ''));
const isWritten = (t) => wrote.includes(t) || catalog.includes(t.replace(/[*_`#|]/g, '').replace(/ ?…?( v\d+)?$/, '').trim());

// What a page says: its texts and what is heard of its attributes.  What the
// catalog or a person wrote is left out where the page marks it: the markup of
// answers, questions and posts, and a name or a question in a line (bdi).
function texts(page) {
	const out = [];
	const skip = [];
	for (const m of page.replace(/<![^]*?>/, '').replace(/<!--[^]*?-->/g, '').matchAll(/<(\/?)([\w:]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|([^<]+)/g)) {
		if (m[5] !== undefined) {
			if (skip.length === 0) out.push(plain(m[5]));
			continue;
		}
		const [, end, name, attrs, empty] = m;
		if (skip.length) {
			if (name === skip[skip.length - 1].name) {
				if (end) skip[skip.length - 1].deep--;
				else if (!empty) skip[skip.length - 1].deep++;
				if (skip[skip.length - 1].deep === 0) skip.pop();
			}
			continue;
		}
		if (end) continue;
		for (const a of attrs.matchAll(/ (alt|title|placeholder|aria-label|aria-description)="([^"]*)"/g)) out.push(plain(a[2]));
		if (!empty && (/ class="prose/.test(attrs) || /^(?:bdi|pre|code|style|textarea)$/.test(name) ||
		    / t:(?:text|markup|include)="/.test(attrs)))
			skip.push({ name, deep: 1 });
	}
	return out.filter((t) => /[A-Za-z]{2}/.test(t));
}

// Which sentences are still the English ones in a language's templates.
const waiting = {};
let sentences = 0;
for (const file of fs.readdirSync(TEMPLATES).filter((f) => f.endsWith('.xhtml'))) {
	// The parts that are put into pages, and the list of messages, have a title
	// and a remark for designers; languages are called by their own names.
	const of = (lang) => texts(fs.readFileSync(path.join(TEMPLATES, lang, file), 'utf8').replace(/<body>\s*(?:<!--.*-->\s*)?<p>.*/, '')
		.replace(/^<li t:message="lang\..*$/gm, '')
		.replace(file === 'messages.xhtml' ? /<head>[^]*?<ul>/ : '', ''));
	const english = of('');
	if (!/<main/.test(fs.readFileSync(path.join(TEMPLATES, file), 'utf8')) && file !== 'head.xhtml') english.shift(); // its title
	sentences += english.length;
	for (const lang of LANGS) {
		const there = new Set(of(lang));
		for (const t of english)
			if (there.has(t) && !ALIKE.test(t)) (waiting[lang] = waiting[lang] || new Set()).add(t);
	}
}
for (const lang of LANGS) {
	const left = [...(waiting[lang] || [])];
	ok(`${lang}: all but a few of ${sentences} sentences are translated`, left.length <= sentences * WAITING_SHARE, left.join('\n'));
	for (const t of left) console.log(`# ${lang} waits: ${t.slice(0, 100)}`);
}
const waits = (lang, t) => [...(waiting[lang] || [])].some((w) => t === w || (w.includes(' ') && t.includes(w)));

const jars = {};
async function ask(who, method, url, lang, form) {
	const headers = { 'accept-language': lang, 'sec-fetch-site': 'same-origin' };
	if (who !== 'nobody' && who !== 'guest') headers.authorization = 'Basic ' + Buffer.from(`${who}:${who}`).toString('base64');
	if (jars[who]) headers.cookie = jars[who];
	const r = await fetch((headers.authorization ? AUTH : BASE) + url, { method, headers, redirect: 'manual',
		body: form === undefined ? undefined : new URLSearchParams(form) });
	const set = r.headers.get('set-cookie');
	if (set && who === 'guest') jars[who] = set.split(';')[0];
	return { status: r.status, headers: r.headers, body: await r.text(), location: r.headers.get('location') };
}
async function token(who, url) {
	const r = await ask(who, 'GET', url, 'en');
	return (/name="csrf"[^>]*value="([^"]*)"/.exec(r.body) || [])[1] || '';
}
const post = async (who, url, page, form) => ask(who, 'POST', url, 'en', { csrf: await token(who, page), ...form });

const seen = { pages: 0 };
async function compare(who, url, method = 'GET', form = undefined) {
	const csrf = form === undefined ? '' : await token(who, form.from);
	const body = form === undefined ? undefined : { csrf, ...form.fields };
	const english = await ask(who, method, url, 'en', body);
	const picture = english.headers.get('content-type') === 'image/svg+xml';
	for (const lang of LANGS) {
		const label = `${who} ${method} ${url.replace(/[a-z2-7]{26}/, 'TOKEN')} in ${lang}`;
		const r = await ask(who, method, url, lang, body);
		const dir = lang === 'fa' ? 'rtl' : 'ltr';
		seen.pages++;
		ok(`${label} answers alike`, r.status === english.status, `${r.status} instead of ${english.status}`);
		if (!picture) ok(`${label} says so`, r.body.includes(` lang="${lang}" xml:lang="${lang}" dir="${dir}"`), r.body.slice(0, 300));
		ok(`${label} is called so`, r.headers.get('content-language') === lang);
		const same = new Set(texts(english.body));
		const left = texts(r.body).filter((t) => same.has(t) && !ALIKE.test(t) && !isData(t) && !waits(lang, t));
		ok(`${label} has no sentence in English`, left.length === 0, [...new Set(left)].join('\n'));
		if (lang === 'fa' && !picture) {
			// Values are in Persian digits, wherever they stand in a sentence.
			const main = (/<main[^]*<\/main>/.exec(r.body) || [''])[0];
			const latin = [...main.matchAll(/<span[^>]*>(\d+)<\/span>/g)].map((m) => m[0]);
			ok(`${label} has Persian digits`, latin.length === 0, latin.join('\n'));
		}
	}
}

part('languages', async () => {
	const slugs = (await (await fetch(BASE + '/leaderboard.json')).json());
	const slug = [...slugs.official, ...slugs.provisional][0].slug;
	const shared = ['/', '/arena', '/leaderboard', '/leaderboard?view=full', '/leaderboard?type=coding', '/methodology', '/privacy',
		'/accessibility', '/pictures', '/pictures?type=coding', `/prompt/${slug}`, '/compare', '/compare?a=socratic:1&b=plain-words:1', '/nowhere',
		'/leaderboard?type=nonsense', '/plot/intervals.svg', '/plot/wins.svg', '/plot/lengths.svg', '/plot/days.svg'];
	for (const url of shared) await compare('nobody', url);
	for (const url of ['/preferences', '/notices', '/votes', '/forum']) await compare('nobody', url);

	// A match from its beginning to its receipt.
	const made = await ask('guest', 'POST', '/arena', 'en', { type: 'any' });
	const match = made.location;
	await compare('guest', match);
	await compare('guest', match + '/result');
	await compare('guest', match, 'POST', { from: match, fields: { do: 'vote' } });
	await post('guest', match, match, { do: 'vote', choice: 'a' });
	for (const url of [match + '/result', match + '/report', '/votes', '/preferences', '/notices', '/arena', '/ta', `/prompt/${slug}`])
		await compare('guest', url);
	await compare('guest', '/preferences', 'POST', { from: '/preferences', fields: { lang: 'tlh', quiet_from: 'x' } });
	const skipped = (await post('guest', '/arena', '/arena', { type: 'any' })).location;
	await post('guest', skipped, skipped, { do: 'skip' });
	await compare('guest', skipped);

	// The forum: a topic, an edit, a report, a notice of it all.
	for (const who of ['alice', 'bob', 'teacher']) await post(who, '/preferences', '/preferences', { forum: '1' });
	const topic = (await post('alice', '/forum/new', '/forum/new?activity=everyone',
		{ activity: 'everyone', title: wrote[0], text: wrote[1], follow: '1' })).location;
	await post('bob', topic, topic, { text: wrote[1] });
	await post('bob', topic + '/2/edit', topic + '/2/edit', { text: wrote[4] });
	await post('alice', topic + '/2/report', topic + '/2/report', { reason: 'spam', text: wrote[5] });
	await post('alice', '/notices/test', '/preferences', {});
	for (const url of ['/forum', '/forum?activity=everyone', '/forum/new?activity=everyone', topic, topic + '/1/edit', topic + '/2/history', topic + '/2/report',
		'/forum/search?q=picture', '/forum/search?q=words+that+nobody+wrote', '/notices', '/preferences'])
		await compare('alice', url);
	await compare('alice', '/forum/new', 'POST', { from: '/forum/new?activity=everyone', fields: { activity: 'everyone', title: '', text: '' } });
	for (const url of [topic, '/forum', '/forum/reports']) await compare('teacher', url);
	for (const url of ['/raters', '/admin/endpoints', '/']) await compare('admin', url);
	const mine = (await post('alice', '/arena', '/arena', { type: 'any' })).location;
	await post('alice', mine, mine, { do: 'vote', choice: 'tie', recognised: '1' });
	await compare('alice', mine + '/result');
	await compare('alice', '/forum/new?match=' + mine.split('/').pop());
	await compare('bob', mine);

	// What one visitor gets is kept for a second, for each language apart.
	for (let i = 0; i < 2; i++) {
		for (const lang of ['en', ...LANGS]) {
			const r = await ask('nobody', 'GET', '/leaderboard?cached', lang);
			ok(`a kept page comes in ${lang}`, r.headers.get('content-language') === lang && r.body.includes(` lang="${lang}"`));
		}
	}
}).then(done);
