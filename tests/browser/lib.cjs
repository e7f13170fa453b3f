// lib - browsers for the browser tests.
'use strict';
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const { ok, is, done, part } = require('../tap.cjs');

const BASE = process.env.BASE;
const AUTH = process.env.AUTH;
const OUT = process.env.OUT;

const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic',
	'--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

// A busy machine is slow and not broken: what is awaited may take this long.
const PATIENCE = 120000;

async function launch(extra = []) {
	const browser = await chromium.launch({
		executablePath: '/usr/bin/chromium',
		headless: true,
		timeout: PATIENCE,
		args: CHROMIUM_ARGS.concat(extra),
	});
	const open = browser.newContext.bind(browser);
	browser.newContext = async (options) => {
		const context = await open(options);
		context.setDefaultTimeout(PATIENCE);
		return context;
	};
	return browser;
}

async function launchFirefox(prefs = {}) {
	const puppeteer = require('puppeteer-core');
	const browser = await puppeteer.launch({
		browser: 'firefox',
		executablePath: '/usr/bin/firefox-esr',
		headless: true,
		timeout: PATIENCE,
		extraPrefsFirefox: prefs,
	});
	const open = browser.newPage.bind(browser);
	browser.newPage = async () => {
		const page = await open();
		page.setDefaultTimeout(PATIENCE);
		return page;
	};
	return browser;
}

// Signed in as USER on the second server.
function signedIn(browser, user, options = {}) {
	return browser.newContext({
		httpCredentials: { username: user, password: user, send: 'always' },
		...options,
	});
}

// Collect what the browser itself complains of: CSP, XML faults, failed loads.
function watch(page) {
	const complaints = [];
	page.on('console', (m) => {
		if (m.type() === 'error' && !/status of (4|5)\d\d/.test(m.text()))
			complaints.push(m.text());
	});
	page.on('pageerror', (e) => complaints.push(String(e)));
	page.on('request', (r) => {
		const u = new URL(r.url());
		if (u.hostname !== '127.0.0.1') complaints.push('third party: ' + r.url());
	});
	return complaints;
}

// Keep the bytes of a response for the validator.
async function keep(name, response) {
	if (!OUT) return;
	const body = await response.body();
	fs.writeFileSync(path.join(OUT, name.replace(/[^a-z0-9-]+/gi, '_') + '.xhtml'), body);
}

const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

// Violations, and contrasts that axe could not decide, as readable lines.
async function axe(page) {
	await page.evaluate(AXE);
	return page.evaluate(async (rules) => {
		// axe cannot measure on a gradient: tables are judged on their card,
		// without the shades at its edges, and selects without their arrow.
		const sheet = document.styleSheets[0];
		const rule = sheet && sheet.insertRule('.scroll, select { background: var(--card) !important }', sheet.cssRules.length);
		const r = await window.axe.run(document, { runOnly: rules });
		if (sheet) sheet.deleteRule(rule);
		// What a scrolling box hides at the moment has no background yet.
		const clipped = (x) => x.target.length === 1 &&
			document.querySelector(x.target[0]).closest('.scroll, .table, pre') &&
			/partially (obscured|overlaps)/.test(x.failureSummary);
		const line = (v) => v.nodes.filter((x) => !clipped(x)).slice(0, 4).map((x) =>
			`${v.id}: ${x.target.join(' ')}: ${(x.failureSummary || '').replace(/\s+/g, ' ').slice(0, 200)}`);
		// Letters inside a picture: axe sees no background there, or another mark
		// over it, as fonts fall; boards.cjs checks their colours.
		const inPicture = (x) => x.target.length === 1 &&
			document.querySelector(x.target[0]).closest('svg[role="img"]');
		// An arrow or a dash is decoration that axe cannot measure.
		const undecided = r.incomplete.filter((v) => v.id === 'color-contrast')
			.map((v) => ({ ...v, nodes: v.nodes.filter((x) =>
				!inPicture(x) && !x.any.some((c) => c.data &&
					(c.data.messageKey === 'nonBmp' || c.data.messageKey === 'shortTextContent'))) }));
		return r.violations.concat(undecided).flatMap(line);
	}, RULES);
}

// Elements that stick out of the page and are not inside a scrolling box.
function overflow(page) {
	return page.evaluate(() => {
		const width = document.documentElement.clientWidth;
		const bad = [];
		const scrolls = (el) => {
			for (let p = el.parentElement; p; p = p.parentElement) {
				const o = getComputedStyle(p).overflowX;
				if ((o === 'auto' || o === 'scroll' || o === 'hidden') && p !== document.body && p !== document.documentElement)
					return true;
			}
			return false;
		};
		for (const el of document.body.querySelectorAll('*')) {
			const r = el.getBoundingClientRect();
			if (r.width > 0 && (r.right > width + 1 || r.left < -1) && !scrolls(el) &&
			    getComputedStyle(el).position !== 'absolute')
				bad.push(`${el.localName}.${el.getAttribute('class') || ''} ${Math.round(r.left)}..${Math.round(r.right)} of ${width}`);
		}
		if (document.documentElement.scrollWidth > width + 1)
			bad.push(`page scrolls: ${document.documentElement.scrollWidth}>${width}`);
		return bad.slice(0, 5);
	});
}

const SIZES = [{ width: 320, height: 640 }, { width: 360, height: 740 }, { width: 1280, height: 900 }];
const STATE = process.env.STATE;

// One page in both colour schemes and three widths, its bytes kept.
async function inspect(context, name, url) {
	for (const colorScheme of ['light', 'dark']) {
		const page = await context.newPage();
		await page.emulateMedia({ colorScheme });
		const complaints = watch(page);
		const response = await page.goto(url);
		const label = `${STATE}: ${name} (${colorScheme})`;
		if (colorScheme === 'light') {
			await keep(`${STATE}-${name}`, response);
			const type = response.headers()['content-type'];
			is(`${label} is XHTML`, type, 'application/xhtml+xml; charset=utf-8');
			for (const size of SIZES) {
				await page.setViewportSize(size);
				const out = await overflow(page);
				is(`${label} fits ${size.width} px`, out.join('; '), '');
			}
			// What people and models write may hold these words.
			const text = await page.evaluate(() => {
				const body = document.body.cloneNode(true);
				for (const el of body.querySelectorAll('.prose')) el.remove();
				return body.textContent;
			});
			ok(`${label} shows no NaN, null or undefined`, !/\bNaN\b|\bnull\b|\bundefined\b|\binf\b/.test(text.replace(/`[^`]*`/g, '')) || /match/.test(name), text.match(/.{30}(NaN|null|undefined|inf\b).{30}/));
		}
		await page.setViewportSize(SIZES[1]);
		const faults = await axe(page);
		is(`${label} has no accessibility fault`, faults.join('\n'), '');
		is(`${label} leaves the browser quiet`, complaints.join('; '), '');
		await page.close();
	}
}

module.exports = { BASE, AUTH, OUT, PATIENCE, ok, is, done, part, launch, launchFirefox, signedIn, watch, keep, axe, overflow, inspect, SIZES };
