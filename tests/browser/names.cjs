// names - long names in tables on a phone: the first numbers are in sight.
'use strict';
const { BASE, is, done, part, launch, overflow } = require('./lib.cjs');

// What is hidden or broken of the tables, as lines.
const faults = (page) => page.evaluate(() => {
	const bad = [];
	for (const box of document.querySelectorAll('.scroll')) {
		const frame = box.getBoundingClientRect();
		for (const row of box.querySelectorAll('tbody tr')) {
			const name = row.querySelector('th'), number = name.nextElementSibling;
			const words = name.textContent.replace(/\s+/g, ' ').trim();
			for (const [cell, what] of [[name, 'name'], [number, 'first number']]) {
				const r = cell.getBoundingClientRect();
				if (r.left < frame.left - 1 || r.right > frame.right + 1) bad.push(`${words.slice(0, 20)}: its ${what} is out of sight`);
			}
			const lines = name.getBoundingClientRect().height / parseFloat(getComputedStyle(name).lineHeight);
			if (words.length < 8 && lines > 2.5) bad.push(`${words}: ${Math.round(lines)} lines of one letter`);
		}
	}
	return bad;
});

(async () => {
	const browser = await launch();
	for (const locale of ['en', 'zh-TW', 'fa']) {
		const context = await browser.newContext({ locale, viewport: { width: 360, height: 740 } });
		const page = await context.newPage();
		for (const path of ['/leaderboard', '/leaderboard?view=full', '/compare?a=p1&b=p3', '/prompt/p1', '/prompt/p3']) {
			await part(`${path} in ${locale}`, async () => {
				await page.goto(BASE + path);
				is(`${path} in ${locale}: names and numbers are seen`, (await faults(page)).join('; '), '');
				is(`${path} in ${locale}: the page fits`, (await overflow(page)).join('; '), '');
			});
		}
		await context.close();
	}
	await browser.close();
	done();
})();
