// social - notices, forum and AI TA with something in them: valid,
// accessible, fitting, quiet; P7 to P9 as a browser sees them.
'use strict';
const { AUTH, ok, is, done, part, launch, signedIn, inspect } = require('./lib.cjs');

const NASTY = [
	'# A head', '', '<img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">',
	'', '[a](javascript:window.hacked=1) [b](data:text/html,x) [c](https://example.org/)',
	'', '![beacon](http://evil.example/x.png) <marquee>m</marquee> </script>',
	'', '`vector<int>` and List<String>, a < b > c', '', '```', 'x'.repeat(2000), '```', '',
	'| ' + Array.from({ length: 12 }, (_, i) => 'column ' + i).join(' | ') + ' |',
	'|' + '---|'.repeat(12), '| ' + 'cell | '.repeat(12), '',
	'雜湊表是什麼？ جدول درهم‌سازی چیست؟', 'w'.repeat(300)].join('\n');

// Fill a form of the page and send it; waits for the page that follows.
async function send(page, url, fields, button, form = 'main form') {
	await page.goto(url);
	for (const [name, value] of Object.entries(fields))
		await page.locator(`${form} [name="${name}"]`).first().fill(value);
	await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: button }).first().click()]);
}

(async () => {
	const browser = await launch();
	const alice = await signedIn(browser, 'alice');
	const bob = await signedIn(browser, 'bob');
	const teacher = await signedIn(browser, 'teacher');
	const a = await alice.newPage();
	const b = await bob.newPage();
	const t = await teacher.newPage();
	let topic;

	if (process.env.STATE === 'reply') {
		await part('a reply of the AI TA', async () => {
			await a.goto(AUTH + '/ta');
			await Promise.all([a.waitForNavigation(), a.locator('.topics .name a').first().click()]);
			await inspect(alice, 'ta reply', a.url());
			await Promise.all([a.waitForNavigation(), a.getByRole('button', { name: /^Helped/ }).click()]);
			ok('a rating shows', await a.getByRole('button', { name: /✓ Helped/ }).count() === 1);
			await inspect(alice, 'ta report', a.url().replace(/#.*/, '') + '/1/report');
		});
		await browser.close();
		done();
		return;
	}
	await part('the AI TA', async () => {
		await send(a, AUTH + '/ta', { text: 'How do **hash tables** grow?' }, 'Ask', 'form.write');
		await inspect(alice, 'ta waiting', a.url());
		await inspect(alice, 'ta', AUTH + '/ta');
	});
	await part('a topic', async () => {
		await inspect(alice, 'new topic', AUTH + '/forum/new?activity=everyone');
		await send(a, AUTH + '/forum/new?activity=everyone', { title: 'x'.repeat(100) + ' <script>', text: NASTY }, 'Start the topic', 'form.write');
		topic = a.url().replace(/[?#].*/, '');
		ok('a topic was made', /\/forum\/[a-z2-7]{26}$/.test(topic), topic);
		is('P7: nothing of it runs', await a.evaluate(() => window.hacked), undefined);
		ok('P8: every character is visible', (await a.textContent('.post .prose')).includes('List<String>, a < b > c'));
		await send(b, topic, { text: 'A reply of mine' }, 'Send', 'form.write');
		await send(b, topic + '/2/edit', { text: 'A better reply' }, 'Save', 'form.write');
	});
	await part('pages of a topic', async () => {
		await inspect(alice, 'topic', topic);
		await inspect(bob, 'edit', topic + '/2/edit');
		await inspect(alice, 'history', topic + '/2/history');
		await inspect(alice, 'report', topic + '/2/report');
		await inspect(alice, 'search', AUTH + '/forum/search?q=better');
		await inspect(alice, 'search without a hit', AUTH + '/forum/search?q=zzz');
		await inspect(alice, 'forum', AUTH + '/forum');
	});
	await part('refusals', async () => {
		await send(a, AUTH + '/forum/new?activity=everyone', { title: '', text: 'Kept' }, 'Start the topic', 'form.write');
		is('a refused topic keeps its words', await a.evaluate(() => document.getElementById('text').value), 'Kept');
		ok('and leads to its faults', await a.locator('.error-summary a[href="#title"]').count() === 1);
	});
	await part('moderation', async () => {
		await a.goto(topic + '/2/report');
		await a.getByText('Something else').click();
		await Promise.all([a.waitForNavigation(), a.getByRole('button', { name: 'Send the report' }).click()]);
		await inspect(teacher, 'reports', AUTH + '/forum/reports');
		await inspect(teacher, 'topic as a teacher', topic);
		await t.goto(topic);
		await Promise.all([t.waitForNavigation(), t.getByRole('button', { name: 'Lock', exact: true }).click()]);
		await inspect(alice, 'locked topic', topic);
		await t.goto(topic);
		await Promise.all([t.waitForNavigation(), t.getByRole('button', { name: /^Hide message 2/ }).click()]);
		await inspect(bob, 'topic with a hidden post', topic);
	});
	await part('the discussion of a match', async () => {
		await a.goto(AUTH + '/');
		await Promise.all([a.waitForURL(/\/match\//), a.locator('main form[action$="/arena"] button').first().click()]);
		await a.getByText('About the same (a tie)').click();
		await Promise.all([a.waitForURL(/\/result$/), a.locator('button[name=do][value=vote]').click()]);
		await Promise.all([a.waitForURL(/\/forum\/new/), a.getByRole('link', { name: 'Discuss this match' }).click()]);
		await inspect(alice, 'new discussion of a match', a.url());
		await a.fill('#text', 'Both are long.');
		await Promise.all([a.waitForNavigation(), a.getByRole('button', { name: 'Start the topic' }).click()]);
		await inspect(bob, 'discussion of a match', a.url().replace(/[?#].*/, ''));
	});
	await part('notices', async () => {
		await b.goto(AUTH + '/preferences');
		await Promise.all([b.waitForNavigation(), b.evaluate(() => document.getElementById('pa-test').submit())]);
		await inspect(bob, 'notices', AUTH + '/notices');
		await b.goto(topic);
		await Promise.all([b.waitForNavigation(), b.getByRole('button', { name: 'Follow', exact: true }).click()]);
		await inspect(bob, 'preferences with a topic', AUTH + '/preferences?saved=1');
	});
	await browser.close();
	done();
})();
