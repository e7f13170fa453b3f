// load - voters who never stop, and a list of the votes they were told of.
//
// usage: node load.cjs prepare BASE FILE N    make N guests, keep them in FILE
//        node load.cjs run BASE FILE ACKED    vote until told to stop; append
//                                             the token of each answered vote
'use strict';
const fs = require('fs');
const http = require('http');

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });

function request(base, method, path, cookie, body) {
	return new Promise((resolve, reject) => {
		const url = new URL(path, base);
		const headers = { 'Sec-Fetch-Site': 'same-origin' };
		if (cookie) headers.Cookie = cookie;
		if (body) headers['Content-Type'] = 'application/x-www-form-urlencoded';
		const r = http.request(url, { method, headers, agent, timeout: 20000 }, (res) => {
			let data = '';
			res.setEncoding('utf8');
			res.on('data', (d) => { data += d; });
			res.on('end', () => resolve({ status: res.statusCode, location: res.headers.location || '', data, cookies: res.headers['set-cookie'] || [] }));
			res.on('aborted', () => reject(new Error('aborted')));
		});
		r.on('timeout', () => r.destroy(new Error('timeout')));
		r.on('error', reject);
		if (body) r.write(body);
		r.end();
	});
}
const token = (page) => (/name="csrf"[^>]*value="([^"]*)"/.exec(page) || [])[1] || '';

async function guest(base) {
	const r = await request(base, 'POST', '/arena', '', 'type=any');
	const cookie = r.cookies.map((c) => c.split(';')[0]).join('; ');
	if (r.status !== 303 || !cookie) throw new Error(`no guest: ${r.status}`);
	return { cookie };
}

// One match, one vote.  Returns the match's token once the vote is answered.
async function voteOnce(base, voter) {
	let r = await request(base, 'POST', '/arena', voter.cookie, 'type=any&csrf=' + encodeURIComponent(voter.csrf || ''));
	if (r.status === 403 || !/\/match\//.test(r.location)) {
		const form = await request(base, 'GET', '/arena', voter.cookie);
		voter.csrf = token(form.data);
		r = await request(base, 'POST', '/arena', voter.cookie, 'type=any&csrf=' + encodeURIComponent(voter.csrf));
	}
	const match = (/\/match\/([a-z2-7]{26})/.exec(r.location) || [])[1];
	if (!match) return null;
	const page = await request(base, 'GET', '/match/' + match, voter.cookie);
	voter.csrf = token(page.data) || voter.csrf;
	const choice = ['a', 'b', 'tie', 'both_poor'][Math.floor(Math.random() * 4)];
	const v = await request(base, 'POST', '/match/' + match, voter.cookie,
		`do=vote&choice=${choice}&csrf=` + encodeURIComponent(voter.csrf));
	return v.status === 303 && v.location.endsWith(`/match/${match}/result`) ? match : null;
}

async function run(base, file, acked) {
	const voters = JSON.parse(fs.readFileSync(file, 'utf8'));
	const out = fs.openSync(acked, 'a');
	let stop = false;
	process.on('SIGTERM', () => { stop = true; });
	await Promise.all(voters.map(async (voter, i) => {
		let errors = 0;
		let dry = 0;
		while (!stop && errors < 3) {
			try {
				const match = await voteOnce(base, voter);
				if (match) { fs.writeSync(out, match + '\n'); dry = 0; }
				else if (++dry > 3) { voters[i] = voter = await guest(base); dry = 0; }
			} catch (e) { errors++; }
		}
	}));
	fs.writeFileSync(file, JSON.stringify(voters));
}

(async () => {
	const [verb, base, file, last] = process.argv.slice(2);
	if (verb === 'prepare') {
		const voters = [];
		for (let i = 0; i < Number(last); i++) voters.push(await guest(base));
		fs.writeFileSync(file, JSON.stringify(voters));
	} else {
		await run(base, file, last);
	}
	agent.destroy();
})().catch((e) => { console.error(e.message); process.exitCode = 1; });
