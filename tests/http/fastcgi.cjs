// fastcgi - one request on a FastCGI socket, with exactly these parameters.
//
// usage: node fastcgi.cjs SOCKET NAME=VALUE... [BODY=...]
// The same NAME may be given twice, and \0 in it or its VALUE is a NUL.
// Prints what came back.
'use strict';
const net = require('net');

const [socket, ...words] = process.argv.slice(2);
let body = Buffer.alloc(0);
const params = [];
for (const word of words) {
	const at = word.indexOf('=');
	const name = word.slice(0, at).replaceAll('\\0', '\0');
	const value = word.slice(at + 1).replaceAll('\\0', '\0');
	if (name === 'BODY') body = Buffer.from(value);
	else params.push([name, value]);
}
const has = (name) => params.some(([k]) => k === name);
if (!has('REQUEST_METHOD')) params.push(['REQUEST_METHOD', 'GET']);
if (!has('QUERY_STRING')) params.push(['QUERY_STRING', '']);
if (!has('CONTENT_LENGTH') && body.length) params.push(['CONTENT_LENGTH', String(body.length)]);
if (!has('HTTP_HOST')) params.push(['HTTP_HOST', '127.0.0.1']);

function record(type, content) {
	const head = Buffer.alloc(8);
	head[0] = 1;
	head[1] = type;
	head.writeUInt16BE(1, 2);
	head.writeUInt16BE(content.length, 4);
	return Buffer.concat([head, content]);
}
function size(n) {
	if (n < 128) return Buffer.from([n]);
	const b = Buffer.alloc(4);
	b.writeUInt32BE((n | 0x80000000) >>> 0);
	return b;
}
const pairs = Buffer.concat(params.flatMap(([k, v]) => {
	const a = Buffer.from(k);
	const b = Buffer.from(v);
	return [size(a.length), size(b.length), a, b];
}));
const c = net.connect(socket, () => {
	c.write(record(1, Buffer.from([0, 1, 0, 0, 0, 0, 0, 0])));
	for (let i = 0; i < pairs.length; i += 60000) c.write(record(4, pairs.subarray(i, i + 60000)));
	c.write(record(4, Buffer.alloc(0)));
	if (body.length) c.write(record(5, body));
	c.write(record(5, Buffer.alloc(0)));
});
let all = Buffer.alloc(0);
c.on('data', (d) => { all = Buffer.concat([all, d]); });
c.on('error', (e) => { console.log('error: ' + e.message); });
c.on('close', () => {
	let out = '';
	for (let i = 0; i + 8 <= all.length;) {
		const n = all.readUInt16BE(i + 4);
		if (all[i + 1] === 6) out += all.subarray(i + 8, i + 8 + n).toString();
		i += 8 + n + all[i + 6];
	}
	// A status is said aloud even where it is the default.
	if (out && !/^Status:/mi.test(out.split('\r\n\r\n')[0])) out = 'Status: 200 OK\r\n' + out;
	process.stdout.write(out || 'closed without an answer\n');
});
