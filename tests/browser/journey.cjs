// journey - home, match, vote, reveal, leaderboard, as people walk it.
'use strict';
const { BASE, ok, is, done, part, launch, launchFirefox, watch } = require('./lib.cjs');

// A vote button pressed, by whatever driver: returns the facts to check.
const facts = () => ({
	path: location.pathname,
	title: document.title,
	h1: document.querySelectorAll('h1').length,
	text: document.body.textContent.replace(/\s+/g, ' '),
	articles: document.querySelectorAll('main article').length,
	checked: document.querySelectorAll('input[name=choice]:checked').length,
	type: document.contentType,
});

function blind(who, f) {
	ok(`${who}: a match has its own address`, /\/match\/[a-z2-7]{26}$/.test(f.path), f.path);
	is(`${who}: two answers are shown`, f.articles, 2);
	is(`${who}: no choice is preselected`, f.checked, 0);
	is(`${who}: one main heading`, f.h1, 1);
	is(`${who}: served as XHTML`, f.type, 'application/xhtml+xml');
}

function reveal(who, f) {
	ok(`${who}: the vote leads to the result`, /\/match\/[a-z2-7]{26}\/result$/.test(f.path), f.path);
	is(`${who}: both answers are shown again`, f.articles, 2);
	ok(`${who}: one's own choice is marked`, /your choice/i.test(f.text), f.text.slice(0, 600));
	ok(`${who}: the receipt tells the rating before and after`, /1[45]\d\d, now 1[45]\d\d/.test(f.text), f.text.slice(0, 600));
}

async function chromiumJourney(browser, script) {
	const who = script ? 'Chromium' : 'Chromium without script';
	const context = await browser.newContext({
		javaScriptEnabled: script,
		viewport: { width: 390, height: 844 },
	});
	const page = await context.newPage();
	const complaints = watch(page);
	await page.goto(BASE + '/');
	is(`${who}: home has one main heading`, await page.locator('h1').count(), 1);
	await Promise.all([
		page.waitForURL(/\/match\//),
		page.locator('main form[action$="/arena"] button').first().click(),
	]);
	const match = await page.evaluate(facts);
	blind(who, match);
	const token = match.path.split('/')[2];

	// Nothing chosen: the page comes back, says so, and nothing is stored.
	await Promise.all([
		page.waitForLoadState('load'),
		page.locator('button[name=do][value=vote]').click(),
	]);
	await page.waitForSelector('[role=alert], .error-summary');
	const again = await page.evaluate(facts);
	ok(`${who}: voting without a choice is explained`, /^Error: /.test(again.title), again.title);
	is(`${who}: and the answers are still there`, again.articles, 2);

	await page.getByText('B is better', { exact: true }).click();
	await Promise.all([
		page.waitForURL(/\/result$/),
		page.locator('button[name=do][value=vote]').click(),
	]);
	reveal(who, await page.evaluate(facts));

	// Back, vote differently: the first vote stands.
	await page.goto(`${BASE}/match/${token}`);
	const back = await page.evaluate(facts);
	ok(`${who}: going back after a vote shows no second vote form or tells what was voted`,
		/result$/.test(back.path) || /voted/i.test(back.text), back.path);

	await page.goto(BASE + '/leaderboard');
	const board = await page.evaluate(facts);
	ok(`${who}: the board speaks of provisional prompts`, /provisional/i.test(board.text), board.text.slice(0, 400));
	is(`${who}: the browser has nothing to complain of`, complaints.join('; '), '');
	await context.close();
}

async function firefoxJourney() {
	const who = 'Firefox';
	const browser = await launchFirefox();
	try {
		const page = await browser.newPage();
		await page.setViewport({ width: 1280, height: 900 });
		await page.goto(BASE + '/');
		await Promise.all([
			page.waitForNavigation(),
			page.click('main form[action$="/arena"] button'),
		]);
		blind(who, await page.evaluate(facts));
		await page.click('input[name=choice][value=a]');
		await Promise.all([
			page.waitForNavigation(),
			page.click('button[name=do][value=vote]'),
		]);
		reveal(who, await page.evaluate(facts));
		await page.goto(BASE + '/leaderboard');
		const board = await page.evaluate(facts);
		ok(`${who}: the board is there`, /provisional/i.test(board.text), board.text.slice(0, 400));
	} finally {
		await browser.close();
	}
}

(async () => {
	const browser = await launch();
	await part('Chromium', () => chromiumJourney(browser, true));
	await part('Chromium without script', () => chromiumJourney(browser, false));
	await browser.close();
	await part('Firefox', firefoxJourney);
	done();
})();
