// arena.js - tells people of their notices while a page of ours is open.
//
// Everything it does is also on /notices without it.  One tab leads (Web
// Locks) and asks the server; the others hear from it.  For what is new:
// the count first, then the popup, then the sound, each on its own, so that
// one that fails takes nothing with it.  One classic script: defer and
// modules do not work in pages served as XHTML.
'use strict';
(function () {
	const pa = document.getElementById('pa');

	if (!pa) return; // a visitor without a session: nothing to tell

	const SECOND = 1000;
	const POLL = 30 * SECOND;
	const POLL_HIDDEN = 90 * SECOND;
	const POLL_AWAITING = 3 * SECOND;
	const POLL_MAX = 10 * 60 * SECOND;
	const STALE = 5 * 60 * SECOND; // older than this: no news to ring for
	const BURST = 3; // more popups at once become one

	const at = pa.dataset;
	const me = Math.random().toString(36).slice(2);
	const plainTitle = document.title;

	let leading = false;
	let since = null; // highest notice id this browser knows of
	let unread = null;
	let awaiting = at.waits ? 1 : 0;
	let etag = '';
	let failures = 0;
	let asking = false;
	let timer = 0;
	let lastAsked = 0;
	let soundBlocked = false;
	let strange = false; // somebody else has signed in meanwhile
	let resign = null;   // gives the lead to another tab
	let ringing = Promise.resolve();
	let channel = null;

	// ---- words -----------------------------------------------------------

	// A number in the digits of the page's language.
	function digits(v) {
		return typeof v === 'number' ? v.toLocaleString(
		    document.documentElement.lang, { useGrouping: false }) : v;
	}

	// A sentence of the page by its name, with {names} filled in.
	function words(list, name, values) {
		const el = document.querySelector(
		    `#${list} [data-word="${name}"]`);

		return el ? el.textContent.replace(/\{(\w+)\}/g,
		    (_, k) => (values && values[k] !== undefined ? digits(values[k]) : ''))
			.trim() : '';
	}

	const say = (name, values) => words('pa-words', name, values);
	const state = (name) => words('pa-states', name);

	// ---- what this browser remembers -------------------------------------

	const key = (name) => `pa-${name}-${at.person}-${at.poll}`;

	function recall(name) {
		try {
			return JSON.parse(localStorage.getItem(key(name)));
		} catch {
			return null;
		}
	}

	function remember(name, value) {
		try {
			localStorage.setItem(key(name), JSON.stringify(value));
		} catch {
			// Private windows may refuse: this tab still knows.
		}
	}

	// Also when the clock was set back meanwhile.
	const fresh = (time, ms) => Math.abs(Date.now() - time) < ms;

	// The pages then need not look for themselves (see the waiting pages).
	function markScript() {
		const path = at.poll.replace(/notices\.json$/, '');

		document.cookie = `pa_script=1; path=${path}; max-age=900; ` +
		    'SameSite=Lax' +
		    (location.protocol === 'https:' ? '; Secure' : '');
	}

	// ---- the count -------------------------------------------------------

	function badge(n) {
		const grew = unread !== null && n > unread;

		unread = n;
		for (const a of document.querySelectorAll('.top nav a')) {
			if (a.getAttribute('href') !== at.notices) continue;
			let span = a.querySelector('.unread');

			if (!span && n > 0) {
				span = document.createElement('span');
				span.className = 'unread';
				a.append(' ', span);
			}
			if (span) {
				span.textContent = n > 0 ? say('unread', { n }) : '';
				span.hidden = n === 0;
			}
		}
		document.title = n > 0 ? `(${digits(n)}) ${plainTitle}` : plainTitle;
		if (grew) pa.textContent = say('grown', { n });
	}

	// ---- popups ----------------------------------------------------------

	function permission() {
		if (!window.isSecureContext) return 'insecure';
		if (!('Notification' in window)) return 'unsupported';
		return Notification.permission;
	}

	// What stands on the screen, in whichever tab, need not pop up.
	function onScreen(n) {
		const seen = recall('screen');

		return n.kind === 'post' && seen && seen.thread === n.tag &&
		    fresh(seen.at, 15 * SECOND);
	}

	function noteScreen() {
		if (!at.thread) return;
		if (document.visibilityState === 'visible' && document.hasFocus())
			remember('screen', { thread: at.thread, at: Date.now() });
	}

	function leaveScreen() {
		const seen = recall('screen');

		if (at.thread && seen && seen.thread === at.thread)
			remember('screen', null);
	}

	async function register() {
		let url = at.worker;

		if (window.trustedTypes) {
			url = trustedTypes.createPolicy('pa-worker', {
				createScriptURL: () => at.worker,
			}).createScriptURL(url);
		}
		await navigator.serviceWorker.register(url);
		return navigator.serviceWorker.ready;
	}

	let registered = null;
	const worker = () => (registered = registered || register());

	async function show(title, body, tag, url, silent) {
		const options = { body, tag, silent, icon: at.icon,
			dir: 'auto', data: { url } };

		if (!silent) options.renotify = true;
		try {
			const n = new Notification(title, options);

			n.onclick = () => {
				window.focus();
				n.close();
				location.assign(url);
			};
		} catch {
			// Some phones let only a service worker show them.
			const w = await worker();

			await w.showNotification(title, options);
		}
		at.popup = String(Number(at.popup || 0) + 1);
	}

	async function popup(news, more, silent) {
		const list = news.filter((n) => n.popup && !onScreen(n));
		const newest = new Map(); // by thread; the news come newest first

		if (list.length === 0) return;
		if (permission() !== 'granted') {
			at.popupState = permission();
			return;
		}
		if (list.length + more > BURST) {
			await show(say('many', { n: list.length + more }),
			    say('many.body'), 'pa-many', at.notices, silent);
			return;
		}
		for (const n of list)
			if (!newest.has(n.tag)) newest.set(n.tag, n);
		for (const n of [...newest.values()].reverse()) {
			const name = n.kind === 'post' && !n.who ?
			    'post.unnamed' : n.kind;

			await show(say(name, n), say(`${n.kind}.body`, n),
			    `pa-${n.tag}`, n.url, silent);
		}
	}

	// ---- sound -----------------------------------------------------------

	function makeSound(name) {
		const audio = new Audio();
		const type = audio.canPlayType('audio/ogg; codecs=vorbis') ?
		    'ogg' : 'mp3';

		audio.preload = 'auto';
		audio.src = `${at.sounds}${name}.${type}`;
		return audio;
	}

	// Resolves when it has been heard; rejects when it may not be.
	function playSound(name) {
		const audio = makeSound(name);

		return new Promise((resolve, reject) => {
			audio.addEventListener('ended', () => {
				at.soundState = 'ended';
				at.soundAt = String(audio.currentTime);
				resolve();
			});
			audio.addEventListener('error', () => {
				at.soundState = 'error';
				reject(new Error('error'));
			});
			audio.play().then(() => {
				soundBlocked = false;
				at.soundState = 'playing';
				at.soundPlayed =
				    String(Number(at.soundPlayed || 0) + 1);
			}, (e) => {
				soundBlocked = e.name === 'NotAllowedError';
				at.soundState = soundBlocked ? 'blocked' : 'error';
				reject(e);
			});
		});
	}

	// ---- news ------------------------------------------------------------

	function ring(news, more, sound) {
		const rings = news.some((n) => n.ring);

		// Each in its own try: a popup that fails must not take the
		// sound with it, nor the other way round.
		popup(news, more, rings && !soundBlocked).catch((e) => {
			at.popupState = String(e && e.name);
		});
		if (!rings) return;
		try {
			ringing = playSound(sound).catch(() => {});
		} catch {
			at.soundState = 'error';
		}
	}

	// What the leader learnt, in every tab.
	function hear(m) {
		since = Math.max(since || 0, m.latest);
		awaiting = m.awaiting;
		try {
			badge(m.unread);
		} catch {
			// The header of a changed template may have no such link.
		}
		if (at.waits && (m.awaiting === 0 ||
		    m.news.some((n) => n.tag === at.thread)))
			showReply();
		for (const n of m.news)
			document.dispatchEvent(new CustomEvent('pa-notice', { detail: n }));
	}

	// Let the sound end: leaving a page cuts it off.
	let leavingSoon = false;
	function showReply() {
		if (leavingSoon) return;
		leavingSoon = true;
		const limit = new Promise((r) => setTimeout(r, 3 * SECOND));

		setTimeout(() => Promise.race([ringing, limit]).then(() => {
			const draft = document.querySelector('main textarea');

			// Never over something that is being written.
			if (draft && draft.value !== draft.defaultValue) {
				const link = document.querySelector('[data-look-again]');

				if (link) link.focus();
				return;
			}
			location.replace(location.pathname + '?wait=1#latest');
		}), 300);
	}

	// The browser has signed out, or in as somebody else: a page of the old
	// one tells nothing of the new one, whose own pages do.
	function isStranger(person) {
		if (person === at.person) return false;
		strange = true;
		at.strange = '1';
		clearTimeout(timer);
		badge(0);
		leading = false;
		if (resign) resign();
		return true;
	}

	function take(data) {
		if (isStranger(data.person)) return;
		const known = recall('since');
		let news;

		if (since === null && known && fresh(known.at, STALE))
			since = known.id;
		// An older database was put back: its numbers come anew.
		if (since !== null && data.latest < since) since = data.latest;
		news = since === null ? [] :
		    data.notices.filter((n) => n.id > since);
		const message = { latest: data.latest, unread: data.unread,
			awaiting: data.awaiting, news };

		since = Math.max(since || 0, data.latest);
		remember('since', { id: since, at: Date.now() });
		hear(message);
		if (channel) channel.postMessage({ heard: message });
		if (news.length > 0) ring(news, data.more || 0, data.sound);
	}

	// ---- asking ----------------------------------------------------------

	async function ask() {
		if (asking || strange) return;
		asking = true;
		lastAsked = Date.now();
		if (since === null) {
			const known = recall('since');

			if (known && fresh(known.at, STALE))
				since = known.id;
		}
		try {
			const headers = { Accept: 'application/json' };

			if (etag) headers['If-None-Match'] = etag;
			const r = await fetch(at.poll +
			    (since === null ? '' : `?since=${since}`), {
				headers, cache: 'no-store',
				credentials: 'same-origin',
				signal: AbortSignal.timeout ?
				    AbortSignal.timeout(20 * SECOND) : undefined,
			});

			if (r.ok) {
				etag = r.headers.get('ETag') || '';
				take(await r.json());
			} else if (r.status === 304) {
				remember('since', { id: since, at: Date.now() });
				if (channel)
					channel.postMessage({ heard: { latest: since,
						unread, awaiting, news: [] } });
			} else {
				throw new Error(String(r.status));
			}
			failures = 0;
			markScript();
		} catch {
			failures++;
		}
		asking = false;
		at.asked = String(Number(at.asked || 0) + 1);
		plan();
	}

	function interval() {
		let ms = POLL;

		if (awaiting > 0) ms = POLL_AWAITING;
		else if (document.visibilityState === 'hidden') ms = POLL_HIDDEN;
		if (failures > 0)
			ms = Math.min(POLL_MAX, Math.max(ms, POLL / 3) * 2 ** failures);
		return ms * (0.85 + 0.3 * Math.random());
	}

	function plan() {
		clearTimeout(timer);
		if (strange) return;
		timer = setTimeout(due, interval());
	}

	// A hidden leader's timers are slowed down; a visible tab wakes it.
	function due() {
		if (leading) {
			ask();
			return;
		}
		if (channel && document.visibilityState === 'visible')
			channel.postMessage({ wake: true });
		plan();
	}

	function lead() {
		leading = true;
		at.leads = '1';
		ask();
	}

	// Without Web Locks (a page that is not on https): a lease that the
	// leader renews and others take over when it has run out.
	function lease() {
		const now = Date.now();
		const held = recall('lease');

		if (strange) return;
		if (!held || !fresh(held.until, 8 * SECOND) || held.until < now ||
		    held.tab === me) {
			remember('lease', { tab: me, until: now + 8 * SECOND });
			setTimeout(() => {
				const mine = recall('lease');
				const won = !mine || mine.tab === me;

				if (won && !leading) lead();
				if (!won) leading = false;
			}, 150);
		} else {
			leading = false;
		}
		setTimeout(lease, 3 * SECOND);
	}

	function elect() {
		if (navigator.locks) {
			navigator.locks.request(key('lead'), () => {
				if (strange) return undefined;
				lead();
				return new Promise((done) => { // until this tab closes
					resign = done;
				});
			});
		} else {
			lease();
		}
	}

	// ---- /preferences ------------------------------------------------------

	function showStates() {
		const p = permission();
		const advice = document.getElementById('pa-advice');
		const text = state(`advice.${p}`);
		const sound = document.createElement('audio').canPlayType ?
		    (soundBlocked || (navigator.getAutoplayPolicy &&
			navigator.getAutoplayPolicy('mediaelement') === 'disallowed') ?
			'gesture' : 'ready') : 'none';

		for (const el of document.querySelectorAll('[data-browser=popup]'))
			el.textContent = state(`popup.${p}`);
		for (const el of document.querySelectorAll('[data-browser=sound]'))
			el.textContent = state(`sound.${sound}`);
		if (advice) {
			advice.hidden = text === '';
			advice.firstElementChild.textContent = text;
		}
		const allow = document.getElementById('pa-allow');

		if (!allow) return;
		allow.hidden = p !== 'default' && p !== 'insecure';
		// Where it cannot allow anything, it does not say that it can.
		if (p === 'insecure') allow.textContent = state('allow.insecure');
	}

	const result = (name) => {
		const el = document.getElementById('pa-result');

		if (el) el.textContent = name ? state(name) : '';
	};

	// Only from a button: browsers insist, and so do people.
	async function allow() {
		if (permission() === 'default') await Notification.requestPermission();
		showStates();
		const advice = document.getElementById('pa-advice');

		if (permission() === 'insecure') result('advice.insecure');
		else if (advice && !advice.hidden) result(`advice.${permission()}`);
	}

	async function sendTest(e) {
		const form = e.currentTarget;

		e.preventDefault();
		result('test.sending');
		try {
			const r = await fetch(form.action, { method: 'POST',
				body: new URLSearchParams(new FormData(form)),
				redirect: 'manual', credentials: 'same-origin' });

			if (r.type !== 'opaqueredirect' && !r.ok)
				throw new Error(String(r.status));
			document.addEventListener('pa-notice', function done(n) {
				if (n.detail.kind !== 'test') return;
				document.removeEventListener('pa-notice', done);
				result(permission() === 'granted' ?
				    'test.shown' : 'test.arrived');
			});
			if (leading) ask();
			else if (channel) channel.postMessage({ wake: true, now: true });
		} catch {
			result('test.failed');
		}
	}

	function play() {
		const chosen = document.getElementById('chime');

		result('play.playing');
		playSound(chosen ? chosen.value : 'bell').then(
		    () => result('play.ended'), () => result('play.failed'))
		    .finally(showStates);
	}

	function preferences() {
		const test = document.getElementById('pa-test');

		if (!test) return;
		showStates();
		test.addEventListener('submit', sendTest);
		document.getElementById('pa-allow').addEventListener('click', allow);
		const button = document.getElementById('pa-play');

		button.hidden = false;
		button.addEventListener('click', play);
		if (navigator.permissions)
			navigator.permissions.query({ name: 'notifications' }).then(
			    (s) => { s.onchange = showStates; }, () => {});
	}

	// ---- begin -------------------------------------------------------------

	function token() {
		const field = document.querySelector('input[name=csrf]');

		return field ? field.value : '';
	}

	// A page that came by itself (?wait=1) did not mark its thread as read.
	function readThread() {
		if (!at.thread || at.waits || !/[?&]wait=1/.test(location.search) ||
		    document.visibilityState !== 'visible')
			return;
		fetch(at.read, { method: 'POST', redirect: 'manual',
			credentials: 'same-origin',
			body: new URLSearchParams({ do: 'thread', thread: at.thread,
				csrf: token() }) }).then(() => {
			if (leading) ask();
			else if (channel) channel.postMessage({ wake: true, now: true });
		}, () => {});
		history.replaceState(null, '', location.pathname + location.hash);
	}

	if (window.BroadcastChannel) {
		channel = new BroadcastChannel(key('talk'));
		channel.onmessage = (e) => {
			if (e.data.heard && !leading) hear(e.data.heard);
			if (e.data.wake && leading &&
			    (e.data.now || Date.now() - lastAsked > POLL_AWAITING))
				ask();
		};
	}
	document.addEventListener('visibilitychange', () => {
		if (document.visibilityState === 'hidden') leaveScreen();
		else readThread();
		noteScreen();
		plan();
	});
	window.addEventListener('online', () => {
		failures = 0;
		if (leading) ask();
	});
	window.addEventListener('focus', noteScreen);
	window.addEventListener('blur', leaveScreen);
	window.addEventListener('pagehide', leaveScreen);
	setInterval(noteScreen, 5 * SECOND);
	noteScreen();
	preferences();
	readThread();
	elect();
	plan();
})();
