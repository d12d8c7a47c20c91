import { expect, type Page, test } from '@playwright/test';
import { EdgeServer } from './support/edge-server';

/** Budget of the login's scripts as they come over the wire: compressed, with their headers. */
const WIRE_BYTES_MAX = 140_000;

const { origin } = await EdgeServer.start();

type Budget = { name: string; path: string[] };
const SIZES = '../.size-limit.mjs';
const { default: budgets } = (await import(SIZES)) as { default: Budget[] };

/** Notes the time at which the login is drawn. What the browser fetches later is fetched ahead. */
function noteDrawing(): void {
  const observer = new MutationObserver(() => {
    if (!document.querySelector('form')) return;
    Object.assign(window, { drawnAt: performance.timeOrigin + performance.now() });
    observer.disconnect();
  });
  observer.observe(document, { childList: true, subtree: true });
}

type Script = { path: string; askedAt: number; bytes?: number };

/** Opens the login with an empty cache and lists the scripts that the browser fetches until it is drawn. */
async function scriptsOfLogin(page: Page): Promise<Map<string, number>> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  const scripts = new Map<string, Script>();
  devtools.on('Network.requestWillBeSent', ({ requestId, request, wallTime }) => {
    const path = new URL(request.url).pathname.slice(1);
    if (path.endsWith('.js')) scripts.set(requestId, { path, askedAt: wallTime * 1_000 });
  });
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const script = scripts.get(requestId);
    if (script) script.bytes = encodedDataLength;
  });
  await page.addInitScript(noteDrawing);
  await page.goto(`${origin}/#/login`);
  await expect(page.locator('form')).toBeVisible();
  const drawnAt = await page.evaluate(() => (window as unknown as { drawnAt: number }).drawnAt);
  const wanted = [...scripts.values()].filter(({ askedAt }) => askedAt <= drawnAt);
  await expect.poll(() => wanted.every(({ bytes }) => bytes !== undefined)).toBe(true);
  return new Map(wanted.map(({ path, bytes = 0 }) => [path, bytes]));
}

for (const locale of ['en-GB', 'ru-RU']) {
  test.describe(locale, () => {
    test.use({ locale });

    test('the login loads few scripts, and those that the check of sizes adds up', async ({ page }) => {
      const bytes = await scriptsOfLogin(page);
      const total = [...bytes.values()].reduce((sum, each) => sum + each, 0);
      process.stdout.write(`${locale}: ${total} bytes in ${bytes.size} scripts\n`);
      expect(total).toBeLessThan(WIRE_BYTES_MAX);
      const counted = budgets.find(({ name }) => name === 'first load of the login')?.path ?? [];
      const withoutLanguage = (paths: Iterable<string>) =>
        [...paths].filter((path) => !/\/(en|ru)-/.test(path)).sort();
      expect(withoutLanguage(bytes.keys())).toEqual(
        withoutLanguage(counted.map((path) => path.replace('dist/', ''))),
      );
      expect(bytes.size).toBe(counted.length);
    });
  });
}
