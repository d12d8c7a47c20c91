import { expect, test } from '@playwright/test';
import { Api, newAdvertiser } from './support/api';
import { openAs, settled, tapThoughCovered } from './support/app';

type Seen = { at: string; controls: readonly string[] };

const VISITOR_AT_LOGIN: Seen = { at: '/login', controls: ['Customer service', 'Language'] };
const PLAIN = ['Back', 'Language', 'Notifications'];

/** Every page: where it leads a user and a visitor, and what its header shows. */
const PAGES: readonly (readonly [path: string, user: Seen, visitor: Seen])[] = [
  ['/', { at: '/ad-center', controls: ['Language', 'Notifications', 'Log out'] }, VISITOR_AT_LOGIN],
  ['/login', { at: '/ad-center', controls: ['Language', 'Notifications', 'Log out'] }, VISITOR_AT_LOGIN],
  [
    '/register',
    { at: '/ad-center', controls: ['Language', 'Notifications', 'Log out'] },
    { at: '/register', controls: ['Customer service', 'Language'] },
  ],
  ['/ad-welcome', { at: '/ad-welcome', controls: [] }, { at: '/ad-welcome', controls: [] }],
  [
    '/entry?lang=en',
    { at: '/ad-center', controls: ['Language', 'Notifications', 'Log out'] },
    { at: '/ad-welcome', controls: [] },
  ],
  [
    '/not-me?token=link',
    { at: '/not-me', controls: ['Customer service', 'Language'] },
    { at: '/not-me', controls: ['Customer service', 'Language'] },
  ],
  ['/404', { at: '/404', controls: PLAIN }, { at: '/404', controls: ['Back', 'Language'] }],
  ['/no/such/page', { at: '/404', controls: PLAIN }, { at: '/404', controls: ['Back', 'Language'] }],
  ['/ad-center', { at: '/ad-center', controls: ['Language', 'Notifications', 'Log out'] }, VISITOR_AT_LOGIN],
  ['/plan', { at: '/plan', controls: ['Back', 'Language', 'Notifications', 'Log out'] }, VISITOR_AT_LOGIN],
  ...['/legal/imprint', '/legal/terms', '/legal/privacy', '/legal/fees'].map(
    (path) => [path, { at: path, controls: ['Back'] }, { at: path, controls: ['Back'] }] as const,
  ),
  ...['/customer', '/ad-center/ques-detail'].map(
    (path) => [path, { at: path, controls: ['Back'] }, VISITOR_AT_LOGIN] as const,
  ),
  ...[
    '/ad-center/activities',
    '/ad-center/coupons',
    '/ad-center/edit-login-password',
    '/ad-center/edit-pay-password',
    '/ad-center/feedback',
    '/ad-center/level',
    '/ad-center/operated',
    '/ad-center/security',
    '/plan/detail',
    '/plan/goods-detail',
    '/plan/reports',
    '/wallet',
    '/wallet/fund-details',
    '/wallet/withdraw',
    '/wallet/bind-card',
    '/wallet/foreign-exchange',
    '/wallet/set-password',
    '/account',
    '/notification',
  ].map((path) => [path, { at: path, controls: PLAIN }, VISITOR_AT_LOGIN] as const),
];

test('pages that need a login lead there and back, unknown ones to the page that says so', async ({
  page,
}) => {
  const { user, password } = await newAdvertiser(await Api.staff());
  await page.goto('/#/wallet/fund-details?type=system_top_up');
  await expect(page).toHaveURL(/#\/login$/);
  await page.getByLabel('Username').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/#\/wallet\/fund-details\?type=system_top_up$/);
  await page.goto('/#/no/such/page');
  await expect(page).toHaveURL(/#\/404$/);
  await page.getByRole('link', { name: 'Go to the ad centre' }).click();
  await expect(page).toHaveURL(/#\/ad-center$/);
});

test('a refused login is explained and keeps what was typed', async ({ page }) => {
  await page.goto('/');
  await expect(page).toHaveURL(/#\/login$/);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByLabel('Username')).toBeFocused();
  await expect(page.getByText('Please enter username')).toBeVisible();
  await page.getByLabel('Username').fill(`nobody-${Date.now()}`);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('alert')).not.toBeEmpty();
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('not the password');
});

test('a used licence key and a taken name are said at their fields', async ({ page }) => {
  const staff = await Api.staff();
  const { user } = await newAdvertiser(staff);
  await page.goto('/#/register');
  await page.getByLabel('Username').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery');
  await page.getByLabel('Confirm password').fill('correct horse battery');
  await page.getByLabel('Email').fill('second@example.com');
  await page.getByLabel('Phone').fill('+4915112345678');
  await page.getByLabel('Authorisation code').fill('NO-SUCH-KEY');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.locator('[aria-invalid="true"]').first()).toBeFocused();
  await expect(page.getByLabel('Email')).toHaveValue('second@example.com');
});

test('a host shell comes in with its token and opens an account with a code', async ({ page }) => {
  const staff = await Api.staff();
  const { token } = await staff.post<{ token: string }>('/admin/user/host_token', {
    external_user_id: `host-${Date.now()}-${Math.random()}`,
  });
  await page.goto(`/#/entry?token=${token}&lang=en`);
  await expect(page).toHaveURL(new RegExp(`#/ad-welcome\\?token=${token}&lang=en$`));
  await page.getByLabel('Authorisation code').fill('NO-SUCH-KEY');
  await page.getByRole('button', { name: 'Open account' }).click();
  await expect(page.getByLabel('Authorisation code')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Authorisation code').fill(await staff.newLicense());
  await page.getByRole('button', { name: 'Open account' }).click();
  await expect(page).toHaveURL(/#\/ad-center$/);
  await settled(page);
  // Only users who registered here can log out here.
  await expect(page.getByRole('button', { name: 'Log out' })).toHaveCount(0);
});

test('sheets close with Esc, the backdrop and Back, and focus returns', async ({ page }) => {
  await openAs(page, (await Api.demo()).token, '/ad-center');
  const opener = page.getByRole('button', { name: 'Language' });
  const sheet = page.getByRole('dialog', { name: 'Language' });

  await opener.click();
  await expect(sheet).toBeVisible();
  await expect(page.locator('dialog :focus')).toHaveCount(1);
  for (let press = 0; press < 6; press += 1) await page.keyboard.press('Tab');
  await expect(page.locator('dialog :focus')).toHaveCount(1);
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(opener).toBeFocused();

  await opener.click();
  await expect(sheet).toBeVisible();
  await page.mouse.click(5, 5);
  await expect(sheet).toHaveCount(0);

  await opener.click();
  await expect(sheet).toBeVisible();
  await page.goBack();
  await expect(sheet).toHaveCount(0);
  await expect(page).toHaveURL(/#\/ad-center$/);
});

test('a logout is confirmed and ends the session on the server, too', async ({ page }) => {
  const { api } = await newAdvertiser(await Api.staff());
  await openAs(page, api.token, '/ad-center');
  await page.getByRole('button', { name: 'Log out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Log out?' });
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole('button', { name: 'Log out' }).click();
  await dialog.getByRole('button', { name: 'Log out' }).click();
  await expect(page).toHaveURL(/#\/login$/);
  await expect(api.get('/user/info')).rejects.toThrow(/\/user\/info/);
});

test('a session that ends elsewhere shows one dialog', async ({ page }) => {
  const { api } = await newAdvertiser(await Api.staff());
  await openAs(page, api.token, '/ad-center');
  await api.post('/auth/logout', {});
  await tapThoughCovered(page.getByRole('tab', { name: 'This week' }));
  const dialog = page.getByRole('dialog', { name: 'Login expired' });
  await expect(dialog).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await dialog.getByRole('button', { name: 'Log in again' }).click();
  await expect(page).toHaveURL(/#\/login$/);
});

test('a disabled account is told so', async ({ page }) => {
  const staff = await Api.staff();
  const { user, password } = await newAdvertiser(staff);
  await staff.post('/admin/user/state', { id: user.id, state: 'disabled', reason: 'checks' });
  await page.goto('/#/login');
  await page.getByLabel('Username').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page.getByRole('dialog', { name: 'Account unavailable' })).toBeVisible();
});

test('offline, a banner comes and goes and what was loaded stays', async ({ page, context }) => {
  await openAs(page, (await Api.demo()).token, '/wallet');
  const total = page.getByRole('region', { name: 'Total assets' });
  const text = (await total.textContent()) ?? '';
  await context.setOffline(true);
  await expect(page.getByText('You are offline.')).toBeVisible();
  await expect(total).toHaveText(text);
  await context.setOffline(false);
  await expect(page.getByText('You are offline.')).toHaveCount(0);
});

test('a page that is opened offline says so, and comes as soon as there is a connection', async ({
  page,
  context,
}) => {
  await openAs(page, (await Api.demo()).token, '/wallet');
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Card or address' }).click();
  const alert = page.locator('main').getByRole('alert');
  await expect(alert).toContainText('No connection to the server');
  await expect(page.getByRole('banner').getByRole('button', { name: 'Back' })).toBeVisible();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toBeVisible();
  await context.setOffline(false);
  await expect(page.getByRole('tab', { name: 'Bank card' })).toBeVisible();
  await expect(page).toHaveURL(/#\/wallet\/bind-card$/);
});

test('a page whose code is slow to come is announced, and the one before it stands until then', async ({
  page,
}) => {
  await openAs(page, (await Api.demo()).token, '/wallet');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/**', async (route) => {
    await released;
    await route.continue();
  });
  await page.getByRole('link', { name: 'Card or address' }).click();
  const announced = page.getByRole('progressbar', { name: 'Loading…' });
  await expect(announced).toBeVisible();
  await expect(page.getByRole('region', { name: 'Total assets' })).toBeVisible();
  release();
  await expect(page.getByRole('tab', { name: 'Bank card' })).toBeVisible();
  await expect(announced).toHaveCount(0);
});

test('figures are asked for every 30 s, not while hidden, and at once on coming back', async ({ page }) => {
  await page.clock.install();
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().includes('/data_statistics/')) asked += 1;
  });
  await openAs(page, (await Api.demo()).token, '/ad-center');
  expect(asked).toBe(1);
  await page.clock.runFor(30_100);
  await expect.poll(() => asked).toBe(2);
  await settled(page);

  const setVisibility = (state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  await setVisibility('hidden');
  await page.clock.runFor(90_000);
  expect(asked).toBe(2);
  await setVisibility('visible');
  await expect.poll(() => asked).toBe(3);
});

test('pulling the page down asks once', async ({ page, hasTouch }) => {
  test.skip(!hasTouch, 'needs a touch screen');
  await openAs(page, (await Api.demo()).token, '/wallet');
  let asked = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/user/property')) asked += 1;
  });
  const touch = await page.context().newCDPSession(page);
  const at = (y: number) => [{ x: 195, y }];
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(200) });
  for (let y = 220; y <= 420; y += 20) {
    await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(y) });
  }
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await expect.poll(() => asked).toBe(1);
});

test('nothing jumps while the ad centre loads', async ({ page }) => {
  await page.addInitScript(() => {
    const shifts: number[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        };
        if (!hadRecentInput) shifts.push(value);
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await openAs(page, (await Api.demo()).token, '/ad-center?range=week');
  await expect(page.getByRole('slider')).toBeVisible();
  const total = await page.evaluate(() =>
    (window as unknown as { shifts: number[] }).shifts.reduce((sum, value) => sum + value, 0),
  );
  expect(total).toBeLessThan(0.02);
});

test('no script or style breaks the content security policy', async ({ page }) => {
  const broken: string[] = [];
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) broken.push(message.text());
  });
  const { token } = await Api.demo();
  for (const path of ['/ad-center', '/plan', '/wallet', '/notification', '/ad-center/coupons']) {
    await openAs(page, token, path);
  }
  expect(broken).toEqual([]);
});

test('every page has its header, for a visitor and for a user', async ({ page }) => {
  test.setTimeout(240_000);
  const { api } = await newAdvertiser(await Api.staff());
  const controls = ['Back', 'Customer service', 'Language', 'Notifications', 'Log out'] as const;
  const shownControls = async () => {
    const header = page.getByRole('banner');
    const found: string[] = [];
    for (const name of controls) {
      const control = header.getByRole('button', { name }).or(header.getByRole('link', { name }));
      if (await control.isVisible()) found.push(name);
    }
    return found;
  };
  const pathOf = () => new URL(page.url()).hash.slice(1).split('?')[0];

  for (const [path, , visitor] of PAGES) {
    await test.step(`visitor ${path}`, async () => {
      await page.goto(`/#${path}`);
      await settled(page);
      await expect.poll(pathOf).toBe(visitor.at);
      await expect.poll(shownControls, { message: `visitor at ${path}` }).toEqual(visitor.controls);
    });
  }
  await openAs(page, api.token, '/ad-center');
  await page.reload();
  for (const [path, user] of PAGES) {
    await test.step(`user ${path}`, async () => {
      await page.goto(`/#${path}`);
      await settled(page);
      await expect.poll(pathOf).toBe(user.at);
      await expect.poll(shownControls, { message: `user at ${path}` }).toEqual(user.controls);
    });
  }
});

test('the contacts of customer service open inside the app or beside it', async ({ page }) => {
  const { api } = await newAdvertiser(await Api.staff());
  await page.route('https://support.adfolio.example/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>Support chat</h1>' }),
  );
  await page.goto('/#/login');
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  const dialog = page.getByRole('dialog', { name: 'Customer service' });
  await expect(dialog).toContainText('Customer service resets a forgotten password');
  const [outside] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('link', { name: /^Customer service 2/ }).click(),
  ]);
  expect(await outside.evaluate(() => window.opener)).toBeNull();
  await outside.close();
  await expect(dialog).toHaveCount(0);

  await openAs(page, api.token, '/customer?url=https%3A%2F%2Fevil.example%2F');
  await page.reload();
  await expect(page.getByText('This page cannot be opened here')).toBeVisible();
  await expect(page.locator('iframe')).toHaveCount(0);
  await page.getByRole('button', { name: 'See contacts' }).click();
  await dialog.getByRole('button', { name: /^Customer service 1/ }).click();
  await expect(page).toHaveURL(/#\/customer\?url=https%3A%2F%2Fsupport\.adfolio\.example%2Fchat%3F/);
  await expect(page.locator('iframe')).toHaveAttribute('src', /\/chat\?name=[^&{}]+&subject=&lang=\w+$/);
  await expect(page.frameLocator('iframe').getByRole('heading', { name: 'Support chat' })).toBeVisible();
  await expect(dialog).toHaveCount(0);
});

test('a deposit shows in the open wallet, and two tabs agree on what is unread', async ({
  page,
  context,
}) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  const stream = page.waitForResponse((response) => response.url().endsWith('/api/stream'));
  await openAs(page, api.token, '/wallet');
  await stream;
  const total = page.getByRole('region', { name: 'Total assets' });
  await expect(total).toContainText('0.00');
  // Well before a page without a stream would poll.
  await staff.deposit(user.id, '1234.50');
  await expect(total).toContainText('1,234.50', { timeout: 20_000 });
  await expect(page.getByRole('link', { name: /^Notifications, \d+ unread$/ })).toBeVisible({
    timeout: 20_000,
  });

  const second = await context.newPage();
  await openAs(second, api.token, '/notification');
  await second.getByRole('button', { name: 'Mark all read' }).click();
  await expect(second.getByRole('link', { name: 'Notifications', exact: true })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Notifications', exact: true })).toBeVisible();
});

test('a tab has one stream, and none while it is hidden or offline', async ({ page, context }) => {
  const { api } = await newAdvertiser(await Api.staff());
  let open = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/api/stream')) open += 1;
  });
  const closed = (request: { url: () => string }) => {
    if (request.url().endsWith('/api/stream')) open -= 1;
  };
  page.on('requestfailed', closed);
  page.on('requestfinished', closed);
  await openAs(page, api.token, '/wallet');
  await expect.poll(() => open).toBe(1);
  await page.getByRole('link', { name: 'Plans' }).click();
  await settled(page);
  expect(open).toBe(1);
  const setVisibility = (state: 'hidden' | 'visible') =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'visibilityState', { value, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }, state);
  await setVisibility('hidden');
  await expect.poll(() => open).toBe(0);
  await setVisibility('visible');
  await expect.poll(() => open).toBe(1);
  await context.setOffline(true);
  await expect.poll(() => open).toBe(0);
  await context.setOffline(false);
  await expect.poll(() => open).toBe(1);
});

test('the ad centre’s back closes the shell that the app runs in', async ({ page }) => {
  const { api } = await newAdvertiser(await Api.staff());
  await page.addInitScript(() => {
    const shell = { closed: 0 };
    Object.assign(window, { shell, AdfolioHost: { close: () => (shell.closed += 1) } });
  });
  await openAs(page, api.token, '/ad-center');
  await page.getByRole('button', { name: 'Back' }).click();
  expect(await page.evaluate(() => (window as unknown as { shell: { closed: number } }).shell.closed)).toBe(
    1,
  );
  await expect(page).toHaveURL(/#\/ad-center$/);
});

test('a language is chosen by keyboard, kept, and told to the account', async ({ page }) => {
  const { api } = await newAdvertiser(await Api.staff());
  await openAs(page, api.token, '/ad-center');
  await page.getByRole('button', { name: 'Language' }).click();
  const sheet = page.getByRole('dialog', { name: 'Language' });
  await expect(sheet.getByRole('option', { name: 'English' })).toHaveAttribute('aria-selected', 'true');
  const { height } = (await sheet.boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThanOrEqual((page.viewportSize()?.height ?? 0) / 2 + 1);
  await page.keyboard.press('ArrowDown');
  await expect(sheet.getByRole('option', { name: '简体中文' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(sheet).toHaveCount(0);
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
  await expect.poll(async () => (await api.get<{ lang: string | null }>('/user/info')).lang).toBe('zh');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-Hans');
});

test('a disabled account is told so, with the way to customer service', async ({ page }) => {
  const staff = await Api.staff();
  const { api, user } = await newAdvertiser(staff);
  await openAs(page, api.token, '/wallet');
  await staff.post('/admin/user/state', { id: user.id, state: 'disabled', reason: 'checks' });
  // Navigates without a tap: the page may already know, and then the message blocks every tap.
  await page.evaluate(() => {
    window.location.hash = '#/plan';
  });
  const message = page.getByRole('dialog', { name: 'Account unavailable' });
  await expect(message).toBeVisible();
  await expect(page.getByRole('dialog')).toHaveCount(1);
  await message.getByRole('button', { name: 'Contact customer service' }).click();
  const service = page.getByRole('dialog', { name: 'Customer service' });
  await expect(service.getByRole('link', { name: /^Customer service 1/ })).toBeVisible();
  await page.goBack();
  await expect(message).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/#\/login$/);
});

for (const [state, text] of [
  ['not_activated', /noch nicht aktiviert/],
  ['disabled', /gesperrt/],
  ['cancelled', /geschlossen/],
] as const) {
  test(`an account that is ${state} is told so in the language of the account`, async ({ page }) => {
    const staff = await Api.staff();
    const { api, user } = await newAdvertiser(staff);
    await openAs(page, api.token, '/wallet');
    await expect(page.locator('html')).toHaveAttribute('lang', 'en');
    // Changed on another device in the meantime.
    await api.post('/user/info/edit', { lang: 'de' });
    await staff.post('/admin/user/state', { id: user.id, state, reason: 'checks' });
    await tapThoughCovered(page.getByRole('link', { name: 'Plans' }));
    const message = page.getByRole('dialog', { name: 'Konto nicht verfügbar' });
    await expect(message.getByText(text)).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', 'de');
    await page.goBack();
    await expect(page).toHaveURL(/#\/login$/);
  });
}

test('what was typed is there again after a login that came between', async ({ page }) => {
  const { api, user, password } = await newAdvertiser(await Api.staff());
  await openAs(page, api.token, '/ad-center/feedback');
  await page.getByLabel('Topic').fill('Delivery of my plan');
  await api.post('/auth/logout', {});
  const dialog = page.getByRole('dialog', { name: 'Login expired' });
  await expect(dialog).toBeVisible({ timeout: 60_000 });
  await dialog.getByRole('button', { name: 'Log in again' }).click();
  await page.getByLabel('Username').fill(user.username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await expect(page).toHaveURL(/#\/ad-center\/feedback$/);
  await expect(page.getByLabel('Topic')).toHaveValue('Delivery of my plan');
});
