// cases.cjs - what model servers do, and what a client must make of it.
//
// Each case: name, row (what it is about), reply (rq → the bytes of a
// response and how they end), want (the outcome), opts (of the endpoint, and
// ngx: what differs behind nginx).  Numbers are those of the conformance
// list, letters are variants.
'use strict';
const zlib = require('zlib');

const B = (s) => (Buffer.isBuffer(s) ? s : Buffer.from(s, 'utf8'));
const cat = (...parts) => Buffer.concat(parts.map(B));

// ---- making responses ----

// how: status, type, headers, framing (length | chunked | close | short | none)
function http(body, how = {}) {
  const status = how.status || 200;
  const type = how.type === undefined ? 'application/json' : how.type;
  const framing = how.framing || 'length';
  let head = `HTTP/1.${how.old ? 0 : 1} ${status} Status\r\n`;
  if (type) head += `Content-Type: ${type}\r\n`;
  for (const h of how.headers || []) head += `${h}\r\n`;
  body = B(body);
  if (framing === 'length') head += `Content-Length: ${body.length}\r\n`;
  if (framing === 'short') head += `Content-Length: ${body.length + 50}\r\n`;
  if (framing === 'chunked') head += 'Transfer-Encoding: chunked\r\n';
  if (framing === 'close') head += 'Connection: close\r\n';
  head += '\r\n';
  if (framing === 'chunked') body = chunked(body, how.piece, how.unfinished, how.trailers);
  const end = how.end || (framing === 'close' || framing === 'short' ? 'fin' : 'keep');
  return { raw: cat(how.before || '', head, body), end };
}
function chunked(body, piece = 1000, unfinished = false, trailers = '') {
  const out = [];
  for (let i = 0; i < body.length; i += piece) {
    const p = body.slice(i, i + piece);
    out.push(B(`${p.length.toString(16)}\r\n`), p, B('\r\n'));
  }
  if (!unfinished) out.push(B(`0\r\n${trailers}\r\n`));
  return Buffer.concat(out);
}
const completion = (message, finish = 'stop', more = {}) => ({
  id: 'c-1', object: 'chat.completion', created: 1, model: 'MODEL',
  choices: [{ index: 0, message, finish_reason: finish }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 }, ...more });
const chunk = (delta, finish = null, more = {}) => ({
  id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'MODEL',
  choices: [{ index: 0, delta, finish_reason: finish }], ...more });
// MODEL becomes the case's name, so that the client sees its own model.
const named = (value, rq) => JSON.stringify(value)
  .replaceAll('"MODEL"', JSON.stringify((rq.sent && rq.sent.model) || 'azure'))
  .replaceAll('"HUGE"', '1e20');
const said = (text, finish) => completion({ role: 'assistant', content: text }, finish);
const json = (value, how) => (rq) => http(
  typeof value === 'string' || Buffer.isBuffer(value) ? value : named(value, rq), how);
const stream = (events, how = {}) => (rq) => http(
  events.map((e) => `data: ${named(e, rq)}\n\n`).join('') + (how.done === false ? '' : 'data: [DONE]\n\n'),
  { type: 'text/event-stream', framing: 'chunked', ...how });
const S = (bytes, how = {}) => () => http(bytes, { type: 'text/event-stream', framing: 'chunked', ...how });
const spoken = (text, finish = 'stop') => [chunk({ role: 'assistant', content: '' }),
  ...(text.match(/[^]{1,3}/gu) || []).map((t) => chunk({ content: t })), chunk({}, finish)];
const problem = (status, error, headers = []) => json({ error }, { status, headers });
const piece = (t, f = null) => JSON.stringify({ choices: [{ index: 0, delta: { content: t }, finish_reason: f }] });

const cases = [];
const add = (name, row, reply, want, opts) =>
  cases.push({ name: `case-${name}`, row, reply, want, opts });
// The same text told both ways must come out the same.
const both = (name, row, text, want, finish = 'stop', opts = {}) => {
  add(name, row, json(said(text, finish)), want, opts);
  add(`${name}s`, `${row} (stream)`, stream(spoken(text, finish)),
    { ...want, flags: [...(want.flags || []), 'streamed'] }, opts);
};
const ok = (text = 'Hello.', more = {}) => ({ class: 'ok', why: 'none', n: 1, text, ...more });
const once = (cls, why, more = {}) => ({ class: cls, why, n: 1, ...more });
const again = (cls, why, more = {}) => ({ class: cls, why, n: 3, ...more });
const hello = json(said('Hello.'));
const thenHello = (first, times = 1) => (rq) => (rq.count <= times ? first(rq) : hello(rq));
const anything = { class: null, why: null, n: null };

// ---- A. transport, address, key ----

const local = { ngx: 'skip' };

for (const [letter, base, path] of [
  ['a', '', '/chat/completions'], ['b', '/', '/chat/completions'],
  ['c', '/v1', '/v1/chat/completions'], ['d', '/v1/', '/v1/chat/completions'],
  ['e', '/openai/v1', '/openai/v1/chat/completions'],
  ['f', '/api/v1//', '/api/v1/chat/completions'],
  ['g', '/v1/v1', '/v1/chat/completions'],
  ['h', '//v1///chat/completions/', '/v1/chat/completions'],
]) {
  add(`1${letter}`, `base ends in "${base}"`, (rq) => (
    rq.target.replace(/^\/[kx][0-9]*/, '') === path ? hello(rq) : rq.wrong(`called ${rq.target}`)), ok(), { base });
}
add('2a', '200 that says wrong path', json({ error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
  once('permanent', 'path', { detail: '/v1' }));
add('2b', '404 for the path', json('404 page not found', { status: 404, type: 'text/plain' }),
  once('permanent', 'path', { detail: '/v1' }));
add('3a', 'HTTP/1.0, closed at the end', json(said('Hello.'), { framing: 'close', old: true }), ok());
add('3b', 'informational responses first', json(said('Hello.'), {
  before: 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\nRetry-After: 99\r\n\r\n' }), ok(), { ngx: 'skip' });
add('3c', 'trailers after the body', json(said('Hello.'), { framing: 'chunked', trailers: 'Retry-After: 99\r\nX-Trailer: yes\r\n' }), ok());
add('3d', 'no reason phrase', (rq) => ({ raw: B(`HTTP/1.1 200\r\n${hello(rq).raw.toString().split('\r\n').slice(1).join('\r\n')}`) }), ok());
add('3e', 'header lines that end in LF alone', (rq) => { const [head, body] = hello(rq).raw.toString().split('\r\n\r\n');
  return { raw: B(`${head.replaceAll('\r\n', '\n')}\n\n${body}`) }; }, ok());
add('3f', 'asked by an address of IPv6', hello, ok(), { url: 'http://[::1]:{plain6}/{prefix}/v1', ipv6: true, ...local });
add('4a', 'needs its key, once', (rq) => (rq.headers.authorization === 'Bearer sk-test-4a-secret' ?
  hello(rq) : rq.wrong(`key ${rq.headers.authorization}`)), ok(), { key: 'sk-test-4a-secret' });
add('5a', 'Azure: header, query, no model', (rq) => (rq.headers['api-key'] === 'azure-secret-5' &&
  !('authorization' in rq.headers) && /\?api-version=2024-10-21$/.test(rq.target) && !('model' in rq.sent) ?
  hello(rq) : rq.wrong('azure')), ok(), { base: '/openai/deployments/case-5a/', query: 'api-version=2024-10-21',
  header: 'api-key', key: 'azure-secret-5', send_model: false });
add('5b', 'a query in the base and one configured', (rq) => (/\?a=b&api-version=1$/.test(rq.target) ?
  hello(rq) : rq.wrong(rq.target)), ok(), { base: '/v1?a=b', query: 'api-version=1' });
add('6a', 'no key, no header', (rq) => ('authorization' in rq.headers ? rq.wrong('Authorization sent') : hello(rq)), ok());
for (const [letter, status] of [['a', 401], ['b', 403]]) {
  add(`7${letter}`, `${status}, echoing the key`, (rq) => problem(status,
    { message: `Incorrect API key provided: ${rq.headers.authorization}`, type: 'invalid_request_error', code: 'invalid_api_key' })(rq),
  once('permanent', 'auth', { no_secret: true, health: 'broken' }), { key: 'sk-echo-7-verysecret' });
}
for (const [letter, status] of [['a', 301], ['b', 302], ['c', 303], ['d', 307], ['e', 308], ['f', 300], ['g', 305]]) {
  add(`8${letter}`, `${status} to another host`, json('', { status, headers: ['Location: http://user:pw@elsewhere.example:81/v1?key=x'] }),
    once('permanent', 'redirect', { detail: 'elsewhere.example:81' }), { key: 'sk-redirect-8', header: 'api-key' });
}
add('8h', '304', json('', { status: 304, framing: 'none' }), once('permanent', 'redirect'));
add('9a', 'redirect to a file', json('', { status: 302, headers: ['Location: file:///etc/hostname'] }), once('permanent', 'redirect'));
add('9b', 'redirect to a path', json('', { status: 302, headers: ['Location: /v1/elsewhere'] }), once('permanent', 'redirect'));
add('9c', 'file address', hello, { refused: 'invalid' }, { url: 'file:///etc/hostname' });
add('9d', 'user in the address', hello, { refused: 'invalid' }, { url: 'http://me:pw@127.0.0.1:{plain}/v1' });
const tlsAt = (kind, ca, more = {}) => ({ url: `https://localhost:{${kind}}/{prefix}/v1`, ca, ...local, ...more });
add('10a', 'private authority, told', hello, ok('Hello.', { tls: 'TLS' }), tlsAt('good', 'ca.crt'));
add('10b', 'private authority, not told', hello, { class: 'permanent', why: 'tls', n: 0 }, tlsAt('good'));
add('10c', 'self-signed', hello, { class: 'permanent', why: 'tls', n: 0 }, tlsAt('self', 'ca.crt'));
add('10d', 'expired', hello, { class: 'permanent', why: 'tls', n: 0, detail: 'expired' }, tlsAt('expired', 'ca.crt'));
add('10e', 'another host', hello, { class: 'permanent', why: 'tls', n: 0 }, tlsAt('other', 'ca.crt'));
add('10f', 'ca-file that is none', hello, { class: 'permanent', why: 'tls', n: 0 }, tlsAt('good', 'good.key'));
add('10g', 'plain HTTP where TLS is expected', hello, { class: 'transient', why: 'tls', n: 0 }, tlsAt('plain', 'ca.crt'));
add('10h', 'TLS that never begins', hello, { class: 'transient', why: 'connect', n: 0, max_ms: 6000 }, tlsAt('mute', 'ca.crt', { connect: 300 }));
add('11a', 'a proxy in the environment is ignored', hello, ok()); // the driver sets http_proxy
const via = { proxy: 'http://127.0.0.1:{proxy}', ...local };
add('12a', 'proxy wants a password', hello, { class: 'permanent', why: 'proxy', n: 0 }, { url: 'http://model.example/v1', ...via });
add('12b', 'CONNECT refused with HTML', hello, { class: 'permanent', why: 'proxy', n: 0 }, { url: 'https://model.example/v1', ...via });
add('12c', 'no proxy there', hello, { class: 'transient', why: ['proxy', 'connect'], n: 0 }, { url: 'http://model.example/v1', ...via, proxy: 'http://127.0.0.1:{dead}' });
add('13a', 'name without address', hello, { class: 'transient', why: 'connect', n: 0 }, { url: `http://${'a'.repeat(70)}.invalid/v1`, ...local });
add('13b', 'connection refused', hello, { class: 'transient', why: 'connect', n: 0 }, { url: 'http://127.0.0.1:{dead}/v1', ...local });
add('13c', 'black hole', hello, { class: 'transient', why: 'connect', n: 0, max_ms: 6000 }, { url: 'http://127.0.0.1:{hole}/v1', connect: 300, ...local });
add('14a', 'a name of this machine', hello, ok(), { url: 'http://localhost:{plain}/{prefix}/v1', ...local });
const two = 'http://two-addresses.test'; // the driver's: ::1, then 127.0.0.1
add('14j', 'the first of two addresses a black hole: the other is tried meanwhile', hello, ok('Hello.', { min_ms: 150, max_ms: 2500 }), { url: `${two}:{plain}/{prefix}/v1`, ipv6: true, ...local });
add('14k', 'the first of two addresses refuses', hello, ok(), { url: `${two}:{plain4}/{prefix}/v1`, ipv6: true, ...local });
add('14l', 'two dead addresses share one limit', hello, { class: 'transient', why: 'connect', n: 0, max_ms: 2500 }, { url: `${two}:{hole}/v1`, connect: 600, attempts: 1, ipv6: true, ...local });
add('14b', 'loopback without leave', hello, { class: 'permanent', why: 'address', n: 0 }, { private: false, ...local });
for (const [letter, host] of [['c', '2130706433'], ['d', '0177.0.0.1'], ['e', '127.1'], ['f', '[::ffff:127.0.0.1]'], ['g', '0x7f.1'], ['h', 'localhost']]) {
  add(`14${letter}`, `${host} is loopback too`, hello, { class: 'permanent', why: 'address', n: 0 }, { url: `http://${host}:{plain}/{prefix}/v1`, private: false, ...local });
}
add('14i', '0.0.0.0 never', hello, { class: ['permanent', 'transient'], why: ['address'], n: 0 }, { url: 'http://0.0.0.0:{plain}/{prefix}/v1', ...local });
const dropsKept = (end) => (rq) => (rq.connection > 1 ? { raw: Buffer.alloc(0), end } : hello(rq));
add('15a', 'kept connection closed on reuse', dropsKept('fin'), ok('Hello.', { n: null }), { asks: 6, serial: true, ...local });
add('15b', 'kept connection reset on reuse', dropsKept('rst'), ok('Hello.', { n: null, attempts_max: 2 }), { asks: 6, serial: true, ...local });
const shuts = () => ({ raw: Buffer.alloc(0), end: 'fin' });
add('15c', 'closed before a byte on a new connection', shuts, again('transient', 'cut'), { url: 'http://127.0.0.1:{alone}/{prefix}/v1', ...local });
// Each connection that another case left open may be found closed in its turn.
add('15d', 'closed before a byte on any connection', shuts, { class: 'transient', why: 'cut', n: null }, { ngx: { why: 'server' } });
add('16a', 'reset in the middle of the body', (rq) => ({ ...hello(rq), cut: 200, end: 'rst' }), again('incomplete', 'cut'), { ngx: { ...anything, class: ['incomplete', 'transient'] } });
add('16b', 'reset within the header', () => ({ raw: B('HTTP/1.1 200 OK\r\nContent-Ty'), end: 'rst' }),
  { class: ['incomplete', 'transient'], why: 'cut', n: 3 }, { ngx: { why: ['server', 'cut'], n: null } });
add('17a', '2 MB of headers', () => ({ raw: B(`HTTP/1.1 200 OK\r\n${`X-Padding: ${'a'.repeat(1000)}\r\n`.repeat(2000)}\r\n{}`), end: 'fin' }),
  once('permanent', 'shape'), { ngx: { class: 'transient', why: 'server', n: null } });
add('17b', 'one endless header', () => ({ raw: B(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(500000)}`), end: 'fin' }),
  { class: ['permanent', 'incomplete', 'transient'], n: null }, { ngx: { class: 'transient', why: 'server', n: null } });
add('17c', 'no HTTP at all', () => ({ raw: B('SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n'), end: 'fin' }),
  { class: ['permanent', 'transient'], n: null }, { ngx: anything });
add('17d', 'two lengths that differ', () => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 500\r\n\r\n', JSON.stringify(said('Hello.'))), end: 'fin' }),
  { class: ['permanent', 'transient', 'incomplete'], n: null }, { ngx: anything });
add('17e', 'negative length', () => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n', JSON.stringify(said('Hello.'))), end: 'fin' }),
  { class: ['permanent', 'transient', 'incomplete', 'ok'], n: null }, { ngx: anything });
add('17f', 'bad chunk size', () => ({ raw: B('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n'), end: 'fin' }),
  { class: ['incomplete', 'transient'], n: 3 }, { ngx: anything });
add('17g', '101 switching protocols', () => ({ raw: B('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'), end: 'fin' }),
  { class: ['permanent', 'transient', 'incomplete'], n: null }, { ngx: 'skip' });
add('17h', 'a length and chunks', (rq) => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n', chunked(B(named(said('Hello.'), rq)))), end: 'fin' }),
  { class: ['ok', 'permanent', 'transient', 'incomplete'], n: null }, { ngx: anything });
add('17i', 'thousands of informational responses', () => ({ raw: B('HTTP/1.1 100 Continue\r\n\r\n'.repeat(50000)), end: 'fin' }),
  { class: ['permanent', 'transient', 'incomplete', 'limit'], n: null, max_ms: 6000 }, { ngx: 'skip' });
add('17j', 'a body in a coding of the transport', (rq) => ({ raw: cat('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', chunked(zlib.gzipSync(named(said('Hello.'), rq)))), end: 'fin' }),
  { class: ['ok', 'permanent', 'transient', 'incomplete'], n: null }, { ngx: anything });

// ---- B. status, retry, throttling ----

const slow429 = (...headers) => problem(429, { message: 'slow down' }, headers);
add('18a', '429, Retry-After: 1', thenHello(slow429('Retry-After: 1')), ok('Hello.', { n: 2, min_ms: 1000, max_ms: 4000 }));
add('18b', '429, Retry-After: 0.4', thenHello(slow429('Retry-After: 0.4')), ok('Hello.', { n: 2, min_ms: 400 }));
add('18c', '429, a date against the server\'s own', thenHello(slow429('Date: Sun, 06 Nov 1994 08:49:36 GMT', 'Retry-After: Sun, 06 Nov 1994 08:49:37 GMT')),
  ok('Hello.', { n: 2, min_ms: 1000, max_ms: 4000 }), { ngx: { min_ms: 0 } });
add('18d', 'retry-after-ms outranks Retry-After', thenHello(slow429('Retry-After: 60', 'retry-after-ms: 300')), ok('Hello.', { n: 2, min_ms: 300, max_ms: 4000 }));
add('18e', 'longer than the cap: given up', slow429('Retry-After: 600'), once('transient', 'throttled', { retry_min: 599000, health: 'cooling' }));
add('18f', 'nonsense in Retry-After', thenHello(slow429('Retry-After: soon')), ok('Hello.', { n: 2 }));
add('18g', 'a date in the past', thenHello(slow429('Retry-After: Sun, 06 Nov 1994 08:49:37 GMT')), ok('Hello.', { n: 2 }));
add('18h', 'negative Retry-After', thenHello(slow429('Retry-After: -5')), ok('Hello.', { n: 2 }));
add('18i', 'a wait beyond all numbers', slow429('Retry-After: 99999999999999999999'), once('transient', 'throttled', { retry_min: 599000 }));
add('18j', 'a date years ahead', slow429('Date: Sun, 06 Nov 1994 08:49:36 GMT', 'Retry-After: Sun, 06 Nov 2044 08:49:37 GMT'), once('transient', 'throttled'));
add('18k', 'not a number', thenHello(slow429('Retry-After: NaN')), ok('Hello.', { n: 2 }));
add('18l', 'milliseconds that are none', thenHello(slow429('retry-after-ms: later', 'Retry-After: 0.4')), ok('Hello.', { n: 2, min_ms: 400 }));
add('18m', 'an empty Retry-After', thenHello(slow429('Retry-After:')), ok('Hello.', { n: 2 }));
add('18n', 'a wait in hexadecimal', thenHello(slow429('Retry-After: 0x7fffffff')), ok('Hello.', { n: 2 }));
add('18o', 'Retry-After on a 400 is no invitation', problem(400, { message: 'no' }, ['Retry-After: 1']), once('permanent', 'request'));
add('19a', '429 three times', slow429(), again('transient', 'throttled'));
add('19b', '503 with Retry-After', thenHello(problem(503, { message: 'loading' }, ['Retry-After: 1'])), ok('Hello.', { n: 2, min_ms: 1000 }));
add('19c', '429 with a web page', json('<html><body>Too Many Requests</body></html>', { status: 429, type: 'text/html' }), again('transient', 'throttled'));
add('19d', '429 without a body', json('', { status: 429 }), again('transient', 'throttled'));
add('20a', 'quota by type', problem(429, { message: 'You exceeded your current quota', type: 'insufficient_quota', code: null }), once('permanent', 'quota', { health: 'broken' }));
add('20b', 'quota by code', problem(429, { message: 'x', code: 'insufficient_quota' }), once('permanent', 'quota'));
add('20c', 'limit: 0', problem(429, { message: 'Quota exceeded for metric: requests, limit: 0', code: 429 }), once('permanent', 'quota'));
add('20d', '402', problem(402, { message: 'Insufficient Balance' }), once('permanent', 'quota'));
add('20e', 'quota with a 403', problem(403, { message: 'x', code: 'insufficient_quota' }), once('permanent', 'quota'));
for (const [letter, status] of [['a', 408], ['b', 409], ['c', 500], ['d', 502], ['e', 503], ['f', 504], ['g', 425]]) {
  add(`21${letter}`, `${status} twice, then well`, thenHello(problem(status, { message: 'oops' }), 2), ok('Hello.', { n: 3 }));
}
add('21h', 'x-should-retry: false', problem(500, { message: 'no' }, ['x-should-retry: false']), once('transient', 'server'));
add('21i', 'x-should-retry: true on a 400', thenHello(problem(400, { message: 'odd' }, ['X-Should-Retry: true'])), ok('Hello.', { n: 2 }));
add('21j', '500 for ever', problem(500, { message: 'oops' }), again('transient', 'server'));
add('21k', '500 whose JSON speaks of the request', problem(500, { message: 'invalid value', type: 'invalid_request_error' }), again('transient', 'server'));
add('21l', '503 whose error is a word', json({ error: 'overloaded' }, { status: 503 }), again('transient', 'server'));
for (const [letter, status, why] of [['a', 400, 'request'], ['b', 404, 'path'], ['c', 413, 'context'], ['d', 422, 'request'],
  ['e', 405, 'path'], ['f', 418, 'request'], ['g', 451, 'request'], ['h', 410, 'path']]) {
  add(`22${letter}`, `${status}`, problem(status, { message: 'no' }), once('permanent', why));
}
add('22i', '404 for the model', problem(404, { message: 'The model `x` does not exist', code: 'model_not_found' }), once('permanent', 'model'));
for (const [letter, status] of [['a', 529], ['b', 520], ['c', 522], ['d', 524], ['e', 526], ['f', 499], ['g', 521], ['h', 599]]) {
  add(`24${letter}`, `${status}`, json('error code: 5xx', { status, type: 'text/plain' }), again('transient', 'server'));
}
const page = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><center><h1>502</h1></center></body></html>';
add('25a', '200 with HTML', json(page, { type: 'text/html' }), once('permanent', 'html'));
add('25b', '502 with HTML', json(page, { status: 502, type: 'text/html' }), again('transient', 'server'));
add('25c', '200 with HTML that says it is JSON', json(page), once('permanent', 'html'));
add('25d', '200 with HTML in a stream\'s clothes', json(page, { type: 'text/event-stream' }), once('permanent', 'html'));
add('26a', '200 with plain text', json('OK', { type: 'text/plain' }), once('permanent', 'not-json'));
add('26b', 'JSON that says it is text', json(JSON.stringify(said('Hello.')), { type: 'text/plain' }), ok('Hello.', { flags: ['other_model'] }));
add('26c', 'JSON without a content type', json(said('Hello.'), { type: '' }), ok());
add('26d', 'XML', json('<?xml version="1.0"?><error/>', { type: 'application/xml' }), once('permanent', 'html'));
const emptied = { class: 'permanent', why: 'empty-body', n: 2 };
add('27a', '204', json('', { status: 204, framing: 'none' }), emptied);
add('27b', '200 without a body', json(''), emptied);
add('27c', '200 with blanks alone', json(' \n\n \n'), emptied);
add('27d', 'empty, then well', thenHello(json('')), ok('Hello.', { n: 2 }));
add('28a', '50 at once against a 429', slow429('retry-after-ms: 200'),
  { class: ['transient', 'limit'], n: null, n_max: 150, refused_n: null, max_ms: 20000 }, { asks: 50, concurrency: 8, queue: 60, queue_ms: 2000 });
add('28b', 'a rate of requests', hello, ok('Hello.', { n: 8, min_ms: 700 }), { asks: 8, per_minute: 240, concurrency: 8 });

// ---- C. body shapes ----

add('29a', 'choices missing', json({ id: 'x', object: 'chat.completion' }), once('permanent', 'shape'));
add('29b', 'choices null', json({ choices: null }), once('permanent', 'shape'));
add('29c', 'choices []', json({ choices: [] }), once('permanent', 'shape'));
add('29d', 'choices [null]', json({ choices: [null] }), once('permanent', 'shape'));
add('29e', 'choices an object', json({ choices: { 0: {} } }), once('permanent', 'shape'));
const wordless = { class: 'empty', why: 'no-text', n: 2 };
add('29f', 'choices [{}]', json({ choices: [{}] }), wordless);
add('29g', 'an empty object', json({}), once('permanent', 'shape'));
add('29h', 'an empty array', json('[]'), once('permanent', 'shape'));
add('29i', 'the completion inside an array', (rq) => http(`[${named(said('Hello.'), rq)}]`), ok());
add('30a', 'message null', json({ choices: [{ index: 0, message: null, finish_reason: 'stop' }] }), wordless);
for (const [letter, content] of [['b', null], ['c', ''], ['d', '  \n\t '], ['e', 42], ['f', { text: 'no' }], ['g', true], ['h', []]]) {
  add(`30${letter}`, `content ${JSON.stringify(content)}`, json(completion({ role: 'assistant', content })), wordless);
}
add('30i', 'content absent', json(completion({ role: 'assistant' })), wordless);
add('30j', 'invisible characters alone', json(said('\u200b\u2060\ufeff')), wordless);
add('31a', 'content in parts', json(completion({ content: [{ type: 'text', text: 'Hel' }, { type: 'image_url', image_url: {} }, null, 7, { type: 'text', text: 'lo.' }, { type: 'text' }] })), ok());
add('31b', 'parts in a stream', stream([chunk({ content: [{ type: 'text', text: 'Hel' }] }), chunk({ content: [{ type: 'text', text: 'lo.' }] }), chunk({}, 'stop')]), ok());
add('31c', 'thinking among the parts', json(completion({ content: [{ type: 'thinking', thinking: 'hm' }, { type: 'text', text: 'Hello.' }] })), ok('Hello.', { thought: 'hm' }));
add('31d', 'one part that refuses', json(completion({ content: [{ type: 'refusal', refusal: 'I will not.' }] })), once('refused', 'answer-refused', { refusal: 'I will not.' }));
add('31e', 'parts without a text among them', json(completion({ content: [{ type: 'image_url', image_url: {} }, { type: 'text', text: null }] })), wordless);
add('31f', 'plain strings as parts', json(completion({ content: ['Hel', 'lo.'] })), ok());
add('32a', 'old completions with text', json({ choices: [{ index: 0, text: 'Hello.', finish_reason: 'stop' }] }), ok());
add('32b', 'a whole message in a stream', stream([{ choices: [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }] }]), ok());
add('32c', 'delta in a whole reply', json({ choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }] }), ok());
for (const [letter, extra] of [['a', { reasoning_content: 'I think so.' }], ['b', { reasoning: 'I think so.' }],
  ['c', { reasoning_details: [{ type: 'reasoning.text', text: 'I think so.' }] }],
  ['d', { reasoning_content: 'I think so.', reasoning: 'I think so.' }], ['e', { thinking: 'I think so.' }]]) {
  add(`33${letter}`, `reasoning in ${Object.keys(extra).join(', ')}`, json(completion({ content: 'Hello.', ...extra })), ok('Hello.', { thought: 'I think so.', thought_n: 11 }));
  add(`33${letter}s`, 'the same in a stream', stream([chunk(extra), ...spoken('Hello.')]), ok('Hello.', { thought: 'I think so.', thought_n: 11 }));
}
for (const [letter, open, close] of [['a', '<think>', '</think>'], ['b', '<thinking>', '</thinking>'], ['c', '<reasoning>', '</reasoning>'],
  ['d', '<mm:think>', '</mm:think>'], ['e', '[THINK]', '[/THINK]'], ['f', '<Think>', '</think>'],
  ['g', '<|channel|>analysis<|message|>', '<|end|><|start|>assistant<|channel|>final<|message|>'], ['h', '\u25c1think\u25b7', '\u25c1/think\u25b7']]) {
  both(`34${letter}`, `leading ${open}`, `\n${open}\nThe user wants a greeting.\n${close}\n\nHello.`, ok('Hello.', { thought: 'wants a greeting', flags: ['thought'] }));
}
both('34i', 'two blocks', '<think>a</think><think>b</think>Hello.', ok('Hello.', { flags: ['thought'] }));
both('34j', 'thoughts without their beginning', 'So the user greets.\n</think>\n\nHello.', ok('Hello.', { thought: 'So the user greets.' }));
both('34k', 'an answer about the tag', 'Write `</think>` to end it.\n', ok('Write `</think>` to end it.', { not_flags: ['thought'] }));
both('34l', 'a block that is not leading', 'Use <think>this</think> tag.', ok('Use <think>this</think> tag.'));
both('34m', 'kept when the endpoint says so', '<think>a</think>Hello.', ok('<think>a</think>Hello.'), 'stop', { think: false });
both('34n', 'marks of the template at the end', 'Hello.<|im_end|>\n</s>', ok());
both('34o', 'an empty block', '<think>\n\n</think>\n\nHello.', ok());
both('34p', 'a block within a block', '<think>a <think>b</think> c</think>Hello.', ok('Hello.', { flags: ['thought'] }));
both('34q', 'with an attribute', '<think type="x">a</think>Hello.', ok('Hello.', { flags: ['thought'] }));
both('34r', 'the end twice', '<think>a</think>\n</think>\nHello.', ok('Hello.', { flags: ['thought'] }));
both('34s', 'a block that speaks of its tag', '<think>they ask about <think>, hm</think>Hello.', ok('Hello.', { flags: ['thought'] }));
both('36a', 'thinking cut by the limit', '<think>I was going to', { class: 'empty', why: 'reasoning', n: 2, thought: 'I was going' }, 'length');
both('36b', 'thinking that never ends', '<think>I was going to', { class: 'empty', n: 2, text: null }, 'stop');
both('37a', 'harmony without a final', '<|channel|>analysis<|message|>hm', { class: 'empty', n: 2 }, 'length');
const cutShort = (more = {}) => ok('Hello.', { class: 'ok_trunc', ...more });
for (const [letter, finish, want] of [['a', 'stop', ok()], ['b', 'length', cutShort()], ['c', 'content_filter', once('refused', 'answer-refused')],
  ['d', 'tool_calls', once('permanent', 'tools')], ['e', 'function_call', once('permanent', 'tools')], ['f', null, ok('Hello.', { flags: ['no_finish'] })],
  ['g', undefined, ok('Hello.', { flags: ['no_finish'] })], ['h', '', ok('Hello.')], ['i', 'eos', ok('Hello.', { finish: 'eos' })],
  ['j', 'end_turn', ok('Hello.', { finish: 'end_turn' })], ['k', 'error', again('transient', 'server')], ['l', 'sensitive', once('refused', 'answer-refused')],
  ['m', 'insufficient_system_resource', again('transient', 'server')], ['n', 'model_context_window_exceeded', cutShort({ finish: 'model_context_window_exceeded' })],
  ['o', 17, ok('Hello.', { finish: '17', flags: ['finish_unknown'] })], ['p', 'STOP', ok('Hello.', { finish: 'STOP', not_flags: ['finish_unknown'] })],
  ['q', 'because', ok('Hello.', { finish: 'because', flags: ['finish_unknown'] })], ['r', 'refusal', once('refused', 'answer-refused')],
  ['s', { a: 1 }, ok('Hello.', { flags: ['finish_unknown'] })], ['t', 'MAX_TOKENS', cutShort()], ['u', 'SAFETY', once('refused', 'answer-refused')]]) {
  const absent = finish === undefined || finish === null || finish === '';
  const c = said('Hello.');
  c.choices[0].finish_reason = finish; // said() has a default
  add(`38${letter}`, `finish ${JSON.stringify(finish)}`, json(c), want);
  if (!absent) add(`38${letter}s`, `finish ${JSON.stringify(finish)} (stream)`, stream(spoken('Hello.', finish)), want);
}
both('39a', 'filter with partial text', 'Half of an ans', once('refused', 'answer-refused', { text: null }), 'content_filter');
add('40a', 'Azure declines the prompt', problem(400, { message: 'The response was filtered due to the prompt triggering Azure OpenAI\'s content management policy.',
  type: null, param: 'prompt', code: 'content_filter', status: 400, innererror: { code: 'ResponsibleAIPolicyViolation' } }), once('refused', 'prompt-refused'));
add('40b', 'by the inner code alone', problem(400, { message: 'no', innererror: { code: 'ResponsibleAIPolicyViolation' } }), once('refused', 'prompt-refused'));
add('40c', 'moderation with a 403', problem(403, { message: 'Your input was flagged', code: 403 }), once('refused', 'prompt-refused'));
add('41a', 'refusal', json(completion({ content: null, refusal: 'I can\'t help with that.' })), once('refused', 'answer-refused', { refusal: 'I can\'t help' }));
add('41b', 'refusal in a stream', stream([chunk({ refusal: 'I can\'t ' }), chunk({ refusal: 'help.' }), chunk({}, 'stop')]), once('refused', 'answer-refused', { refusal: 'I can\'t help.' }));
add('41c', 'refusal null', json(completion({ content: 'Hello.', refusal: null })), ok());
add('42a', 'all tokens thought away', json({ choices: [{ index: 0, message: { content: '', reasoning_content: 'long' }, finish_reason: 'length' }],
  usage: { prompt_tokens: 5, completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 50 } } }),
{ class: 'empty', why: 'reasoning', n: 2 }, { tokens: 50, tokens_max: 1000 });
const budget = (wanted) => (rq) => (rq.count === 1 ? json({ choices: [{ index: 0, message: { content: '', reasoning_content: 'long' }, finish_reason: 'length' }] })(rq) :
  rq.sent.max_tokens === wanted ? hello(rq) : rq.wrong(`asked for ${rq.sent.max_tokens}`));
add('42b', 'four times the budget helps', budget(200), ok('Hello.', { n: 2 }), { tokens: 50, tokens_max: 1000 });
add('42c', 'the budget ends at its cap', budget(60), ok('Hello.', { n: 2 }), { tokens: 50, tokens_max: 60 });
add('42d', 'reasoning alone, streamed, cut by the limit', stream([chunk({ reasoning_content: 'hm ' }), chunk({ reasoning_content: 'so' }), chunk({}, 'length')]), { class: 'empty', why: 'reasoning', n: 2, thought: 'hm so' });
add('42e', 'reasoning alone, streamed to its end', stream([chunk({ reasoning: 'hm' }), chunk({}, 'stop')]), { class: 'empty', n: 2 });
add('42f', 'reasoning null beside every piece', stream([chunk({ reasoning_content: null, content: 'Hel' }), chunk({ reasoning_content: null, content: 'lo.' }), chunk({}, 'stop')]), ok());
for (const [letter, usage, estimated] of [['a', undefined, true], ['b', null, true], ['c', { prompt_tokens: 3 }, true], ['d', { prompt_tokens: -4, completion_tokens: -1 }, true],
  ['e', { prompt_tokens: 'HUGE', completion_tokens: 'HUGE' }, true], ['f', { prompt_tokens: '3', completion_tokens: '4' }, true], ['g', 'none', true], ['h', [], true],
  ['i', { prompt_tokens: 3.0, completion_tokens: 4.5 }, false], ['j', { prompt_tokens: null, completion_tokens: {} }, true]]) {
  add(`43${letter}`, `usage ${JSON.stringify(usage)}`, json(completion({ content: 'Hello.' }, 'stop', { usage })),
    ok('Hello.', estimated ? { flags: ['estimated'], tokens_below: 100 } : { not_flags: ['estimated'] }));
}
add('43k', 'usage in a last chunk without choices', stream([...spoken('Hello.'), { choices: [], usage: { prompt_tokens: 7, completion_tokens: 77 } }]), ok('Hello.', { tokens_out: 77, not_flags: ['estimated'] }));
add('43l', 'usage in every piece, the last counts', stream([chunk({ content: 'Hel' }, null, { usage: { prompt_tokens: 7, completion_tokens: 1 } }), chunk({ content: 'lo.' }, 'stop', { usage: { prompt_tokens: 7, completion_tokens: 2 } })]), ok('Hello.', { tokens_out: 2 }));
const deep = (n) => `${'{"a":['.repeat(n / 2)}1${']}'.repeat(n / 2)}`;
add('44a', 'huge logprobs', json({ ...said('Hello.'), logprobs: { content: Array.from({ length: 2000 }, () => ({ token: 'x', logprob: -0.1 })) } }), ok());
add('44b', 'more choices', json({ choices: [{ index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }, { index: 1, message: { content: 'No.' }, finish_reason: 'stop' }] }), ok());
add('44c', 'choices out of order', json({ choices: [{ index: 1, message: { content: 'No.' }, finish_reason: 'stop' }, { index: 0, message: { content: 'Hello.' }, finish_reason: 'stop' }] }), ok());
add('44d', 'choices without index 0', json({ choices: [{ index: 3, message: { content: 'Hello.' }, finish_reason: 'stop' }] }), ok());
add('44j', 'an index in quotes', json({ choices: [{ index: '0', message: { content: 'Hello.' }, finish_reason: 'stop' }] }), ok());
add('44k', 'three choices, interleaved, each with its finish', stream([0, 1, 2].map((i) => ({ choices: [{ index: i, delta: { content: i ? 'No.' : 'Hel' } }] }))
  .concat([2, 0, 1].map((i) => ({ choices: [{ index: i, delta: i ? {} : { content: 'lo.' }, finish_reason: i ? 'length' : 'stop' }] })))), ok('Hello.', { finish: 'stop' }));
add('44l', 'several choices in one piece', stream([{ choices: [{ index: 1, delta: { content: 'No.' } }, { index: 0, delta: { content: 'Hello.' } }] }, chunk({}, 'stop')]), ok());
add('44e', 'two choices streamed, ours second', stream([{ choices: [{ index: 1, delta: { content: 'No.' } }] }, chunk({ content: 'Hel' }),
  { choices: [{ index: 1, delta: { content: 'No.' }, finish_reason: 'stop' }] }, chunk({ content: 'lo.' }), chunk({}, 'stop')]), ok());
add('44f', '40 levels of nesting', json(`{"x":${deep(40)},"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}]}`), ok());
add('44g', '100 levels of nesting', json(`{"x":${deep(100)},"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"}]}`), { class: 'permanent', n: 1 });
add('44h', '100 000 brackets', json('['.repeat(100000)), { class: ['permanent', 'incomplete'], n: null });
add('44i', 'unknown keys everywhere', json({ a: 1, choices: [{ b: [{}], message: { c: { d: 1 }, content: 'Hello.', annotations: [] }, finish_reason: 'stop', native_finish_reason: 'x' }], z: null }), ok());
add('45a', 'another model answers', json({ ...said('Hello.'), model: 'somebody/else-7b' }), ok('Hello.', { flags: ['other_model'], model: 'somebody/else-7b' }));
add('45b', 'model is no string', json({ ...said('Hello.'), model: { name: 'x' } }), ok('Hello.', { not_flags: ['other_model'] }));
add('46a', 'created missing, id empty', json({ ...said('Hello.'), created: undefined, id: '' }), ok());
add('46b', 'id of 10 KB', json({ ...said('Hello.'), id: 'x'.repeat(10240) }), ok());
add('46c', 'model name of 10 KB', json({ ...said('Hello.'), model: 'm'.repeat(10240) }), ok());
const plainHello = JSON.stringify(said('Hello.'));
const unreadable = once('permanent', 'not-json');
add('48a', 'garbage after the JSON', json(`${plainHello} trailing`), unreadable);
add('48b', 'two objects', json(`${plainHello}\n${plainHello}`), unreadable);
add('48c', 'byte order mark', json(`\ufeff${plainHello}`), ok());
for (const [letter, number] of [['d', 'NaN'], ['e', 'Infinity'], ['f', '1e999'], ['g', '9'.repeat(30)]]) {
  add(`48${letter}`, number, json(plainHello.replace('"created":1', `"created":${number}`)), unreadable);
}
add('48h', 'signs of life before the JSON', json(`\n \n\n\n   ${plainHello}`), ok());
add('48i', 'the same key twice: the last counts', json('{"choices":[{"message":{"content":"No.","content":"Hello."},"finish_reason":"stop"}],"id":1,"id":2}'), ok());
add('48j', 'UTF-16', json(Buffer.from(`\ufeff${plainHello}`, 'utf16le')), unreadable);
add('48k', 'UTF-16 without a mark', json(Buffer.from(plainHello, 'utf16le')), { class: 'permanent', n: 1 });
add('48l', 'gzip that nobody asked for', json(zlib.gzipSync(plainHello), { headers: ['Content-Encoding: gzip'] }), once('permanent', 'not-json', { detail: 'compressed' }));
add('48m', 'a gzip bomb', json(zlib.gzipSync(Buffer.alloc(50e6)), { headers: ['Content-Encoding: gzip'] }), unreadable);
add('48n', 'single quotes', json('{\'choices\':[]}'), unreadable);
add('48o', 'a comma too many', json('{"choices":[{"message":{"content":"Hello."},"finish_reason":"stop"},]}'), unreadable);
add('48p', 'a bare string', json('"Hello."'), unreadable);
add('48q', 'null', json('null'), unreadable);
add('48r', 'a coding that is none', json(said('Hello.'), { headers: ['Content-Encoding: identity'] }), ok());
add('48s', 'deflate that nobody asked for', json(zlib.deflateSync(plainHello), { headers: ['Content-Encoding: deflate'] }), unreadable);
add('48t', 'br that nobody asked for', json(zlib.brotliCompressSync(plainHello), { headers: ['Content-Encoding: br'] }), unreadable);
add('48u', 'compressed without saying so', json(zlib.gzipSync(plainHello)), { class: 'permanent', n: 1 });
add('48v', 'lines of JSON instead of events', json(`${JSON.stringify(chunk({ content: 'Hel' }))}\n${JSON.stringify(chunk({ content: 'lo.' }, 'stop'))}\n`, { type: 'application/x-ndjson' }), unreadable);
add('48w', 'comments in the JSON', json(`/* hi */ ${plainHello}`), unreadable);
add('48x', 'Latin-1', json(Buffer.from('{"choices":[{"message":{"content":"caf\u00e9"},"finish_reason":"stop"}]}', 'latin1'), { type: 'application/json; charset=iso-8859-1' }), ok('caf\ufffd'));
add('48y', 'a NUL before the JSON', json(`\0${plainHello}`), { class: 'permanent', n: 1 });

// ---- D. text hygiene ----

const bytes = (name, row, middle, want) => {
  add(name, row, json(cat('{"choices":[{"message":{"content":"', middle, '"},"finish_reason":"stop"}]}')), want);
  add(`${name}s`, `${row} (stream)`, S(cat('data: {"choices":[{"delta":{"content":"', middle, '"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')), want);
};
const U = '\ufffd';
const mended = (text) => ok(text, { flags: ['repaired'] });
const intact = (text) => ok(text, { not_flags: ['repaired'] });
bytes('49a', 'lone high surrogate', 'a\\ud83d b', mended(`a${U} b`));
bytes('49b', 'lone low surrogate', 'a\\ude00b', mended(`a${U}b`));
bytes('49c', 'reversed pair', 'a\\ude00\\ud83db', mended(`a${U}${U}b`));
bytes('49d', 'a good pair', 'a\\ud83d\\ude00b', intact('a\u{1f600}b'));
bytes('49e', 'two highs and a low', '\\ud83d\\ud83d\\ude00', mended(`${U}\u{1f600}`));
bytes('49f', 'high before another escape', '\\ud83d\\n\\\\ud83d', mended(`${U}\n\\ud83d`));
bytes('50a', 'escaped NUL', 'a\\u0000b', mended(`a${U}b`));
bytes('50b', 'raw NUL', 'a\0b', mended(`a${U}b`));
bytes('51a', 'a byte that is no UTF-8', cat('a', Buffer.from([0xff]), 'b'), mended(`a${U}b`));
bytes('51b', 'overlong slash', cat('a', Buffer.from([0xc0, 0xaf]), 'b'), mended(`a${U}${U}b`));
bytes('51c', 'CESU surrogate', cat('a', Buffer.from([0xed, 0xa0, 0x80]), 'b'), mended(`a${U}${U}${U}b`));
bytes('51d', 'beyond Unicode', cat('a', Buffer.from([0xf5, 0x80, 0x80, 0x80]), 'b'), mended(`a${U}${U}${U}${U}b`));
bytes('51e', 'a character cut short', cat('a', Buffer.from([0xe2, 0x82]), 'b'), mended(`a${U}b`));
bytes('51f', 'a true U+FFFD', `a${U}b`, intact(`a${U}b`));
bytes('53a', 'ESC and friends', 'a\\u001b[31mb\\u0007\\u007f\\u0085c', ok(`a${U}[31mb${U}${U}${U}c`));
bytes('53b', 'non-characters', 'a\\ufffe\\uffffb', ok(`a${U}${U}b`));
bytes('53c', 'CR and CRLF', 'a\\r\\nb\\rc', ok('a\nb\nc'));
bytes('54a', 'bidi override', 'a\\u202eb\\u202cc', ok('abc', { flags: ['hidden'] }));
bytes('54b', 'zero width and tags', 'a\\u200bb\\udb40\\udc41c', ok('abc', { flags: ['hidden'] }));
bytes('54c', 'joiners stay', '\u0645\u06cc\\u200c\u062e\u0648\u0627\u0647\u0645', ok('\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645', { not_flags: ['hidden'] }));
bytes('54d', 'marks heaped on one letter', `a${'\u0301'.repeat(300)}b`, ok(`a${'\u0301'.repeat(8)}b`));
add('54e', 'a word of 100 000 letters, right to left', json(said(Array.from({ length: 100000 }, (_, i) => String.fromCodePoint(0x627 + Math.floor(Math.abs(Math.sin(i)) * 1e6) % 19)).join(''))), { class: 'ok', n: 1 });
add('55a', 'raw LF and TAB in a string', json('{"choices":[{"message":{"content":"a\n\tb"},"finish_reason":"stop"}]}'), intact('a\n\tb'));
both('56a', 'fenced as markdown', '\n\n```markdown\n# Title\n\nText.\n```\n\n', ok('# Title\n\nText.', { flags: ['fence'] }));
both('56b', 'fenced, with code inside', '```md\nText.\n```python\nx = 1\n```\nMore.\n```', ok('Text.\n```python\nx = 1\n```\nMore.', { flags: ['fence'] }));
both('56c', 'code alone stays fenced', '```python\nx = 1\n```', ok('```python\nx = 1\n```', { not_flags: ['fence'] }));
both('56d', 'markdown block, then more', '```markdown\nA\n```\nand\n```\nB\n```', ok('```markdown\nA\n```\nand\n```\nB\n```', { not_flags: ['fence'] }));
both('56e', 'blank lines around', '\n \n  indented\ntext  \n\n', ok('  indented\ntext'));

// ---- E. streams ----

const D = (...lines) => lines.map((l) => `data: ${l}\n\n`).join('');
const open200 = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n';
add('57a', 'comments before and between', S(`: OPENROUTER PROCESSING\n\n: ping\n\n${D(piece('Hel'))}: ping\n\n:\n\n${D(piece('lo.', 'stop'), '[DONE]')}`), ok());
add('57b', 'comments do not stretch the whole', () => ({ raw: cat(open200, ': ping\n\n'.repeat(400)), slow: 40, chunk: 9, end: 'fin' }),
  { class: 'limit', why: 'total-time', n: 1, max_ms: 6000 }, { total: 1500, first: 1400, idle: 800, ...local });
add('58a', 'asked for a stream, given JSON', hello, ok('Hello.', { not_flags: ['streamed'] }), { stream: true });
add('58b', 'asked for JSON, given a stream', stream(spoken('Hello.')), ok('Hello.', { flags: ['streamed'] }), { stream: false });
add('58c', 'a stream that says it is JSON', stream(spoken('Hello.'), { type: 'application/json' }), ok());
add('58d', 'a stream that says it is text', stream(spoken('Hello.'), { type: 'text/plain' }), ok());
add('58e', 'a stream of no type', stream(spoken('Hello.'), { type: '' }), ok());
add('59a', 'empty data, no space, ping', S(`data:\n\ndata: \n\nevent: ping\ndata: {"type":"ping"}\n\nevent: ping\n\ndata:${piece('Hel')}\n\nid: 7\nretry: 10\ndata:${piece('lo.', 'stop')}\n\ndata:[DONE]\n\n`), ok());
add('59b', 'fields nobody knows', S(`: \nfoo: bar\nnonsense\n${D(piece('Hello.', 'stop'), '[DONE]')}`), ok('Hello.'));
add('59c', 'events that are JSON and no objects', S(D('null', '5', '[]', '"x"', 'true', piece('Hello.', 'stop'), '[DONE]')), ok());
for (const [letter, eol] of [['a', '\n'], ['b', '\r'], ['c', '\r\n']]) {
  add(`60${letter}`, `lines end with ${JSON.stringify(eol)}`, S(D(piece('Hel'), piece('lo.', 'stop'), '[DONE]').replaceAll('\n', eol)), ok());
}
add('60d', 'data over several lines', S('data: {"choices":\ndata: [{"delta":\ndata:  {"content":"Hello."},\ndata: "finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'), ok());
add('60e', 'U+2028 is no line end', S(D(piece('a\u2028b\u2029c\u0085d', 'stop'), '[DONE]')), ok(`a\u2028b\u2029c${U}d`));
add('60f', 'a mark at the stream\'s beginning', S(`\ufeff${D(piece('Hello.', 'stop'), '[DONE]')}`), ok());
add('60g', 'one line end between events', S(`data: ${piece('Hel')}\ndata: ${piece('lo.', 'stop')}\ndata: [DONE]\n\n`), ok());
add('60h', 'no blank line at the end', S(`${D(piece('Hello.', 'stop'))}data: [DONE]`), ok());
add('60i', 'the last event without its blank line', S(`${D(piece('Hel'))}data: ${piece('lo.', 'stop')}\n`), ok());
const scripts = 'na\u00efve \u65e5\u672c\u8a9e \u0641\u0627\u0631\u0633\u06cc \u{1f9d1}\u200d\u{1f4bb} \u20ac';
add('61a', 'many scripts, every split', stream(spoken(scripts)), ok(scripts));
add('62a', '[DONE] twice, and noise after', S(D(piece('Hello.', 'stop'), '[DONE]', '[DONE]', piece('No.'), '{"error":"late"}')), ok());
add('62b', '[DONE], then silence', () => ({ raw: cat(open200, D(piece('Hello.', 'stop'), '[DONE]')), end: 'hang' }), ok('Hello.', { max_ms: 3000 }), local);
add('62c', '[DONE], then a reset', () => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n',
  chunked(B(D(piece('Hello.', 'stop'), '[DONE]')), 1000, true)), end: 'rst' }), ok(), { ngx: anything });
for (const [letter, done] of [['d', '[DONE] '], ['e', '  [DONE]'], ['f', '[done]'], ['g', '"[DONE]"'], ['h', 'DONE']]) {
  add(`62${letter}`, `the end spelt ${JSON.stringify(done)}`, S(D(piece('Hello.', 'stop'), done)), ok());
}
add('62i', 'an event named done', S(`${D(piece('Hello.', 'stop'))}event: done\ndata: {}\n\n`), ok());
add('62j', 'the end within the text', S(D(piece('data: [DONE]\n\n'), piece('Hello.', 'stop'), '[DONE]')), ok('data: [DONE]\n\nHello.'));
add('63a', 'delta null, content null, role alone', stream([chunk(null), chunk({ content: null }), chunk({ role: 'assistant' }), ...spoken('Hello.')]), ok());
add('63b', 'choices null or [] between', stream([{ choices: null }, { choices: [] }, { choices: [null] }, {}, ...spoken('Hello.')]), ok());
add('63c', 'tool call pieces with text', stream([chunk({ content: 'Hello.' }), chunk({ tool_calls: [{ index: 0, function: { name: 'x', arguments: '{' } }] }), chunk({}, 'tool_calls')]), once('permanent', 'tools'));
add('63d', 'text after the finish', stream([chunk({ content: 'Hel' }, 'stop'), chunk({ content: 'lo.' })]), ok());
add('63e', 'finish "" in every piece', stream([chunk({ content: 'Hel' }, ''), chunk({ content: 'lo.' }, ''), chunk({}, 'stop')]), ok('Hello.', { finish: 'stop' }));
add('63g', 'tool calls alone, with a stop', json(completion({ content: null, tool_calls: [{ id: 'x', type: 'function', function: { name: 'x', arguments: '{}' } }] })), once('permanent', 'tools'));
add('63h', 'an empty list of tool calls', json(completion({ content: 'Hello.', tool_calls: [], function_call: null })), ok());
add('63i', 'the finish twice', stream([chunk({ content: 'Hello.' }), chunk({}, 'stop'), chunk({}, 'stop')]), ok());
add('63j', 'two finishes that differ', stream([chunk({ content: 'Hello.' }), chunk({}, 'stop'), chunk({}, 'length')]), { class: ['ok', 'ok_trunc'], n: 1, text: 'Hello.' });
add('63f', 'a function call of old', json(completion({ content: null, function_call: { name: 'x', arguments: '{}' } }, 'function_call')), once('permanent', 'tools'));
const unended = { done: false };
add('64a', 'ends before the end', stream([chunk({ content: 'Hel' }), chunk({ content: 'lo' })], unended), again('incomplete', 'cut'));
add('64b', 'closed in the middle, without a length', stream([chunk({ content: 'Hel' }), chunk({ content: 'lo' })], { done: false, framing: 'close' }), again('incomplete', 'cut'));
add('64c', 'JSON closed in the middle, without a length', (rq) => ({ ...json(said('Hello.'), { framing: 'close' })(rq), cut: 190 }), again('incomplete', 'cut'));
add('64d', 'cut within an event', S(`${D(piece('Hello.'))}data: {"choices":[{"del`), again('incomplete', 'cut'));
add('64e', 'an empty stream', S(': nothing\n\n'), again('incomplete', 'cut'));
add('64f', '[DONE] alone', S('data: [DONE]\n\n'), wordless);
add('64g', 'cut, then well', thenHello(stream([chunk({ content: 'Hel' })], unended)), ok('Hello.', { n: 2 }));
add('65a', '[DONE] without a finish', stream([chunk({ content: 'Hel' }), chunk({ content: 'lo.' })]), ok('Hello.', { flags: ['no_finish'] }));
add('66a', 'finish without [DONE]', stream(spoken('Hello.'), unended), ok());
add('67a', 'an error in the middle', stream([chunk({ content: 'Hel' }), { error: { message: 'upstream overloaded', code: 502 } }], unended), again('transient', 'server', { text: null }));
add('67b', 'an error event', S(`${D(piece('Hel'))}event: error\ndata: {"message":"overloaded"}\n\n`), again('transient', 'server'));
add('67c', 'a bare error event', S(`${D(piece('Hel'))}event: error\ndata: boom\n\n`), again('transient', 'server'));
add('67d', 'an error event without data', S(`${D(piece('Hel'))}event: error\n\n`), again('transient', 'server'));
add('67e', 'the quota ends in the middle', stream([chunk({ content: 'Hel' }), { error: { message: 'x', code: 'insufficient_quota' } }], unended), once('permanent', 'quota'));
add('67f', 'error object with status 200', json({ error: { message: 'bad gateway', code: 502 } }), again('transient', 'server'));
add('67g', 'error object of an old kind', json({ object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', code: 404 }, { status: 404 }), once('permanent', 'model'));
add('67h', 'FastAPI detail', json({ detail: 'Not Found' }, { status: 404 }), once('permanent', 'path'));
add('67i', 'error, then [DONE]', stream([chunk({ content: 'Hel' }), { error: { message: 'server_error' } }]), again('transient', 'server'));
add('67j', 'choice with an error', json({ choices: [{ index: 0, message: { content: 'Hel' }, error: { code: 502, message: 'upstream' }, finish_reason: 'error' }] }), again('transient', 'server'));
add('67k', 'errors in an array', json([{ error: { code: 429, message: 'slow', status: 'RESOURCE_EXHAUSTED' } }], { status: 429 }), again('transient', 'throttled'));
add('67l', 'error null is none', json({ ...said('Hello.'), error: null }), ok());
add('67m', 'broken JSON between good events', S(D(piece('Hel'), '{broken', piece('lo.'))), again('incomplete', 'cut'));
add('67n', 'an error that is a word', json({ error: 'boom' }), { class: ['permanent', 'transient'], n: null, text: null });
add('67o', 'an empty error', json({ error: {} }), { class: ['permanent', 'transient'], n: null, text: null });
add('67p', 'too many requests in the middle', stream([chunk({ content: 'Hel' }), { error: { message: 'slow', code: 'rate_limit_exceeded' } }], unended), again('transient', 'throttled'));
add('67q', 'text and an error in one piece', stream([{ choices: [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }], error: { message: 'oops', code: 500 } }]), again('transient', 'server'));
add('69a', 'chunked without its end', stream([chunk({ content: 'Hel' })], { done: false, unfinished: true, end: 'fin' }), again('incomplete', 'cut'), { ngx: { n: null } });
add('69b', 'shorter than its length', json(said('Hello.'), { framing: 'short' }), again('incomplete', 'cut'), { ngx: { n: null } });
add('69c', 'longer than its length', () => ({ raw: cat(`HTTP/1.1 200 OK\r\nContent-Length: ${B(plainHello).length}\r\nConnection: close\r\n\r\n`, plainHello, 'and more'), end: 'fin' }),
  ok('Hello.', { flags: ['other_model'] }), { ngx: { n: null } });
add('70a', 'one event of 300 KB', stream([chunk({ content: Array.from({ length: 30000 }, (_, i) => `word${i} `).join('') }), chunk({}, 'stop')]), { class: 'ok', n: 1 });
add('70b', 'a line that never ends', S(`data: ${'x'.repeat(1300000)}`), once('limit', 'bytes'));
add('70c', '5000 small events', stream(Array.from({ length: 5000 }, (_, i) => chunk({ content: `w${i} ` })).concat([chunk({}, 'stop')])), { class: 'ok', n: 1 }, { body_max: 4194304 });

// ---- F. limits, time, parameters ----

const flood = cat('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', chunked(Buffer.alloc(26e6, 0x20), 65536));
add('72a', '26 MB without a length', () => ({ raw: flood, end: 'fin' }), once('limit', 'bytes'), { ngx: { n: null } });
add('72b', '2 MB with its length', json(said('word '.repeat(400000))), once('limit', 'bytes'));
add('72c', '2 MB of stream', stream(Array.from({ length: 2000 }, (_, i) => chunk({ content: `${i} `.repeat(200) }))), { class: 'limit', n: 1 });
add('72d', '64 MB in one string', () => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n{"choices":[{"message":{"content":"', Buffer.alloc(8e6, 0x61)), end: 'hang' }), once('limit', 'bytes'), local);
add('74a', 'a byte at a time, too slow for the whole', (rq) => ({ ...hello(rq), slow: 40, chunk: 1, end: 'fin' }),
  { class: ['limit', 'transient'], why: ['total-time', 'timeout'], n: null, max_ms: 8000 }, { total: 1500, idle: 800, first: 1400, attempts: 1, ...local });
add('74b', 'silence in the middle', (rq) => ({ ...stream(spoken('Hello.'))(rq), cut: 300, end: 'hang' }), { class: 'transient', why: 'timeout', n: 2 }, { idle: 400, attempts: 2, ...local });
add('74c', 'body bytes one by one until the end of time', () => ({ raw: cat(open200, ': '.repeat(6000)), slow: 30, chunk: 60, end: 'fin' }),
  { class: 'limit', why: 'total-time', n: 1, max_ms: 6000 }, { total: 3000, idle: 2500, first: 3000, ...local });
add('75a', 'headers too late', (rq) => ({ ...hello(rq), wait: 4500 }), { class: 'transient', why: 'timeout', n: 2, max_ms: 9000 }, { first: 1200, attempts: 2 });
add('75b', 'cold start within its limit', (rq) => ({ ...hello(rq), wait: 700 }), ok('Hello.', { min_ms: 700 }), { first: 4000, idle: 600 });
add('75c', 'headers at once, then silence', () => ({ raw: B(open200), end: 'hang' }), { class: 'transient', why: 'timeout', n: 2 }, { first: 2500, idle: 400, attempts: 2, ...local });
add('75d', 'headers, then thinking longer than idle', (rq) => ({ ...hello(rq), wait: 900 }), ok(), { first: 4000, idle: 300 });
add('76a', 'endless repetition', stream([chunk({ content: 'Well. ' }), ...Array.from({ length: 6000 }, () => chunk({ content: '</invoke>' }))], unended), once('limit', 'repetition'));
add('76b', 'endless lines', stream(Array.from({ length: 4000 }, () => chunk({ content: 'I am sorry for the confusion I may have caused you.\n' })), unended), once('limit', 'repetition'));
add('76c', 'endless repetition, whole', json(said(`Well. ${'and then and then '.repeat(400)}`)), once('limit', 'repetition'));
add('76d', 'repetition with a counter', json(said(Array.from({ length: 400 }, (_, i) => `${1000 + i}. I will not do it, however often you ask me to.\n`).join(''))), once('limit', 'repetition'));
const varied = Array.from({ length: 600 }, (_, i) => `${(i * 7919) % 104729} ${['alpha', 'beta', 'gamma', 'delta', 'epsilon'][(i * i) % 5]}`).join(' ');
add('76e', 'a long text that does not repeat', json(said(varied)), ok(varied));
add('76f', 'a table of forty equal rows is no loop', json(said(`| a | b |\n|---|---|\n${'| 0 | 0 |\n'.repeat(40)}\nDone.`)), { class: 'ok', n: 1 });
add('76g', 'thinking in circles', stream(Array.from({ length: 4000 }, () => chunk({ reasoning_content: 'wait, ' })), unended), once('limit', 'repetition'));
const unsupported = (param, message) => problem(400, { message, type: 'invalid_request_error', param, code: 'unsupported_parameter' });
add('77a', 'refuses max_tokens', (rq) => ('max_tokens' in rq.sent ?
  unsupported('max_tokens', 'Unsupported parameter: \'max_tokens\' is not supported with this model. Use \'max_completion_tokens\' instead.')(rq) :
  rq.sent.max_completion_tokens === 321 ? hello(rq) : rq.wrong('limit lost')), ok('Hello.', { n: 2 }), { params: { max_tokens: '321' } });
add('77b', 'refuses max_completion_tokens, without param', (rq) => ('max_completion_tokens' in rq.sent ?
  problem(400, { message: 'Unrecognized request argument supplied: max_completion_tokens' })(rq) :
  rq.sent.max_tokens > 0 ? hello(rq) : rq.wrong('limit lost')), ok('Hello.', { n: 2 }), { tokens_field: 'max_completion_tokens' });
const wantsOther = (rq) => ('max_tokens' in rq.sent ? unsupported('max_tokens', 'Unsupported parameter: max_tokens. Use max_completion_tokens')(rq) : hello(rq));
add('77c', 'and remembers', wantsOther, ok('Hello.', { n: 5 }), { asks: 4, serial: true });
add('77d', 'eight learn it at once', wantsOther, ok('Hello.', { n: null, n_max: 16 }), { asks: 8, concurrency: 8 });
add('77e', 'refuses both', (rq) => unsupported('max_tokens' in rq.sent ? 'max_tokens' : 'max_completion_tokens', 'Unsupported parameter')(rq), { class: 'permanent', why: 'request', n: 2 });
add('77f', 'too large is no reason to leave it out', problem(400, { message: 'max_tokens is too large: 99999. This model supports at most 4096 completion tokens.', param: 'max_tokens', code: 'invalid_value' }), once('permanent', 'request'));
for (const [letter, name, value, message] of [
  ['a', 'temperature', '0.5', 'Unsupported value: \'temperature\' does not support 0.5 with this model. Only the default (1) value is supported.'],
  ['b', 'top_p', '0.9', 'Unsupported parameter: \'top_p\' is not supported with this model.'], ['c', 'seed', '7', 'Unknown parameter: \'seed\'.'],
  ['d', 'logprobs', 'true', 'logprobs is not supported'], ['e', 'stream_options', '{"include_usage":true}', 'Unrecognized request argument supplied: stream_options']]) {
  add(`78${letter}`, `refuses ${name}`, (rq) => (name in rq.sent ? problem(400, { message, type: 'invalid_request_error' })(rq) : hello(rq)),
    ok('Hello.', { n: 2, flags: ['dropped'] }), { params: { [name]: value } });
}
add('78f', 'pydantic: extra inputs', (rq) => ('seed' in rq.sent ?
  json({ detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted' }] }, { status: 422 })(rq) : hello(rq)), ok('Hello.', { n: 2 }), { params: { seed: '7' } });
add('78g', 'two refused, one after the other', (rq) => ('seed' in rq.sent ? unsupported('seed', 'Unsupported')(rq) :
  'top_p' in rq.sent ? unsupported('top_p', 'Unsupported')(rq) : hello(rq)), ok('Hello.', { n: 3 }), { params: { seed: '7', top_p: '1' } });
add('78h', 'only what is configured is sent', (rq) => {
  const keys = Object.keys(rq.sent).sort().join();
  return keys === 'max_tokens,messages,model,response_format,seed,stream,temperature,user' && rq.sent.temperature === 0.7 && rq.sent.seed === 7 &&
    rq.sent.response_format.type === 'text' && rq.sent.user === '007' ? hello(rq) : rq.wrong(keys);
}, ok(), { params: { response_format: '{"type":"text"}', seed: '7', temperature: '0.7', user: '007' } });
add('78i', 'refuses to stream', (rq) => (rq.sent.stream ? problem(400, { message: 'stream is not supported', param: 'stream' })(rq) : hello(rq)), ok('Hello.', { n: 2 }), { stream: true });
const roles = (rq) => rq.sent.messages.map((m) => `${m.role[0]}:${m.content}`).join('|');
const saw = (wanted) => (rq) => (roles(rq) === wanted ? hello(rq) : rq.wrong(roles(rq)));
const talk = [['system', 'S1'], ['system', 'S2'], ['user', 'U1'], ['user', 'U2'], ['assistant', 'A1'], ['user', 'U3']];
const brief = [['system', 'S1'], ['user', 'U1']];
add('79a', 'system as system', saw('s:S1\n\nS2|u:U1\n\nU2|a:A1|u:U3'), ok(), { messages: talk });
add('79b', 'system as developer', saw('d:S1\n\nS2|u:U1\n\nU2|a:A1|u:U3'), ok(), { messages: talk, system_as: 'developer' });
add('79c', 'system in front of the question', saw('u:S1\n\nS2\n\nU1\n\nU2|a:A1|u:U3'), ok(), { messages: talk, system_as: 'user-prefix' });
add('79d', 'a talk that begins with the assistant', saw('u:U'), ok(), { messages: [['assistant', 'A'], ['user', 'U']] });
const refusesSystem = (message) => (rq) => (rq.sent.messages[0].role === 'system' ? problem(400, { message })(rq) : saw('u:S1\n\nU1')(rq));
add('79e', 'refuses the system role', refusesSystem('System role not supported'), ok('Hello.', { n: 2 }), { messages: brief });
add('79f', 'demands alternation', refusesSystem('Conversation roles must alternate user/assistant/user/assistant/...'), ok('Hello.', { n: 2 }), { messages: brief });
add('79g', 'refuses developer', (rq) => (rq.sent.messages[0].role === 'developer' ? problem(400, { message: 'Unexpected role: developer' })(rq) : saw('s:S1|u:U1')(rq)),
  ok('Hello.', { n: 2 }), { messages: brief, system_as: 'developer' });
add('79h', 'no question', hello, { refused: 'invalid' }, { messages: [['system', 'S']] });
const odd = '"\\\u2028\n\u{1f600}\u0641';
add('80a', 'text of every kind arrives', (rq) => (rq.sent.messages[0].content === odd ? hello(rq) : rq.wrong(JSON.stringify(rq.sent.messages))), ok(), { messages: [['user', odd]] });
add('81a', 'context exceeded', problem(400, { message: 'This model\'s maximum context length is 4096 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in max_tokens, which is not supported).',
  param: 'messages', code: 'context_length_exceeded' }), once('permanent', 'context', { health: 'unknown' }));
add('81b', 'llama.cpp\'s way', problem(400, { code: 400, message: 'the request exceeds the available context size. try increasing it', type: 'exceed_context_size_error' }), once('permanent', 'context'));
add('84a', 'slots and queue', (rq) => ({ ...hello(rq), wait: 300 }), ok('Hello.', { n: 5, refused_n: 7 }), { asks: 12, concurrency: 2, queue: 3 });
add('84b', 'waited too long', (rq) => ({ ...hello(rq), wait: 900 }), { class: ['ok', 'limit'], n: 1, ok_n: 1 }, { asks: 4, concurrency: 1, queue: 9, queue_ms: 300, first: 4000 });
const atOnce = {};
add('84c', 'never more at once than said', (rq) => {
  atOnce[rq.prefix] = (atOnce[rq.prefix] || 0) + 1;
  setTimeout(() => { atOnce[rq.prefix]--; }, 60);
  return atOnce[rq.prefix] > 3 ? rq.wrong(`${atOnce[rq.prefix]} at once`) : { ...hello(rq), wait: 80 };
}, ok('Hello.', { n: 9 }), { asks: 9, concurrency: 3, queue: 20 });
add('86a', 'the list of models is never needed', (rq) => (rq.method === 'POST' ? hello(rq) : rq.wrong('asked for models')), ok());
const LEAK = 'sk-leak-89-topsecret';
for (const [letter, reply] of [
  ['a', (rq) => problem(401, { message: `bad key ${rq.headers.authorization} ${LEAK}` }, [`X-Key: ${LEAK}`])(rq)],
  ['b', () => http(`<h1>${LEAK}</h1>`, { type: 'text/html' })],
  ['c', json(completion({ content: `Your key is ${LEAK}, keep it.`, reasoning: LEAK }, LEAK, { model: LEAK }))],
  ['d', problem(500, `https://host/v1?key=${LEAK} failed`)],
  ['e', () => http('', { status: 302, headers: [`Location: http://${LEAK}.example/`] })],
  ['f', json(completion({ content: null, refusal: `${LEAK} no` }))],
  ['g', () => http(`garbage ${LEAK}`, { type: 'text/plain' })],
  ['h', problem(400, { message: 'x'.repeat(370) + LEAK })],
  ['i', json(`{"error":{"message":"\\u0073k-leak-89-topsecret ${LEAK}"}}`, { status: 400 })],
  ['j', S(`${D(piece('Hel'))}event: error\ndata: {"message":"${LEAK}"}\n\n`)],
  ['k', problem(400, { message: `parameter ${LEAK} unsupported`, param: LEAK, type: LEAK, code: LEAK })],
]) {
  add(`89${letter}`, 'the key echoed', reply, { no_secret: true, n: null }, { key: LEAK, attempts: 1 });
}

// ---- G. what servers of other makes do: more of every kind above ----

const late = (header, more = {}) => thenHello(slow429('Date: Sun, 06 Nov 1994 08:49:36 GMT', header));
add('101a', 'Retry-After with a date of RFC 850', late('Retry-After: Sunday, 06-Nov-94 08:49:37 GMT'), ok('Hello.', { n: 2, min_ms: 1000, max_ms: 4000 }), { ngx: { min_ms: 0 } });
add('101b', 'Retry-After with a date of asctime', late('Retry-After: Sun Nov  6 08:49:37 1994'), ok('Hello.', { n: 2, min_ms: 1000, max_ms: 4000 }), { ngx: { min_ms: 0 } });
add('101c', 'Retry-After: 0', thenHello(slow429('Retry-After: 0')), ok('Hello.', { n: 2, max_ms: 2000 }));
add('101d', 'Retry-After with blanks around', thenHello(slow429('retry-after: \t 0.4 \t')), ok('Hello.', { n: 2, min_ms: 400 }));
add('101e', 'a wait in seconds with its unit', thenHello(slow429('Retry-After: 1s')), ok('Hello.', { n: 2, min_ms: 1000, max_ms: 4000 }));

// Errors, each as its maker writes them.
const refused = (letter, row, status, body, want, opts) => add(`102${letter}`, row, json(body, { status }), want, opts);
refused('a', 'Ollama: the model is not there', 404, { error: { message: 'model \'llama9\' not found', type: 'api_error', param: null, code: null } }, once('permanent', 'model'));
refused('b', 'vLLM: the model is not there', 404, { object: 'error', message: 'The model `x` does not exist.', type: 'NotFoundError', param: null, code: 404 }, once('permanent', 'model'));
refused('c', 'LM Studio: no model loaded', 404, { error: { message: 'No models loaded. Please load a model in the developer page.', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } }, once('permanent', 'model'));
refused('d', 'llama.cpp: still loading', 503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, again('transient', 'server'));
refused('e', 'llama.cpp: still loading, with a 200', 200, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } }, again('transient', 'server'));
refused('f', 'TGI: overloaded', 429, { error: 'Model is overloaded', error_type: 'overloaded' }, again('transient', 'throttled'));
refused('g', 'TGI: prompt too long', 422, { error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000 `inputs` tokens and 300 `max_new_tokens`', error_type: 'validation' }, once('permanent', 'context'));
refused('h', 'TGI: prompt too long, the other way', 422, { error: 'Input validation error: `inputs` must have less than 1024 tokens. Given: 1100', error_type: 'validation' }, once('permanent', 'context'));
refused('i', 'LiteLLM: the budget is spent', 400, { error: { message: 'Budget has been exceeded! Current cost: 1.2, Max budget: 1.0', type: 'budget_exceeded', param: null, code: '400' } }, once('permanent', 'quota'));
refused('j', 'LiteLLM: no such model', 400, { error: { message: '{\'error\': "/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models for your key."}', type: 'None', param: 'None', code: '400' } }, once('permanent', 'model'));
refused('k', 'LiteLLM: a code in quotes within a 200', 200, { error: { message: 'litellm.RateLimitError: slow', type: 'None', param: 'None', code: '429' } }, again('transient', 'throttled'));
refused('l', 'OpenRouter: the provider failed, with a 200', 200, { error: { message: 'Provider returned error', code: 502, metadata: { raw: 'x', provider_name: 'Y' } }, user_id: 'u' }, again('transient', 'server'));
refused('m', 'OpenRouter: no credits', 402, { error: { message: 'This request requires more credits, or fewer max_tokens.', code: 402 } }, once('permanent', 'quota'));
refused('n', 'xAI: credits used up', 429, { code: 'Some resource has been exhausted', error: 'Your team x has either used all available credits or reached its monthly spending limit.' }, once('permanent', 'quota'));
refused('o', 'OpenAI: no access to the model', 403, { error: { message: 'Project `p` does not have access to model `x`', type: 'invalid_request_error', param: null, code: 'model_not_found' } }, once('permanent', 'model'));
refused('p', 'Gemini: prompt too long', 400, [{ error: { code: 400, message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048575).', status: 'INVALID_ARGUMENT' } }], once('permanent', 'context'));
refused('q', 'xAI: prompt too long', 400, { code: 'Client specified an invalid argument', error: 'This model\'s maximum prompt length is 131072 but the request contains 537812 tokens.' }, once('permanent', 'context'));
refused('r', 'Cohere: prompt too long', 400, { id: 'i', message: 'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 9000.' }, once('permanent', 'context'));
refused('s', 'MiniMax: a status beside null choices, 200', 200, { choices: null, base_resp: { status_code: 1002, status_msg: 'rate limit' } }, again('transient', 'throttled'));
refused('t', 'MiniMax: money, 200', 200, { id: 'i', choices: null, base_resp: { status_code: 1008, status_msg: 'insufficient balance' } }, once('permanent', 'quota'));
refused('u', 'a message named msg, 200', 200, { code: 500, msg: '404 NOT_FOUND', success: false }, { class: ['permanent', 'transient'], n: null, text: null, detail: 'NOT_FOUND' });
refused('v', 'Baidu: error_code and error_msg, 200', 200, { error_code: 336003, error_msg: 'the max input characters is 1000', id: 'i' }, once('permanent', null, { detail: 'max input characters' }));
refused('w', 'a message beside an empty list of choices, 200', 200, { choices: [], message: 'upstream timeout', code: 504 }, again('transient', 'server'));
refused('x', 'errors told in Chinese keep their class by the status', 429, { error: { message: '请求过于频繁，请稍后再试', type: 'new_api_error', code: '1302' } }, again('transient', 'throttled'));
refused('y', 'the shapes of other interfaces are no answers (Ollama)', 200, { model: 'x', message: { role: 'assistant', content: 'Hello.' }, done: true }, once('permanent', 'shape', { text: null }));
refused('z', 'the shapes of other interfaces are no answers (Anthropic)', 200, { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Hello.' }], stop_reason: 'end_turn' }, once('permanent', 'shape', { text: null }));
// Gateways that copy one struct send an error with nothing in it.
for (const [letter, error] of [['a', { message: '', type: '', param: '', code: null }], ['b', {}], ['c', ''], ['d', false], ['e', { message: null, code: 0 }], ['f', []], ['g', 0]]) {
  add(`103${letter}`, `an error that holds nothing, ${JSON.stringify(error)}, beside an answer`, json({ ...said('Hello.'), error }), ok());
  add(`103${letter}s`, 'the same in a stream', stream(spoken('Hello.').map((e) => ({ ...e, error }))), ok());
}
add('103h', 'base_resp that says success', json({ ...said('Hello.'), base_resp: { status_code: 0, status_msg: 'success' } }), ok());
add('103i', 'a message beside good choices', json({ ...said('Hello.'), message: 'success', code: 200, msg: 'ok' }), ok());

// Finish reasons of other makes.
for (const [letter, finish, want] of [['a', 'content-filter', once('refused', 'answer-refused')], ['b', 'model_length', cutShort()],
  ['c', 'max-tokens', cutShort()], ['d', 'tool-calls', once('permanent', 'tools')], ['e', 'ERROR_TOXIC', once('refused', 'answer-refused')],
  ['f', 'internal_error', again('transient', 'server')], ['g', 'failed', again('transient', 'server')], ['h', 'max_length', cutShort()],
  ['i', 'IMAGE_SAFETY', once('refused', 'answer-refused')], ['j', 'ERROR', again('transient', 'server')], ['k', 'Content Filter', once('refused', 'answer-refused')],
  ['l', 'context_length_exceeded', cutShort()], ['m', 'FINISH_REASON_UNSPECIFIED', ok('Hello.', { flags: ['finish_unknown'] })], ['n', 'error_finish', again('transient', 'server')]]) {
  add(`104${letter}`, `finish ${finish}`, json(said('Hello.', finish)), want);
  add(`104${letter}s`, `finish ${finish} (stream)`, stream(spoken('Hello.', finish)), want);
}
add('104o', 'Azure: the filter, and no message at all', json({ choices: [{ index: 0, finish_reason: 'content_filter', content_filter_results: { hate: { filtered: true, severity: 'high' } } }] }), once('refused', 'answer-refused'));
add('104p', 'Azure: filter results before, between and behind', stream([{ choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] }, ...spoken('Hello.'),
  { choices: [{ index: 0, finish_reason: null, content_filter_results: { hate: { filtered: false } }, content_filter_offsets: { check_offset: 5 } }] }]), ok());

// Thinking of other makes.
add('105a', 'Mistral: thinking as parts of a part', json(completion({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }, { type: 'text', text: 'Hello.' }] })), ok('Hello.', { thought: 'hm' }));
add('105as', 'the same in a stream', stream([chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] }), chunk({ content: [{ type: 'text', text: 'Hello.' }] }), chunk({}, 'stop')]), ok('Hello.', { thought: 'hm' }));
add('105b', 'reasoning_content as parts', json(completion({ content: 'Hello.', reasoning_content: [{ type: 'text', text: 'hm' }] })), ok('Hello.', { thought: 'hm' }));
add('105c', 'encrypted reasoning and a summary', json(completion({ content: 'Hello.', reasoning_details: [{ type: 'reasoning.encrypted', data: 'AAAA' }, { type: 'reasoning.summary', summary: 'hm' }] })), ok('Hello.', { thought: 'hm' }));
both('105d', 'Hunyuan: an answer in tags behind the thinking', '<think>\nhm\n</think>\n<answer>\nHello.\n</answer>', ok('Hello.', { thought: 'hm' }));
both('105e', 'ERNIE: a response in tags behind the thinking', 'hm\n</think>\n\n<response>\nHello.\n</response>', ok('Hello.', { thought: 'hm' }));
both('105f', 'harmony whose marks were taken off', 'analysisThe user greets.assistantfinalHello.', ok('Hello.', { thought: 'The user greets.' }));
both('105g', 'harmony with its final alone', '<|channel|>final<|message|>Hello.<|return|>', ok());
both('105h', 'harmony with a commentary between', '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>Hello.', ok('Hello.', { thought: 'hm' }));
both('105i', 'Apertus: an inner voice', '<|inner_prefix|>hm<|inner_suffix|>Hello.', ok('Hello.', { thought: 'hm' }));
both('105j', 'a scratchpad', '<scratchpad>hm</scratchpad>\nHello.', ok('Hello.', { thought: 'hm' }));
both('105k', 'thinking behind a mark of the template', '<|im_start|>assistant\n<think>hm</think>\nHello.<|im_end|>', ok('Hello.', { thought: 'hm' }));
both('105l', 'an answer that was asked to be in tags keeps them', '<answer>42</answer>', ok('<answer>42</answer>'));
both('105m', 'an analysis that is the answer', 'analysis of variance: compare the means.', ok('analysis of variance: compare the means.'));
both('105n', 'thinking that ends with a rule in its own line', '<THINK>\nhm\n</THINK>\n\n---\n\nHello.', ok('---\n\nHello.', { thought: 'hm' }));

// Marks of templates that came through.
for (const [letter, mark] of [['a', '<|im_start|>assistant\n'], ['b', '<|start_header_id|>assistant<|end_header_id|>\n\n'], ['c', '<start_of_turn>model\n'], ['d', '<s> '], ['e', '[/INST] '], ['f', '<|assistant|>\n'], ['g', '<bos>']]) {
  both(`106${letter}`, `a template's mark in front: ${mark.trim()}`, `${mark}Hello.`, ok());
}
for (const [letter, mark] of [['h', '<|eom_id|>'], ['i', '<|eot|>'], ['j', '<eos>'], ['k', '<|END_OF_TURN_TOKEN|>'], ['l', '</answer>\n<|im_end|>'], ['m', '[EOS]'], ['n', '<|endofassistant|>']]) {
  if (letter !== 'l' && letter !== 'm') both(`106${letter}`, `a template's mark behind: ${mark}`, `Hello.${mark}`, ok());
}
both('106o', 'a talk that the template lets run on', 'Hello.<|im_end|>\n<|im_start|>user\nAnd now?<|im_end|>\n<|im_start|>assistant\nNo.', ok());
both('106p', 'and another kind of it', 'Hello.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nAnd now?', ok());
both('106q', 'an answer about such marks keeps them', 'A turn ends with `<|im_end|>`, then `<|im_start|>user` begins the next.', ok('A turn ends with `<|im_end|>`, then `<|im_start|>user` begins the next.'));

// Streams of other makes.
add('107a', 'everything, its finish, then a line that stays open', () => ({ raw: cat(open200, D(piece('Hello.', 'stop'))), end: 'hang' }), ok('Hello.', { max_ms: 4000 }), { idle: 500, ...local });
add('107b', 'an event in Anthropic\'s manner in a 200', S('event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'), again('transient', 'server'));
add('107c', 'llama.cpp: an error as a field of its own', S(`${D(piece('Hel'))}error: {"code":500,"message":"the model crashed","type":"server_error"}\n\n`), again('transient', 'server', { detail: 'crashed' }));
add('107d', 'vLLM of old: an error of one level, then the end', S(D(piece('Hel'), JSON.stringify({ object: 'error', message: 'out of memory', type: 'InternalServerError', param: null, code: 500 }), '[DONE]')), again('transient', 'server'));
add('107e', 'OpenRouter: an error beside a choice', stream([chunk({ content: 'Hel' }), { provider: 'x', error: { code: 'server_error', message: 'Provider disconnected' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] }]), again('transient', 'server'));
add('107f', 'TGI: an error in the middle', S(`${D(piece('Hel'))}data: {"error":"Request failed during generation: Server error: CUDA out of memory","error_type":"generation"}\n\n`), again('transient', 'server'));
add('107g', 'usage alone, without choices', stream([...spoken('Hello.'), { usage: { prompt_tokens: 7, completion_tokens: 77 } }]), ok('Hello.', { tokens_out: 77, not_flags: ['estimated'] }));
add('107h', 'usage within the choice', stream([chunk({ content: 'Hello.' }), { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { prompt_tokens: 7, completion_tokens: 77 } }] }]), ok('Hello.', { tokens_out: 77, not_flags: ['estimated'] }));
add('107i', 'usage by its newer names', json(completion({ content: 'Hello.' }, 'stop', { usage: { input_tokens: 7, output_tokens: 77 } })), ok('Hello.', { tokens_out: 77, not_flags: ['estimated'] }));
add('107j', 'a comment that looks like an event', S(`: data: ${piece('No.')}\n\n${D(piece('Hello.', 'stop'), '[DONE]')}`), ok());
add('107k', 'data in capitals is another field', S(`${D(piece('Hel'))}Data: ${piece('No.')}\n\n${D(piece('lo.', 'stop'), '[DONE]')}`), ok());
add('107l', 'a tab behind the colon', S(`data:\t${piece('Hello.', 'stop')}\n\ndata:\t[DONE]\n\n`), ok());
add('107m', 'chunked trailers behind a stream', stream(spoken('Hello.'), { trailers: 'X-Checksum: 1\r\nx-should-retry: true\r\n' }), ok());
add('107n', 'an extension of the chunk', () => ({ raw: cat(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n`, ...[D(piece('Hel')), D(piece('lo.', 'stop'), '[DONE]')].map((p) => `${B(p).length.toString(16)};sig="a;b"\r\n${p}\r\n`), '0\r\n\r\n') }), ok());
add('107o', 'blank lines by the hundred before and between', S(`${'\n'.repeat(500)}${D(piece('Hel'))}${'\r\n'.repeat(500)}${D(piece('lo.', 'stop'), '[DONE]')}`), ok());
add('107p', 'a mark before a comment, CRLF', S(`\ufeff: hi\r\n\r\ndata: ${piece('Hello.', 'stop')}\r\n\r\ndata: [DONE]\r\n\r\n`), ok());
add('107q', 'gzip that nobody asked for, streamed', () => http(zlib.gzipSync(D(piece('Hello.', 'stop'), '[DONE]')), { type: 'text/event-stream', framing: 'chunked', headers: ['Content-Encoding: gzip'] }), once('permanent', 'not-json', { detail: 'compressed' }));
add('107r', 'the whole text again at the end', stream([chunk({ content: 'Hel' }), chunk({ content: 'lo.' }), { choices: [{ index: 0, delta: {}, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }] }]), ok());
add('107s', 'a refusal behind some text', stream([chunk({ content: 'Sure' }), chunk({ refusal: 'I cannot.' }), chunk({}, 'stop')]), once('refused', 'answer-refused', { text: null }));
add('107t', 'an audio answer', json(completion({ content: null, audio: { id: 'a', data: 'AAAA', transcript: 'Hello.' } })), wordless);

// Parameters refused in other words.
const refusesParam = (letter, name, value, status, body) => add(`108${letter}`, `refuses ${name}`, (rq) => (name in rq.sent ? json(body, { status })(rq) : hello(rq)),
  ok('Hello.', { n: 2, flags: ['dropped'] }), { params: { [name]: value } });
refusesParam('a', 'seed', '7', 422, { object: 'error', message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'seed'], msg: 'Extra inputs are not permitted', input: 7 }] }, type: 'invalid_request_error', param: null, code: null });
refusesParam('b', 'seed', '7', 400, [{ error: { code: 400, message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.', status: 'INVALID_ARGUMENT' } }]);
refusesParam('c', 'temperature', '0.5', 400, { error: { message: 'litellm.UnsupportedParamsError: gpt-5 models don\'t support temperature=0.5. Only temperature=1 is supported.', type: 'None', param: 'None', code: '400' } });
refusesParam('d', 'presence_penalty', '1', 400, { code: 'Client specified an invalid argument', error: 'Argument not supported on this model: presence_penalty' });
refusesParam('e', 'seed', '7', 400, { error: { message: 'Additional properties are not allowed (\'seed\' was unexpected)', type: 'invalid_request_error' } });
refusesParam('f', 'temperature', '0.5', 400, { error: { message: '`temperature` is deprecated for this model.', type: 'invalid_request_error' } });
refusesParam('g', 'top_p', '0.5', 400, { error: { message: '`top_p` cannot be specified for this model.', type: 'invalid_request_error' } });
refusesParam('h', 'seed', '7', 422, { detail: 'body -> seed: extra fields not permitted' });
refusesParam('i', 'temperature', '0', 400, { error: { message: 'Invalid value: temperature must be 1 for this model', param: 'temperature', code: 'unsupported_value', type: 'invalid_request_error' } });
for (const [letter, message] of [['j', 'Unsupported value: \'messages[0].role\' does not support \'system\' with this model.'], ['k', 'Developer instruction is not enabled for models/gemma-3-27b-it'],
  ['l', 'Only user and assistant roles are supported!'], ['m', 'System messages are not supported by this model.'], ['n', 'invalid role: system']]) {
  add(`108${letter}`, `refuses the system: ${message}`, refusesSystem(message), ok('Hello.', { n: 2 }), { messages: brief });
}
add('108o', 'refuses the system, named by its place', (rq) => (rq.sent.messages[0].role === 'system' ? problem(400, { message: 'Unsupported value: \'messages[0].role\' does not support \'system\' with this model.', type: 'invalid_request_error', param: 'messages[0].role', code: 'unsupported_value' })(rq) : saw('u:S1\n\nU1')(rq)), ok('Hello.', { n: 2 }), { messages: brief });

add('109a', 'a finish, then a cut without the chunked end', stream(spoken('Hello.'), { done: false, unfinished: true, end: 'fin' }), { class: ['incomplete'], n: 3 }, { ngx: anything });
add('109b', 'an answer in capitals of the field', json({ Choices: [{ message: { content: 'Hello.' } }] }), once('permanent', 'shape'));
add('109c', 'a number as content', json(completion({ role: 'assistant', content: 3.14 })), wordless);
add('109d', 'the reply as a string of JSON', json(JSON.stringify(plainHello)), unreadable);
add('109e', 'a body of one brace', json('{'), { class: ['incomplete', 'permanent'], n: null });
add('109f', 'a body of blanks, megabytes of them', () => ({ raw: cat('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n', Buffer.alloc(900000, 0x20)), end: 'fin' }), { class: 'permanent', n: null });
add('109g', 'events with \\r\\n that come byte by byte and a comment at the end', S(`${D(piece('Hello.', 'stop'), '[DONE]').replaceAll('\n', '\r\n')}: bye\r\n\r\n`), ok());
add('109h', 'usage null in all pieces, then whole', stream([...spoken('Hello.').map((e) => ({ ...e, usage: null })), { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8 } }]), ok('Hello.', { tokens_out: 5, not_flags: ['estimated'] }));
add('109i', 'thinking streamed in tags over pieces, then cut by the limit', stream([chunk({ content: '<th' }), chunk({ content: 'ink>hm' }), chunk({}, 'length')]), { class: 'empty', why: 'reasoning', n: 2 });
add('109j', 'thinking in both places', json(completion({ content: '<think>a</think>Hello.', reasoning_content: 'b' })), ok('Hello.', { thought: 'b' }));
both('109k', 'thinking fenced', '```thinking\nhm\n```\nHello.', ok('```thinking\nhm\n```\nHello.'));
both('109l', 'Granite: thoughts announced in words', 'Here is my thought process: hm\n\nHere is my response: Hello.', ok('Hello.', { thought: 'hm' }));
both('109m', 'thinking within the markdown fence', '```markdown\n<think>hm</think>\nHello.\n```', ok('Hello.', { thought: 'hm' }));
both('109n', 'entities of the tag', '&lt;think&gt;hm&lt;/think&gt;Hello.', ok('Hello.', { thought: 'hm' }));
both('109o', 'a thought process that is the answer', 'Here is my thought process: compare, then choose.', ok('Here is my thought process: compare, then choose.'));
both('109p', 'bold thinking', '**<think>**hm**</think>**\nHello.', { class: 'ok', n: 1 });
both('109q', 'zero width within the tag', '<th\u200bink>hm</th\u200bink>Hello.', ok('Hello.', { thought: 'hm' }));
both('109r', 'a mark of the file first', '\ufeff<think>hm</think>Hello.', ok('Hello.', { thought: 'hm' }));
add('109s', 'an error as a list', json({ error: [{ message: 'overloaded' }] }, { status: 200 }), { class: ['transient', 'permanent'], n: null, text: null, detail: 'overloaded' });
add('109t', 'an error within data', json({ data: { error: { message: 'x' } } }), once('permanent', 'shape'));
add('109u', 'success false beside a text', json({ ...said('Hello.'), success: false, error: { message: 'upstream', code: 500 } }), again('transient', 'server'));
add('109v', 'an error named twice, the inner told as JSON', json({ error: { message: '{"error":{"message":"model overloaded","code":503}}', code: 500 } }, { status: 200 }), again('transient', 'server'));
add('109w', 'status 200 whose error says 401', json({ error: { message: 'bad key', code: 401 } }), once('permanent', 'auth'));
add('109x', 'status 200, text of an error in plain', json('upstream connect error or disconnect/reset before headers. reset reason: connection failure', { type: 'text/plain' }), once('permanent', 'not-json'));
add('109y', 'a 503 with a page of the sky', json(page, { status: 503, type: 'text/html', headers: ['Retry-After: 1'] }), { class: 'transient', n: 3 });
add('109z', 'AWS: a code in a field of its own', json({ __type: 'ThrottlingException', message: 'Too many tokens, please wait before trying again.' }, { status: 429 }), again('transient', 'throttled'));

// ---- scenarios that the driver plays by hand (no want: not in the table) ----

add('23', 'a breaker', (rq) => (rq.value === 'up' ? hello(rq) : problem(503, { message: 'down' })(rq)));
add('hello', 'well', hello);
add('slow', 'well, when the test is long over', (rq) => ({ ...hello(rq), wait: 30000 }));

module.exports = { cases };
