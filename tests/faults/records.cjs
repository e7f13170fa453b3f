// records - broken FastCGI records on a socket, from a seed.
//
// usage: node records.cjs SOCKET COUNT SEED
// Each connection begins as a sound request and is then spoiled: records left
// out, doubled, cut, of other kinds and ids, lengths that lie, bytes changed.
'use strict';
const net = require('net');

const [socket, count, seed] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];

let state = seed >>> 0;
function below(n) { // mulberry32
	state = (state + 0x6d2b79f5) >>> 0;
	let t = Math.imul(state ^ (state >>> 15), state | 1);
	t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
	return ((t ^ (t >>> 14)) >>> 0) % n;
}
const one = (list) => list[below(list.length)];
const noise = (n) => Buffer.from(Array.from({ length: n }, () => below(256)));

function record(type, content, id = 1, padding = 0) {
	const head = Buffer.from([1, type, id >> 8, id & 255, content.length >> 8, content.length & 255, padding, 0]);
	return Buffer.concat([head, content, Buffer.alloc(padding)]);
}
const size = (n) => (n < 128 ? Buffer.from([n]) : Buffer.from([0x80 | (n >>> 24), n >>> 16, n >>> 8, n]));
const pair = (k, v) => Buffer.concat([size(k.length), size(v.length), Buffer.from(k), Buffer.from(v)]);

function sound() {
	const params = [
		['REQUEST_METHOD', one(['GET', 'POST', 'HEAD', 'X', ''])],
		['REQUEST_URI', one(['/', '/arena', '/match/x', '/leaderboard?type=coding', '/%ff'])],
		['CONTENT_TYPE', 'application/x-www-form-urlencoded'],
		['CONTENT_LENGTH', one(['', '0', '5', '-1', '4294967301', '9223372036854775807', '0x10', ' 5', '1e3'])],
	];
	return [record(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])),
		record(4, Buffer.concat(params.map(([k, v]) => pair(k, v))), 1, one([0, 255])),
		record(4, Buffer.alloc(0)), record(5, Buffer.from('a=b&c')), record(5, Buffer.alloc(0))];
}
const lies = [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0xe0, 0, 0, 0, 0xe0, 0, 0, 0, 1],
	[0x80, 0, 0, 0], [1, 0xff, 0xff, 0xff, 0xff], [0xff, 0xff, 0xff, 0xf0, 1, 65]].map((b) => Buffer.from(b));
const spoil = [
	(r) => r.splice(below(r.length), 1),
	(r) => r.splice(below(r.length), 0, one(r)),
	(r) => r.splice(below(r.length), 0, record(below(13), noise(below(200)), one([0, 1, 2, 65535]))),
	(r) => { const b = one(r); if (b.length) b[below(b.length)] = below(256); },
	(r) => { const i = below(r.length); r[i] = r[i].subarray(0, below(r[i].length + 1)); },
	(r) => r.splice(below(r.length), 0, record(4, one(lies))),
	(r) => r.splice(below(r.length), 0, record(9, one(lies), 0)),
	(r) => r.splice(below(r.length), 0, record(2, Buffer.alloc(0))),
	(r) => r.splice(0, 0, Buffer.from([1, below(12), 0, 1, 0xff, 0xff, 0xff, 0])),
	(r) => r.splice(1, 0, record(4, Buffer.concat([pair('PA_USER', 'admin'), pair('PA_USER', 'ada')]))),
	(r) => r.push(noise(50)),
];

function send(bytes) {
	return new Promise((done) => {
		const c = net.connect(socket);
		// A peer that waits for more hears nothing; it is not waited for.
		const hurry = setTimeout(() => c.destroy(), 40);
		c.on('error', () => {});
		c.on('close', () => { clearTimeout(hurry); done(); });
		c.on('data', () => {});
		c.end(bytes);
	});
}
(async () => {
	for (let i = 0; i < count; i++) {
		const records = sound();
		for (let k = below(4); k > 0 && records.length; k--) one(spoil)(records);
		await send(Buffer.concat(records));
	}
})();
