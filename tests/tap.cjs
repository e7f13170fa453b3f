// tap - the Test Anything Protocol for tests in JavaScript.
'use strict';
let n = 0;
let failed = 0;

// DETAIL, a text or a value, is shown when the test fails.
function ok(name, pass, detail) {
	n++;
	if (!pass) failed++;
	console.log(`${pass ? 'ok' : 'not ok'} ${n} - ${name}`);
	if (!pass && detail !== undefined)
		String(typeof detail === 'string' ? detail : JSON.stringify(detail, null, 1))
			.slice(0, 1500).split('\n').forEach((l) => console.log('#   ' + l));
}

function is(name, got, wanted) {
	ok(name, got === wanted, `got:    ${JSON.stringify(got)}\nwanted: ${JSON.stringify(wanted)}`);
}

function done() {
	console.log(`1..${n}`);
	process.exitCode = failed ? 1 : 0;
}

// Run one block; what it throws is a failed test, not the end of the file.
async function part(name, fn) {
	try {
		await fn();
	} catch (e) {
		ok(`${name} runs to its end`, false, e.stack || String(e));
	}
}

module.exports = { ok, is, done, part };
