// poll - browsers that poll and people who vote, for poll.sh.
//
// usage: node poll.cjs poll BASE N               N browsers, every 30 s each
//        node poll.cjs vote BASE prepare FILE N  N guests
//        node poll.cjs vote BASE SECONDS FILE    25 votes a second; the p99 in ms
'use strict';
const fs = require('fs');
const http = require('http');

const RATE = 25;
const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function ask(base, method, path, headers, body) {
	return new Promise((resolve, reject) => {
		const r = http.request(new URL(path, base), { method, agent, headers: { ...headers,
			...(body ? { 'Content-Type': 'application/x-www-form-urlencoded' } : {}) } }, (res) => {
			let data = '';
			res.setEncoding('utf8');
			res.on('data', (d) => { data += d; });
			res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, data }));
		});
		r.on('error', reject);
		r.end(body);
	});
}
// nginx ends a kept connection after a thousand requests; a browser asks anew.
const again = (...how) => ask(...how).catch(() => ask(...how));
const csrf = (page) => encodeURIComponent((/name="csrf"[^>]*value="([^"]*)"/.exec(page) || [])[1] || '');
const ok = (condition, what) => { if (!condition) throw new Error(what); };

async function poll(base, n) {
	const tags = new Array(n).fill('');
	let next = 0, seen = 0, unchanged = 0, bad = 0;
	const one = async (i) => {
		// Without the cookie nginx takes it for a visitor, and the lock of
		// its cache lets these through one at a time.
		const r = await again(base, 'GET', '/notices.json?since=0', {
			'X-Bench-User': `browser${i + 1}`, Cookie: 'signed=in',
			...(tags[i] ? { 'If-None-Match': tags[i] } : {}) });
		tags[i] = r.headers.etag || tags[i];
		// One whom nobody knows costs no look-up: that would measure nothing.
		if (r.status === 200)
			ok(JSON.parse(r.data).person === `m:browser${i + 1}`, `not signed in: ${r.data}`);
		seen++;
		if (r.status === 304) unchanged++;
		else if (r.status !== 200) bad++;
	};

	// Everybody has asked once before: the rule is that nothing is new.
	for (let i = 0; i < n; i += 50)
		await Promise.all(Array.from({ length: Math.min(50, n - i) }, (_, k) => one(i + k)));
	seen = unchanged = 0;
	console.log('ready');
	const begun = Date.now();
	const timer = setInterval(() => {
		const due = Math.floor((Date.now() - begun) * n / 30000);
		for (let k = 0; next < due && k < 200; k++, next++)
			one(next % n).catch(() => { bad++; });
	}, 5);
	process.on('SIGTERM', () => {
		clearInterval(timer);
		console.log(`${Math.round(seen * 1000 / (Date.now() - begun))} polls/s, ${unchanged} of ${seen} unchanged, ${bad} failed`);
		process.exit(bad ? 1 : 0);
	});
}

async function prepare(base, file, n) {
	const voters = [];
	for (let i = 0; i < n; i++) {
		const r = await ask(base, 'POST', '/arena', { 'Sec-Fetch-Site': 'same-origin' }, 'type=any');
		ok(r.status === 303 && r.headers['set-cookie'], `no guest: ${r.status}`);
		voters.push({ cookie: r.headers['set-cookie'].map((c) => c.split(';')[0]).join('; '), csrf: '' });
	}
	fs.writeFileSync(file, JSON.stringify(voters));
}

// A fixed rate, whatever the answers take: a slow one is not spared.
async function vote(base, seconds, file) {
	const voters = JSON.parse(fs.readFileSync(file, 'utf8'));
	const times = [];
	const running = [];
	let turn = Number(fs.existsSync(file + '.turn') ? fs.readFileSync(file + '.turn', 'utf8') : 0);
	const one = async (v) => {
		const headers = { Cookie: v.cookie, 'Sec-Fetch-Site': 'same-origin' };
		const form = await again(base, 'GET', '/arena', headers);
		const made = await ask(base, 'POST', '/arena', headers, `type=any&csrf=${csrf(form.data)}`);
		ok(made.status === 303, `no match: ${made.status}`);
		const page = await again(base, 'GET', made.headers.location, headers);
		const from = process.hrtime.bigint();
		const r = await ask(base, 'POST', made.headers.location, headers, `do=vote&choice=a&csrf=${csrf(page.data)}`);
		ok(r.status === 303, `no vote: ${r.status}`);
		times.push(Number(process.hrtime.bigint() - from) / 1e6);
	};
	const begun = Date.now();
	for (let i = 0; i < seconds * RATE; i++) {
		const wait = begun + i * 1000 / RATE - Date.now();
		if (wait > 0) await new Promise((r) => setTimeout(r, wait));
		running.push(one(voters[turn++ % voters.length]));
	}
	await Promise.all(running);
	fs.writeFileSync(file + '.turn', String(turn));
	times.sort((a, b) => a - b);
	console.log(times[Math.ceil(times.length * 0.99) - 1].toFixed(2));
}

const [, , verb, base, a, b, c] = process.argv;
const work = verb === 'poll' ? poll(base, Number(a)) :
	a === 'prepare' ? prepare(base, b, Number(c)) : vote(base, Number(a), b);
work.catch((e) => { console.error(String(e)); process.exit(1); });
