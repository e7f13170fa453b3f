// stub.cjs - a model server that misbehaves on purpose, byte by byte.
//
// usage: node stub.cjs [--tls FOLDER]     (prints one JSON line when ready)
//
// POST …/chat/completions   the case is named by "model", or by
//                           /deployments/NAME/ in the path
// /k7/…                     writes the response in pieces of 7 bytes
// GET /table                all cases with what a client must make of them
// GET /count/PREFIX/NAME    what the case has seen: requests, wrongs
// GET /set/PREFIX/NAME/V    the case's switch (rq.value) becomes V
// GET /reset/PREFIX/NAME    the case is as new
//
// No dependency; sockets are written by hand so that a case owns every byte.
'use strict';
const net = require('net');
const tls = require('tls');
const fs = require('fs');
const { cases } = require('./cases.cjs');

const seen = new Map(); // PREFIX/NAME → record
const record = (key) => {
  if (!seen.has(key)) {
    seen.set(key, { requests: 0, connections: new Set(), wrong: [], value: '' });
  }
  return seen.get(key);
};
let connections = 0;
let open = 0;

// ---- reading requests ----

function parse(buffer) { // → {rq, rest} or null
  const end = buffer.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const lines = buffer.slice(0, end).toString('latin1').split('\r\n');
  const [method, target] = lines[0].split(' ');
  const headers = {};
  const raw = [];
  for (const line of lines.slice(1)) {
    const i = line.indexOf(':');
    const name = line.slice(0, i).toLowerCase();
    headers[name] = line.slice(i + 1).trim();
    raw.push(name);
  }
  const length = Number(headers['content-length'] || 0);
  if (buffer.length < end + 4 + length) return null;
  const body = buffer.slice(end + 4, end + 4 + length).toString('utf8');
  return { rq: { method, target, headers, raw, body },
    rest: buffer.slice(end + 4 + length) };
}

// ---- writing responses ----

const later = (ms) => new Promise((done) => setTimeout(done, ms));
const soon = () => new Promise((done) => setImmediate(done));

async function write(socket, answer, split) {
  let bytes = answer.raw;
  if (answer.wait) await later(answer.wait);
  if (answer.cut !== undefined) bytes = bytes.slice(0, answer.cut);
  let k = answer.slow ? (answer.chunk || 1) : split || bytes.length;
  // A megabyte byte by byte would measure Node, not the client.
  if (!answer.slow && bytes.length / k > 1500) k = Math.ceil(bytes.length / 1500);
  for (let i = 0; i < bytes.length; i += k) {
    if (socket.destroyed) return;
    const more = socket.write(bytes.slice(i, i + k));
    if (answer.slow) {
      await later(answer.slow);
    } else if (!more) {
      await new Promise((done) => { socket.once('drain', done); socket.once('close', done); });
    } else if (k < bytes.length) {
      await soon();
    }
  }
  switch (answer.end || 'keep') {
  case 'fin': socket.end(); break;
  case 'rst': await later(15); if (socket.resetAndDestroy) socket.resetAndDestroy(); else socket.destroy(); break;
  default: break; // keep, hang
  }
}

const plain = (status, value) => {
  const body = Buffer.from(JSON.stringify(value));
  return { raw: Buffer.concat([Buffer.from(
    `HTTP/1.1 ${status} X\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n`), body]) };
};

function control(rq) {
  const [, verb, prefix, name, value] = rq.target.split('/');
  if (verb === 'table') {
    return plain(200, cases.filter((c) => c.want).map((c) =>
      ({ name: c.name, row: c.row, want: c.want, opts: c.opts || {} })));
  }
  if (verb === 'open') return plain(200, { open });
  const r = record(`${prefix}/${name}`);
  if (verb === 'set') r.value = decodeURIComponent(value);
  if (verb === 'reset') seen.delete(`${prefix}/${name}`);
  return plain(200, { requests: r.requests, connections: r.connections.size,
    wrong: r.wrong.join('; ') });
}

const byName = new Map(cases.map((c) => [c.name, c]));

function answer(rq, socket) {
  if (rq.method === 'GET' && /^\/(table|count|set|reset|open)/.test(rq.target)) {
    return [control(rq), 0];
  }
  const place = /^\/([kx][0-9]+)\//.exec(rq.target);
  const prefix = place ? place[1] : 'k0';
  const split = Number((/^k([0-9]+)$/.exec(prefix) || [0, 0])[1]);
  let sent = null;
  try { sent = JSON.parse(rq.body); } catch { /* judged below */ }
  const deployment = /\/deployments\/([^/]+)\//.exec(rq.target);
  const name = deployment ? deployment[1] : sent && sent.model;
  const c = byName.get(name);
  const r = record(`${prefix}/${name}`);
  r.requests++;
  r.connections.add(socket.number);
  if (!c || sent === null) {
    r.wrong.push(`no case ${name}`);
    return [plain(404, { error: { message: `no case ${name}` } }), split];
  }
  const out = c.reply({ ...rq, sent, count: r.requests, value: r.value,
    prefix, connection: socket.served, wrong: (w) => {
      r.wrong.push(w);
      return plain(400, { error: { message: `stub: ${w}` } });
    } });
  // What every request must look like.
  const turns = (sent.messages || []).map((m) => m.role);
  if (rq.raw.filter((n) => n === 'authorization').length > 1) r.wrong.push('two Authorization');
  if ('expect' in rq.headers) r.wrong.push('Expect header');
  if ('accept-encoding' in rq.headers) r.wrong.push('asks for compression');
  if (!/^application\/json/.test(rq.headers['content-type'] || '')) r.wrong.push('content type');
  if (!(sent.max_tokens > 0) && !(sent.max_completion_tokens > 0)) r.wrong.push('no token limit');
  if (turns.some((role, i) => i && role === turns[i - 1])) r.wrong.push('two turns in a row');
  return [out, split];
}

function serve(socket) {
  let buffer = Buffer.alloc(0);
  let busy = false;
  let closed = false;
  socket.number = ++connections;
  socket.served = 0;
  open++;
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('close', () => { open--; });
  const pump = async () => {
    if (busy || closed) return;
    busy = true;
    for (let got; (got = parse(buffer)) !== null && !socket.destroyed;) {
      buffer = got.rest;
      socket.served++;
      const [out, split] = answer(got.rq, socket);
      await write(socket, out, split);
      if (out.end && out.end !== 'keep') closed = true;
      if (closed) break;
    }
    busy = false;
  };
  socket.on('data', (d) => {
    if (d[0] === 0x16 && !buffer.length) { // TLS where it is not spoken
      socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
      return;
    }
    buffer = Buffer.concat([buffer, d]);
    pump();
  });
  // A client that closes in the middle is no fault of ours.
  socket.on('end', () => socket.end());
}

// A proxy that refuses (case 12).
const proxy = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', (d) => {
    const deny = /^CONNECT/.test(d.toString('latin1'));
    const body = '<h1>not for you</h1>';
    socket.end(`HTTP/1.1 ${deny ? '403 Forbidden' : '407 Proxy Authentication Required'}\r\n` +
      'Content-Type: text/html\r\nProxy-Authenticate: Basic realm="x"\r\n' +
      `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  });
});

async function listen(server, host = '127.0.0.1') {
  await new Promise((done) => { server.listen(0, host, 511, done); });
  return server.address().port;
}

(async () => {
  const ports = {};
  ports.plain = await listen(net.createServer({ allowHalfOpen: true }, serve));
  try {
    ports.plain6 = await listen(net.createServer({ allowHalfOpen: true }, serve), '::1');
  } catch { /* a machine without IPv6: case 3f says so */ }
  ports.alone = await listen(net.createServer({ allowHalfOpen: true }, serve)); // for one case
  ports.plain4 = await listen(net.createServer({ allowHalfOpen: true }, serve));
  ports.proxy = await listen(proxy);
  const dead = net.createServer(); // a port that nobody listens on
  ports.dead = await listen(dead);
  await new Promise((done) => { dead.close(done); });
  const i = process.argv.indexOf('--tls');
  if (i > 0) {
    const dir = process.argv[i + 1];
    for (const kind of ['good', 'self', 'expired', 'other']) {
      ports[kind] = await listen(tls.createServer({
        key: fs.readFileSync(`${dir}/${kind}.key`),
        cert: fs.readFileSync(`${dir}/${kind}.crt`) }, serve).on('tlsClientError', () => {}));
    }
    ports.mute = await listen(net.createServer((s) => {
      s.on('error', () => {}); s.on('data', () => {}); }));
  }
  process.stdout.write(`${JSON.stringify(ports)}\n`);
})();
process.stdin.on('end', () => process.exit(0)).resume();
