// pages - every page in every state: valid, accessible, fitting, quiet.
//
// STATE names the arena's state (empty, provisional, official); the bytes of
// every page go to OUT for the validator.
'use strict';
const { BASE, AUTH, ok, is, done, part, launch, signedIn, axe, inspect } = require('./lib.cjs');
const STATE = process.env.STATE;

const PUBLIC = ['/', '/arena', '/leaderboard', '/leaderboard?type=coding', '/leaderboard?tag=concise',
	'/leaderboard?sort=matches', '/leaderboard?view=full', '/methodology', '/privacy', '/accessibility', '/nowhere'];
const MEMBER = ['/', '/arena', '/votes', '/preferences', '/leaderboard', '/notices', '/forum'];

async function matchStates(context, base) {
	const page = await context.newPage();
	await page.goto(base + '/');
	await Promise.all([page.waitForURL(/\/match\//), page.locator('main form[action$="/arena"] button').first().click()]);
	const match = page.url();
	await inspect(context, 'match', match);
	await inspect(context, 'result before the vote', match + '/result');
	// An answered form with a fault in it.
	await Promise.all([page.waitForSelector('.error-summary'), page.locator('button[name=do][value=vote]').click()]);
	is(`${STATE}: a vote without a choice is an accessible page`, (await axe(page)).join('\n'), '');
	await page.goto(match);
	await page.getByText('About the same (a tie)').click();
	await Promise.all([page.waitForURL(/\/result$/), page.locator('button[name=do][value=vote]').click()]);
	await inspect(context, 'result', page.url());
	await page.close();
}

(async () => {
	const browser = await launch();
	const guest = await browser.newContext({ bypassCSP: false });
	await part('public pages', async () => {
		for (const path of PUBLIC) await inspect(guest, 'guest ' + path, BASE + path);
	});
	await part('guest match', () => matchStates(guest, BASE));
	await part('guest pages after a vote', async () => {
		for (const path of ['/votes', '/preferences']) await inspect(guest, 'guest ' + path, BASE + path);
	});
	const slugs = await (await guest.newPage()).evaluate(() => 0).then(async () => {
		const r = await guest.request.get(BASE + '/leaderboard.json');
		const j = await r.json();
		return [...j.official, ...j.provisional].map((x) => x.slug);
	});
	await part('prompt cards', async () => {
		for (const slug of [...new Set(slugs)].slice(0, 2)) await inspect(guest, 'prompt ' + slug, `${BASE}/prompt/${slug}`);
	});
	for (const user of ['alice', 'teacher']) {
		const member = await signedIn(browser, user);
		await part(`${user}'s pages`, async () => {
			for (const path of MEMBER) await inspect(member, `${user} ${path}`, AUTH + path);
		});
		if (user === 'alice') await part('member match', () => matchStates(member, AUTH));
		await member.close();
	}
	await browser.close();
	done();
})();
