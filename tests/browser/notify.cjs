// notify - what people see and hear of their notices: the permission in all
// its states, the popup's parts, the sound to its end, one of each however
// many tabs are open, and everything without script.
'use strict';
const { AUTH, PATIENCE, ok, is, done, part, launch, launchFirefox, signedIn, watch } = require('./lib.cjs');

// Records popups instead of showing them; the rest of the page is real.
const STUB = `(() => {
	const made = [];
	function Fake(title, options) {
		if (window.paThrows) throw new TypeError('Illegal constructor');
		made.push({ title, ...options });
		window.paMade = made;
	}
	Fake.permission = 'granted';
	Fake.requestPermission = async () => 'granted';
	window.paMade = made;
	window.Notification = Fake;
})();`;

const until = (page, what, arg) => page.waitForFunction(what, arg, { timeout: PATIENCE, polling: 100 });
const asked = (page, n) => until(page, (k) => Number(document.getElementById('pa').dataset.asked || 0) >= k, n);

// Preferences by the form, as a person sets them.
async function prefer(context, boxes) {
	const page = await context.newPage();

	await page.goto(AUTH + '/preferences');
	for (const name of ['ta_desktop', 'forum', 'sound'])
		await page.locator('#' + name).setChecked(boxes.includes(name));
	await Promise.all([page.waitForNavigation(), page.getByRole('button', { name: 'Save' }).click()]);
	await page.close();
}

// A poster without script, so that nothing but the post happens.
async function poster(browser, user) {
	const context = await signedIn(browser, user, { javaScriptEnabled: false });
	const page = await context.newPage();
	let topic;

	return async (text) => {
		if (!topic) {
			await page.goto(AUTH + '/forum/new?activity=everyone');
			await page.locator('#title').fill('About recursion');
			await page.locator('#text').fill(text);
			await page.getByRole('button', { name: 'Start the topic' }).click();
			topic = page.url().replace(/[?#].*/, '');
		} else {
			await page.goto(topic);
			await page.locator('#text').fill(text);
			await page.getByRole('button', { name: 'Send' }).click();
		}
		return topic;
	};
}

// Look now instead of in half a minute: as a tab does that becomes visible.
const look = (page) => page.evaluate(() => {
	const { person, poll } = document.getElementById('pa').dataset;
	const talk = new BroadcastChannel(`pa-talk-${person}-${poll}`);

	talk.postMessage({ wake: true, now: true });
	talk.close();
});

async function chromium() {
	const browser = await launch(['--autoplay-policy=no-user-gesture-required']);
	const post = await poster(browser, 'bob');

	await part('permission granted', async () => {
		const alice = await signedIn(browser, 'alice');
		await prefer(alice, ['ta_desktop', 'forum', 'sound']);
		await alice.addInitScript(STUB);
		const one = await alice.newPage();
		const quiet = watch(one);
		await one.goto(AUTH + '/leaderboard');
		await asked(one, 1);
		const two = await alice.newPage();
		await two.goto(AUTH + '/methodology');
		await until(one, () => document.getElementById('pa').dataset.leads === '1');

		const topic = await post('First words');
		await look(two);
		await until(one, () => window.paMade.length > 0);
		const made = await one.evaluate(() => window.paMade);
		is('the popup names who', made[0].title, 'bob wrote in the forum');
		is('its body is the topic, not the words', made[0].body, 'About recursion');
		is('its tag is the thread', made[0].tag, 'pa-topic:' + topic.split('/').pop());
		is('it is silent, since our sound plays', made[0].silent, true);
		await until(one, () => document.getElementById('pa').dataset.soundState === 'ended');
		const at = await one.evaluate(() => Number(document.getElementById('pa').dataset.soundAt));
		ok('the sound played to its end', at > 0.3, at);
		await until(two, () => /\(1 unread\)/.test(document.querySelector('.top nav').textContent));
		is('P13: two tabs, one popup', (await one.evaluate(() => window.paMade.length)) + (await two.evaluate(() => window.paMade.length)), 1);
		const played = (p) => p.evaluate(() => Number(document.getElementById('pa').dataset.soundPlayed || 0));
		is('P13: and one sound', await played(one) + await played(two), 1);
		ok('the title has the count', /^\(1\) /.test(await two.title()), await two.title());

		// The leader goes: the other tab takes over, and rings nothing again.
		await one.close();
		await until(two, () => document.getElementById('pa').dataset.leads === '1');
		await asked(two, 1);
		is('who takes over rings nothing twice', await two.evaluate(() => window.paMade.length), 0);

		// A burst becomes a summary.
		for (let i = 0; i < 5; i++) await post('More words ' + i);
		await look(two);
		await until(two, () => window.paMade.length > 0);
		const burst = await two.evaluate(() => window.paMade);
		is('a busy forum becomes one popup', burst.length, 1);
		is('with the number in it', burst[0].title, '5 new notifications');

		// P17: opening the topic clears all of its thread.
		const three = await alice.newPage();
		await three.goto(topic);
		ok('P17: the page agrees', !/unread\)/.test(await three.textContent('.top nav')));
		await look(three);
		await until(two, () => !/unread\)/.test(document.querySelector('.top nav').textContent.replace(/\s+/g, ' ')) ||
		    document.querySelector('.top nav .unread').hidden);
		ok('P17: and so do the other tabs', true);
		is('the browser complains of nothing', quiet.join('; '), '');
		await alice.close();
	});

	await part('one\'s own post', async () => {
		const bob = await signedIn(browser, 'bob');
		await prefer(bob, ['forum', 'sound']);
		await bob.addInitScript(STUB);
		const page = await bob.newPage();
		await page.goto(AUTH + '/leaderboard');
		await asked(page, 1);
		await post('My own words');
		await look(page);
		await asked(page, 2);
		is('never pops up', await page.evaluate(() => window.paMade.length), 0);
		is('never rings', await page.evaluate(() => document.getElementById('pa').dataset.soundPlayed), undefined);
		await prefer(bob, []);
		await bob.close();
	});

	await part('an older database is put back', async () => {
		const alice = await signedIn(browser, 'alice');
		await prefer(alice, ['forum']);
		await alice.addInitScript(STUB);
		const page = await alice.newPage();
		await page.goto(AUTH + '/leaderboard');
		await asked(page, 1);
		// As if this browser had heard of notices that no longer are.
		await page.evaluate(() => {
			const { person, poll } = document.getElementById('pa').dataset;

			localStorage.setItem(`pa-since-${person}-${poll}`, JSON.stringify({ id: 1e6, at: Date.now() }));
		});
		await page.reload();
		await asked(page, 1);
		is('what was read before is no news', await page.evaluate(() => window.paMade.length), 0);
		await post('After the backup');
		await look(page);
		await until(page, () => window.paMade.length > 0);
		is('what comes then is told', await page.evaluate(() => window.paMade.length), 1);
		await alice.close();
	});

	await part('somebody else signs in, in the same browser', async () => {
		const alice = await signedIn(browser, 'alice');
		const teacher = await signedIn(browser, 'teacher');
		await prefer(teacher, ['forum', 'sound']);
		await alice.addInitScript(STUB);
		const page = await alice.newPage();
		await page.goto(AUTH + '/leaderboard');
		await asked(page, 1);
		// The page stays; what it asks is asked by the teacher from now on.
		await page.route('**/notices.json*', (route) => route.continue({ headers: {
			...route.request().headers(),
			authorization: 'Basic ' + Buffer.from('teacher:teacher').toString('base64') } }));
		await post('For the teacher');
		await look(page);
		await until(page, () => document.getElementById('pa').dataset.strange === '1');
		is('the old page tells nothing of the new person', await page.evaluate(() => window.paMade.length), 0);
		is('nor rings for them', await page.evaluate(() => document.getElementById('pa').dataset.soundPlayed), undefined);
		ok('nor counts for them', !/^\(/.test(await page.title()), await page.title());
		ok('and lets another tab lead', await page.evaluate(async () => {
			const { person, poll } = document.getElementById('pa').dataset;
			const { held } = await navigator.locks.query();

			return !held.some((l) => l.name === `pa-lead-${person}-${poll}`);
		}));
		await prefer(teacher, []);
		await teacher.close();
		await alice.close();
	});

	await part('P14: popups off, sound on', async () => {
		const teacher = await signedIn(browser, 'teacher');
		await prefer(teacher, ['sound']);
		await teacher.addInitScript(STUB);
		const page = await teacher.newPage();
		await page.goto(AUTH + '/preferences');
		await asked(page, 1);
		await page.goto(AUTH + '/preferences');
		await asked(page, 1);
		await page.getByRole('button', { name: 'Send a test notification' }).click();
		await until(page, () => document.getElementById('pa').dataset.soundState === 'ended');
		ok('the sound plays', true);
		is('the test came back', await page.textContent('#pa-result'), 'The test notification went to the server and came back as a popup.');
		await page.getByRole('button', { name: 'Play the sound' }).click();
		await until(page, () => document.getElementById('pa-result').textContent === 'That was the sound.');
		ok('so does "Play the sound"', true);
		// Sound off is really off.
		await prefer(teacher, ['ta_desktop']);
		await page.goto(AUTH + '/preferences');
		await asked(page, 1);
		await page.evaluate(() => { delete document.getElementById('pa').dataset.soundState; });
		await page.getByRole('button', { name: 'Send a test notification' }).click();
		await until(page, () => window.paMade.length > 0);
		is('sound off is really off', await page.evaluate(() => document.getElementById('pa').dataset.soundState), undefined);
		is('then the popup is not silent', (await page.evaluate(() => window.paMade))[0].silent, false);
		await teacher.close();
	});

	await part('where pages may not show popups themselves', async () => {
		const alice = await signedIn(browser, 'alice');
		await alice.grantPermissions(['notifications'], { origin: new URL(AUTH).origin });
		await alice.addInitScript(STUB + 'window.paThrows = true;');
		const page = await alice.newPage();
		await page.goto(AUTH + '/preferences');
		await asked(page, 1);
		await page.getByRole('button', { name: 'Send a test notification' }).click();
		await page.waitForFunction(async () => {
			const r = await navigator.serviceWorker.getRegistration();
			return r && (await r.getNotifications()).some((n) => n.title === 'Test notification');
		}, null, { timeout: PATIENCE, polling: 200 });
		ok('the service worker does', true);
		await alice.close();
	});

	const states = [
		['not asked', {}, 'not asked yet', 'Press “Allow'],
		['denied', { grant: [] }, 'blocked', 'This browser blocks notifications'],
		['granted', { grant: ['notifications'] }, 'allowed', ''],
	];
	for (const [name, how, fact, advice] of states) {
		await part('permission ' + name, async () => {
			const alice = await signedIn(browser, 'alice');
			await prefer(alice, ['ta_desktop', 'forum', 'sound']);
			if (how.grant) await alice.grantPermissions(how.grant, { origin: new URL(AUTH).origin });
			const page = await alice.newPage();
			await page.goto(AUTH + '/preferences');
			const facts = (await page.textContent('#ta_desktop-facts')).replace(/\s+/g, ' ');
			ok(`P12: both facts when ${name}`, facts.includes('Your account: on') && facts.includes('This browser: ' + fact), facts);
			const said = await page.textContent('#pa-advice');
			ok(`with what to do when ${name}`, advice === '' ? said.trim() === '' : said.includes(advice), said);
			await asked(page, 1);
			await page.getByRole('button', { name: 'Send a test notification' }).click();
			await until(page, () => document.getElementById('pa').dataset.soundState === 'ended');
			ok(`P12: the sound works when ${name}`, true);
			await alice.close();
		});
	}
	await part('no notifications at all', async () => {
		const alice = await signedIn(browser, 'alice');
		await alice.addInitScript('delete window.Notification; window.paMade = [];');
		const page = await alice.newPage();
		await page.goto(AUTH + '/preferences');
		const said = await page.textContent('#pa-advice');
		ok('a browser without notifications says so', said.includes('no notifications for web pages'), said);
		is('and has no button for them', await page.isVisible('#pa-allow'), false);
		await alice.close();
	});
	await browser.close();

	await part('not secure', async () => {
		const port = new URL(AUTH).port;
		const plain = await launch(['--autoplay-policy=no-user-gesture-required', '--host-resolver-rules=MAP arena.example 127.0.0.1']);
		const alice = await signedIn(plain, 'alice');
		await alice.addInitScript('window.paMade = [];');
		const page = await alice.newPage();
		await page.goto(`http://arena.example:${port}/preferences`);
		const facts = await page.textContent('#ta_desktop-facts');
		ok('P15: the page says why it cannot work here', facts.includes('not on https'), facts);
		is('no button promises there what cannot be', await page.getByRole('button', { name: 'Allow notifications' }).count(), 0);
		await page.getByRole('button', { name: 'Why notifications cannot work here' }).click();
		await until(page, () => /https:\/\//.test(document.getElementById('pa-result').textContent));
		ok('P15: and so does the button', true);
		await asked(page, 1);
		await page.getByRole('button', { name: 'Send a test notification' }).click();
		await until(page, () => document.getElementById('pa').dataset.soundState === 'ended');
		ok('the sound works there', true);
		await until(page, () => /unread\)/.test(document.querySelector('.top nav').textContent));
		ok('and the count', true);
		await plain.close();
	});
}

async function withoutScript() {
	const browser = await launch();
	const alice = await signedIn(browser, 'alice', { javaScriptEnabled: false });
	const page = await alice.newPage();

	await part('without script', async () => {
		await page.goto(AUTH + '/preferences');
		ok('the buttons that need one are not there', !(await page.getByRole('button', { name: 'Play the sound' }).isVisible()));
		ok('the facts say so', (await page.textContent('#sound-facts')).includes('runs no script'));
		ok('the sounds can be heard by links', (await page.getByRole('link', { name: 'bell' }).getAttribute('href')).endsWith('.mp3'));
		await page.getByRole('button', { name: 'Send a test notification' }).click();
		ok('the test is on its way', (await page.textContent('main')).includes('A test notice is on its way'));
		await page.locator('#forum').setChecked(false);
		await page.locator('#sound').setChecked(false);
		await page.getByRole('button', { name: 'Save' }).click();
		is('P16: an unticked box is off', await page.locator('#forum').isChecked(), false);
		await page.getByRole('link', { name: /^Notices/ }).first().click();
		ok('the list has it', (await page.textContent('main')).includes('This is the test notification'));
		await page.getByRole('button', { name: 'Mark all as read' }).click();
		ok('and it can be marked as read', !(await page.textContent('.top nav')).includes('unread'));
		for (const name of ['Forum', 'Leaderboard', 'Arena'])
			ok(`${name} is reachable`, (await page.getByRole('link', { name, exact: true }).count()) > 0);
	});
	await browser.close();
}

async function firefox() {
	const authorization = 'Basic ' + Buffer.from('alice:alice').toString('base64');
	const open = async (prefs) => {
		const browser = await launchFirefox({ 'alerts.useSystemBackend': false, 'media.autoplay.default': 0, ...prefs });
		const page = await browser.newPage();
		await page.setExtraHTTPHeaders({ authorization });
		return { browser, page };
	};
	const wait = (page, fn) => page.waitForFunction(fn, { timeout: PATIENCE, polling: 100 });

	for (const [name, prefs, fact] of [
		['granted', { 'permissions.default.desktop-notification': 1 }, 'allowed'],
		['denied', { 'permissions.default.desktop-notification': 2 }, 'blocked'],
		['not asked', {}, 'not asked yet'],
	]) {
		await part('Firefox, permission ' + name, async () => {
			const { browser, page } = await open(prefs);
			try {
				await page.goto(AUTH + '/preferences');
				const facts = await page.evaluate(() => document.getElementById('ta_desktop-facts').textContent);
				ok(`Firefox: the fact when ${name}`, facts.includes('This browser: ' + fact), facts);
				await wait(page, () => Number(document.getElementById('pa').dataset.asked || 0) >= 1);
				if (name !== 'granted') return;
				await page.click('#pa-test button[type=submit]');
				await wait(page, () => document.getElementById('pa-result').textContent.includes('came back as a popup'));
				ok('Firefox: a test makes the whole round', true);
				await wait(page, () => document.getElementById('pa').dataset.popup === '1');
				ok('Firefox: one popup was shown', true);
				await page.click('#pa-play');
				await wait(page, () => ['playing', 'ended'].includes(document.getElementById('pa').dataset.soundState));
				ok('Firefox: the sound plays', true);
				if (process.env.PULSE_SERVER) {
					await wait(page, () => document.getElementById('pa').dataset.soundState === 'ended');
					ok('Firefox: to its end', await page.evaluate(() => Number(document.getElementById('pa').dataset.soundAt) > 0.3));
				}
			} finally {
				await browser.close();
			}
		});
	}
}

(async () => {
	await chromium();
	await withoutScript();
	await firefox();
	done();
})();
