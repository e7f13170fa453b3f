// languages - every page in every other language: valid, accessible, fitting,
// in its direction.
//
// STATE names the arena's state, LANGS the languages; PAGES is "all" or "few".
// The bytes of every page go to OUT for the validator.
'use strict';
const { BASE, AUTH, ok, is, done, part, launch, watch, keep, axe, overflow, SIZES } = require('./lib.cjs');
const { STATE, PAGES } = process.env;
const LANGS = process.env.LANGS.split(' ');

// What is wrong with how the page runs, as lines.
function runs(page, rtl) {
	return page.evaluate((isRtl) => {
		const bad = [];
		const say = (el, what) => bad.push(`${el.localName}.${el.getAttribute('class') || ''}: ${what}`);
		const direction = (el) => getComputedStyle(el).direction;
		const shown = (el) => el.getClientRects().length > 0;
		if (direction(document.body) !== (isRtl ? 'rtl' : 'ltr')) say(document.body, direction(document.body));
		// Pictures, code and fields for times run from left to right everywhere.
		for (const el of document.querySelectorAll('svg.plot, svg.bar, .formula'))
			if (direction(el) !== 'ltr' && el.getAttribute('direction') !== 'ltr') say(el, 'runs from right to left');
		// The first column stands where reading begins.
		for (const row of document.querySelectorAll('main > * tr, main tr')) {
			const cells = [...row.children].filter(shown);
			if (cells.length < 2 || row.closest('.prose')) continue;
			const first = cells[0].getBoundingClientRect();
			const last = cells[cells.length - 1].getBoundingClientRect();
			if ((first.left > last.left) !== isRtl) say(row, 'its first cell is at the wrong end');
		}
		// What stands beside each other begins where reading begins.
		for (const [a, b] of [['#answer-a', '#answer-b'], ['.brand', '.top nav']]) {
			const one = document.querySelector(a);
			const other = document.querySelector(b);
			if (!one || !other) continue;
			const x = one.getBoundingClientRect();
			const y = other.getBoundingClientRect();
			if (Math.abs(x.top - y.top) < 40 && Math.abs(x.left - y.left) > 40 && (x.left > y.left) !== isRtl) say(one, `is on the wrong side of ${b}`);
		}
		// A text in whatever direction begins at an edge of its card.
		for (const el of document.querySelectorAll('.prose > *')) {
			if (!shown(el)) continue;
			const own = el.getBoundingClientRect();
			const card = el.parentElement.getBoundingClientRect();
			const gap = direction(el) === 'rtl' ? card.right - own.right : own.left - card.left;
			if (gap > 1) say(el, `begins ${Math.round(gap)} px from the edge of its card`);
		}
		// On phones what stands above a page leaves room for it.
		const top = document.querySelector('header.top');
		const strip = document.querySelector('.strip');
		if (innerWidth < 400 && top.offsetHeight > innerHeight / 3) say(top, `takes ${top.offsetHeight} of ${innerHeight} px`);
		if (innerWidth < 400 && strip && strip.offsetHeight > 2 * parseFloat(getComputedStyle(strip).lineHeight)) say(strip, 'has more than one line');
		// Where one is can be seen.
		for (const el of top.querySelectorAll('a[aria-current]')) {
			const other = el.closest('ul').querySelector('a:not([aria-current])');
			if (other && getComputedStyle(other).fontWeight === getComputedStyle(el).fontWeight) say(el, 'looks like any other link');
		}
		// Words are not cut off.
		for (const el of document.querySelectorAll('button, .pill, .primary, nav a, th a, label, legend, summary, h1, h2'))
			if (shown(el) && !el.closest('.prose, .vh') && !el.matches('.vh') && el.scrollWidth > el.clientWidth + 2 && getComputedStyle(el).display !== 'inline' && getComputedStyle(el).overflow !== 'visible')
				say(el, `shows ${el.clientWidth} of ${el.scrollWidth} px`);
		return bad.slice(0, 6);
	}, rtl);
}

// A sentence from right to left in a picture: does its last sign stand at its
// left end?
const strays = (page) => page.evaluate(() => [...document.querySelectorAll('svg.plot text')].filter((t) => {
	const n = t.getNumberOfChars();
	return n > 1 && t.getBoundingClientRect().width > 0 && /^(?=\p{L})\p{Script=Arabic}/u.test(t.textContent.trim()) &&
		t.getExtentOfChar(0).x < t.getExtentOfChar(n - 1).x;
}).map((t) => t.textContent));

async function inspect(context, lang, name, url) {
	const page = await context.newPage();
	const complaints = watch(page);
	const response = await page.goto(url);
	const label = `${STATE}: ${name} in ${lang}`;
	await keep(`${STATE}-${lang}-${name}`, response);
	is(`${label} says so`, await page.evaluate(() => document.documentElement.lang), lang);
	for (const size of [...SIZES].reverse()) {
		await page.setViewportSize(size);
		is(`${label} fits ${size.width} px`, (await overflow(page)).join('; '), '');
		if (lang === 'fa')
			is(`${label}: pictures run as they are read at ${size.width} px`, (await strays(page)).join('; '), '');
		if (size.width !== 320 || STATE === 'official')
			is(`${label} runs as it is read at ${size.width} px`, (await runs(page, lang === 'fa')).join('; '), '');
	}
	await page.setViewportSize(SIZES[1]);
	is(`${label} has no accessibility fault`, (await axe(page)).join('\n'), '');
	is(`${label} leaves the browser quiet`, complaints.join('; '), '');
	await page.close();
}

// Press a button of the page's form, wherever its words lead.
async function press(page, selector) {
	await Promise.all([page.waitForNavigation(), page.locator(selector).first().click()]);
}

async function matchPages(context, lang, base) {
	const page = await context.newPage();
	await page.goto(base + '/');
	await press(page, 'main form[action$="/arena"] button');
	const match = page.url();
	await inspect(context, lang, 'match', match);
	await inspect(context, lang, 'result before the vote', match + '/result');
	await press(page, 'button[name=do][value=vote]');
	is(`${STATE}: a vote without a choice in ${lang} is accessible`, (await axe(page)).join('\n'), '');
	await page.goto(match);
	await page.locator('#choice-tie').check({ force: true });
	await press(page, 'button[name=do][value=vote]');
	await inspect(context, lang, 'result', page.url());
	await inspect(context, lang, 'report', match + '/report');
	await page.close();
	return match;
}

async function forumPages(context, lang) {
	const page = await context.newPage();
	await inspect(context, lang, 'new topic', AUTH + '/forum/new?activity=everyone');
	await page.goto(AUTH + '/forum/new?activity=everyone');
	await page.locator('#title').fill('Which prompt explains recursion best?');
	await page.locator('#text').fill('The one with the picture of `f(n-1)`.\n\n> quoted\n\n> نقل‌قول\n\n    code { }');
	await press(page, 'form.write button.primary');
	const topic = page.url().split('#')[0];
	await inspect(context, lang, 'topic', topic);
	for (const path of ['/1/edit', '/1/history']) await inspect(context, lang, 'topic' + path, topic + path);
	await inspect(context, lang, 'forum with a topic', AUTH + '/forum?activity=everyone');
	await inspect(context, lang, 'search', AUTH + '/forum/search?q=picture');
	await page.close();
}

(async () => {
	const browser = await launch();
	const few = ['/', '/leaderboard', '/leaderboard?view=full', '/methodology', '/pictures', '/prompt/socratic'];
	const all = [...few, '/arena', '/leaderboard?type=coding', '/compare?a=socratic:1&b=plain-words:1', '/privacy', '/accessibility', '/nowhere'];
	for (const lang of LANGS) {
		const guest = await browser.newContext({ locale: lang });
		await part(`public pages in ${lang}`, async () => {
			for (const path of PAGES === 'all' ? all : few) await inspect(guest, lang, 'guest ' + path, BASE + path);
		});
		if (PAGES === 'all') {
			const as = (user) => browser.newContext({ locale: lang, httpCredentials: { username: user, password: user, send: 'always' } });
			const alice = await as('alice');
			await part(`a match in ${lang}`, () => matchPages(alice, lang, AUTH));
			await part(`the forum in ${lang}`, () => forumPages(alice, lang));
			await part(`one's own pages in ${lang}`, async () => {
				for (const path of ['/votes', '/preferences', '/notices', '/ta']) await inspect(alice, lang, 'alice ' + path, AUTH + path);
			});
			await alice.close();
			const admin = await as('admin');
			await part(`an administrator's pages in ${lang}`, async () => {
				for (const path of ['/raters', '/admin/endpoints', '/forum/reports', '/ta']) await inspect(admin, lang, 'admin ' + path, AUTH + path);
			});
			await admin.close();
		}
		await guest.close();
	}
	await browser.close();
	ok(`${STATE}: there are other languages`, LANGS.length > 1);
	done();
})();
