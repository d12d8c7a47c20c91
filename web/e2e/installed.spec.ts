import { chromium, expect, type Page, test } from '@playwright/test';
import { EdgeServer } from './support/edge-server';

/** The page waits some seconds before it looks after its worker; a busy machine takes longer. */
const TAKING_OVER_MS = 60_000;

test.use({ serviceWorkers: 'allow', locale: 'en-GB' });

/** Opens a page as a user, or as a visitor, and waits until its worker can do without a network. */
async function openKept(page: Page, origin: string, path: string, isUser = true): Promise<void> {
  if (isUser) {
    await page.addInitScript(() => {
      localStorage.setItem('adfolio.token', 'token-1');
      localStorage.setItem('adfolio.entry', 'register');
    });
  }
  await page.goto(`${origin}/#${path}`);
  await expect(page.locator('main')).not.toBeEmpty();
  await page.evaluate(() => navigator.serviceWorker.ready);
  await expect.poll(() => languagesKept(page), { timeout: TAKING_OVER_MS }).toBeGreaterThan(isUser ? 1 : 0);
}

/** Languages are kept last: the page names them once its worker is there. */
async function languagesKept(page: Page): Promise<number> {
  return (await keptPaths(page)).filter((path) => /\/(en|de)-/.test(path)).length;
}

async function keptPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const names = await caches.keys();
    const caching = names.map(async (name) => (await caches.open(name)).keys());
    return (await Promise.all(caching)).flat().map(({ url }) => new URL(url).pathname);
  });
}

const banner = (page: Page) => page.locator('[class*="offline"]');

test('the browser offers to install the app', async ({ launchOptions }, testInfo) => {
  const { origin } = await EdgeServer.start();
  // Other contexts are private, and Chromium installs nothing from those.
  const context = await chromium.launchPersistentContext(testInfo.outputPath('profile'), launchOptions);
  const page = await context.newPage();
  await page.goto(`${origin}/#/login`);
  await expect(page.locator('form')).toBeVisible();
  const devtools = await context.newCDPSession(page);
  const { errors } = await devtools.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
  expect(installabilityErrors).toEqual([]);
  await context.close();
});

test('without a network the app opens and says when it last had data', async ({ page, context }) => {
  const { origin } = await EdgeServer.start();
  await openKept(page, origin, '/wallet');
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText('18,450.75');
  const seen = await page.evaluate(() => Number(localStorage.getItem('adfolio.last_seen')));
  expect(Date.now() - seen).toBeLessThan(5 * 60_000);
  await context.setOffline(true);
  // What is loaded stays, under the usual words.
  await expect(banner(page)).toHaveText('You are offline. What you see may be out of date.');
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText('18,450.75');

  await page.reload();
  const time = new Intl.DateTimeFormat('en', {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'Europe/Berlin',
  });
  await expect(banner(page)).toHaveText(`Offline, last seen ${time.format(seen)}`);
  await expect(page.getByRole('navigation').getByRole('link', { name: 'Plans' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Wallet' })).toBeVisible();
  // No attempt is left that could find the network by itself.
  await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible();

  await context.setOffline(false);
  await expect(banner(page)).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Total assets' })).toContainText('18,450.75');
});

test('without a network the app speaks the caller’s language', async ({ page, context }) => {
  const { origin } = await EdgeServer.start();
  await page.addInitScript(() => localStorage.setItem('adfolio.lang', 'de'));
  await openKept(page, origin, '/ad-center');
  await context.setOffline(true);
  await page.reload();
  await expect(banner(page)).toHaveText(/^Offline, Stand: \d\d:\d\d$/);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
});

test('the worker keeps the page and its files, and nothing of the API', async ({ page, context }) => {
  const { origin } = await EdgeServer.start();
  await openKept(page, origin, '/login', false);
  const paths = await keptPaths(page);
  expect(paths).toContain('/');
  expect(paths.filter((path) => path !== '/' && !path.startsWith('/assets/'))).toEqual([]);
  await context.setOffline(true);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible();
  await expect(banner(page)).toHaveText('You are offline. What you see may be out of date.');
  await expect(page.goto(`${origin}/console/`)).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
});

test('an update is offered, keeps what is being typed, and comes with the next start', async ({ page }) => {
  const edge = await EdgeServer.start();
  await openKept(page, edge.origin, '/login', false);
  await page.getByLabel('Username').fill('somebody');
  edge.deploySecondRelease();
  await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
  await expect(page.getByText('A new version is available.')).toBeVisible();
  await expect(page.getByLabel('Username')).toHaveValue('somebody');
  expect(await page.evaluate(() => document.querySelector('script[src*="boot-second-"]'))).toBeNull();

  await page.getByRole('button', { name: 'Update now' }).click();
  await expect(page.locator('script[src*="boot-second-"]')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Log in' })).toBeVisible();
  // Chromium lets no worker take over that a debugger watches, so the rest of the hand-over is not visible here.
  await expect(page.getByText('A new version is available.')).toHaveCount(0);
});
