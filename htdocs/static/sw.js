// sw.js - shows notifications where pages may not do it themselves, and
// brings their page to the front when they are pressed.  It answers no
// request: nothing is kept offline.
'use strict';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (e) => e.waitUntil(self.clients.claim()));

self.addEventListener('notificationclick', (e) => {
	const url = e.notification.data && e.notification.data.url;

	e.notification.close();
	if (url) e.waitUntil(show(url));
});

async function show(url) {
	const pages = await self.clients.matchAll({ type: 'window' });

	for (const page of pages) {
		try {
			await page.focus();
			await page.navigate(url);
			return;
		} catch {
			// It may be gone, or not ours to lead: try the next.
		}
	}
	await self.clients.openWindow(url);
}
