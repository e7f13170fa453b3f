// model.cjs - a model server whose mood a test can change.
//
// usage: node model.cjs PORT        (0: any; prints the port when ready)
//
// POST …/chat/completions   answers as the mood says
// GET /mood/MOOD            ok hold half key429 html503 empty leak leakonce cut
//                           once503 (the second side fails once)
//                           poison (500 for questions with that word)
//                           canary canaryonce (repeats the hidden letters)
// GET /release              what is held is answered
// GET /count                {"requests":…,"peak":…,"open":…,"prompts":[…],
//                           "hidden":[…], (letters found in instructions)
//                           "poison":…} (requests with that word)
// GET /reset
'use strict';
const http = require('http');
let mood = 'ok';
let held = [];
let state;
const reset = () => { state = { requests: 0, peak: 0, open: 0, order: [], per: {}, hidden: new Set(), poison: 0 }; };
reset();

const words = (system, question) => {
  // Deterministic, different for each prompt, about as long for all of them.
  let h = 7;
  for (const c of system + question) h = (h * 31 + c.charCodeAt(0)) >>> 0;
  return `A plain account, number ${h}.\n\n- first point\n- second point\n\nThat is all there is to it.`;
};
const complete = (res, text) => {
  const body = JSON.stringify({ id: 'x', object: 'chat.completion', model: 'stub-model',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 20, completion_tokens: 30 } });
  res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
};
const fail = (res, status, type, body) => {
  res.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  res.end(body);
};

const server = http.createServer((req, res) => {
  let body = '';
  req.on('data', (d) => { body += d; });
  req.on('end', () => {
    const [, verb, value] = req.url.split('/');
    if (req.method === 'GET') {
      if (verb === 'mood') mood = value;
      if (verb === 'release') { const all = held; held = []; all.forEach((f) => f()); }
      if (verb === 'reset') reset();
      fail(res, 200, 'application/json', JSON.stringify({ requests: state.requests,
        peak: state.peak, open: state.open, prompts: Object.values(state.per), held: held.length,
        hidden: [...state.hidden], poison: state.poison }));
      return;
    }
    const sent = JSON.parse(body);
    const system = (sent.messages.find((m) => m.role === 'system') || { content: '' }).content;
    const user = sent.messages.filter((m) => m.role === 'user').map((m) => m.content).join('\n');
    // A second try has other hidden letters and is still the same answer's.
    const key = system.replace(/\[[a-z]{8}\]\s*$/, '') + '\u0000' + user;
    const poisonous = user.includes('poison');
    state.requests++;
    state.poison += poisonous;
    state.per[key] = (state.per[key] || 0) + 1;
    if (!state.order.includes(key)) state.order.push(key);
    const first = state.order.indexOf(key) % 2 === 0;
    state.open++;
    state.peak = Math.max(state.peak, state.open);
    res.on('close', () => { state.open--; });
    const good = () => complete(res, words(system, user));
    const hidden = (/\[([a-z]{8})\]\s*$/.exec(system) || [])[1];
    if (hidden) state.hidden.add(hidden);
    const echo = String(req.headers.authorization || '');
    switch (mood) {
    case 'hold': held.push(good); break;
    case 'half': if (first) good(); else held.push(good); break;
    case 'once503': if (first || state.per[key] > 1) good();
      else fail(res, 503, 'text/html', '<html><body><h1>Service Unavailable</h1>nginx</body></html>'); break;
    case 'key429': fail(res, 429, 'application/json', JSON.stringify({ error: {
      message: `Rate limit for key ${echo} of org-4711 at acct_815`, type: 'rate_limit' } })); break;
    case 'html503': fail(res, 503, 'text/html', `<html><body>${echo}</body></html>`); break;
    case 'poison': if (poisonous) fail(res, 500, 'text/plain', 'out of memory'); else good(); break;
    case 'empty': fail(res, 200, 'application/json', ''); break;
    case 'leak': complete(res, 'I am ChatGPT, a large language model trained by OpenAI. Here you are.'); break;
    case 'leakonce': if (state.per[key] === 1) complete(res, 'I am ChatGPT, made by OpenAI.'); else good(); break;
    case 'canary': complete(res, `A plain account. Note: ${hidden}.`); break;
    case 'canaryonce': if (state.per[key] === 1) complete(res, `Letters: ${String(hidden).toUpperCase()}`); else good(); break;
    case 'cut': res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 5000 });
      res.write('{"choices":[{"message":{"content":"half'); setTimeout(() => res.destroy(), 50); break;
    default: good();
    }
  });
});
// No connection is closed between two steps of a test.
server.keepAliveTimeout = 600000;
server.listen(Number(process.argv[2] || 0), '127.0.0.1', () => {
  console.log(server.address().port);
});
