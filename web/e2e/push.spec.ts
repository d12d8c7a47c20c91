import { type CDPSession, expect, type Page, test, type Worker } from '@playwright/test';
import { EdgeServer } from './support/edge-server';

/** The page waits some seconds before it looks after its worker; a busy machine takes longer. */
const TAKING_OVER_MS = 60_000;

test.use({ serviceWorkers: 'allow', locale: 'en-GB' });

/** No push service can be reached from here, so the browser's subscription is one of the test's own. */
const STUB = `
  let subscription = null;
  PushManager.prototype.getSubscription = async () => subscription;
  PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    subscription = {
      endpoint: 'https://push.example/1',
      options: { applicationServerKey: applicationServerKey.buffer },
      toJSON: () => ({ endpoint: 'https://push.example/1', keys: { p256dh: 'public', auth: 'secret' } }),
      unsubscribe: async () => { subscription = null; return true; },
    };
    return subscription;
  };
`;

const MESSAGE = {
  id: '01999999-0000-7000-8000-000000000001',
  title: 'Plan started',
  body: 'Merge Harbor is being delivered.',
  kind: 'plan',
  target: { kind: 'plan', id: 'plan-1' },
  time: '2026-11-20T14:25:00Z',
};

type Opened = { page: Page; origin: string; worker: Worker; deliver: (message: object) => Promise<void> };

/** Opens the app as a user whose browser allows notifications, and waits for its worker. */
async function open(page: Page, path: string): Promise<Opened> {
  const { origin } = await EdgeServer.start();
  const context = page.context();
  await context.grantPermissions(['notifications'], { origin });
  await page.addInitScript(() => {
    localStorage.setItem('adfolio.token', 'token-1');
    localStorage.setItem('adfolio.entry', 'register');
  });
  await page.addInitScript(STUB);
  const devtools = await context.newCDPSession(page);
  const registered = registrationOf(devtools, origin);
  await page.goto(`${origin}/#${path}`);
  const registrationId = await registered;
  await expect
    .poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), { timeout: TAKING_OVER_MS })
    .toBe(true);
  const [worker] = context.serviceWorkers();
  if (!worker) throw new Error('no worker');
  const countDisplayed = await displaysOf(devtools);
  const deliver = async (message: object) => {
    const data = JSON.stringify(message);
    const before = countDisplayed();
    await devtools.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data });
    // Chromium loses a notification if a page lists them while this one is being displayed.
    await expect.poll(countDisplayed).toBe(before + 1);
  };
  return { page, origin, worker, deliver };
}

async function registrationOf(devtools: CDPSession, origin: string): Promise<string> {
  const found = new Promise<string>((resolve) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(origin));
      if (own) resolve(own.registrationId);
    });
  });
  await devtools.send('ServiceWorker.enable');
  return found;
}

/** Counts the notifications that the browser displays from now on. */
async function displaysOf(devtools: CDPSession): Promise<() => number> {
  let count = 0;
  devtools.on('BackgroundService.backgroundServiceEventReceived', ({ backgroundServiceEvent }) => {
    if (backgroundServiceEvent.eventName === 'Notification displayed') count += 1;
  });
  await devtools.send('BackgroundService.startObserving', { service: 'notifications' });
  await devtools.send('BackgroundService.setRecording', { service: 'notifications', shouldRecord: true });
  return () => count;
}

type Shown = { title: string; body: string; tag: string; icon: string };

async function shown(page: Page): Promise<Shown[]> {
  return page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, tag, icon }) => ({ title, body, tag, icon }));
  });
}

/** A tap on the only notification. Nobody can tap in a browser without a screen, so the worker gets its event. */
async function tap(worker: Worker): Promise<void> {
  await worker.evaluate(async () => {
    const scope = self as unknown as {
      registration: ServiceWorkerRegistration;
      NotificationEvent: new (type: string, init: { notification: Notification }) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    if (!notification) throw new Error('no notification');
    const event = new scope.NotificationEvent('notificationclick', { notification });
    // Only the browser's own events can be waited for by a worker.
    const done: Promise<unknown>[] = [];
    Object.defineProperty(event, 'waitUntil', { value: (step: Promise<unknown>) => done.push(step) });
    self.dispatchEvent(event);
    await Promise.all(done);
  });
}

test('a message is shown once and leads the open window to its plan', async ({ page }) => {
  const { worker, deliver } = await open(page, '/wallet');
  await deliver(MESSAGE);
  expect(await shown(page)).toEqual([
    {
      title: 'Plan started',
      body: 'Merge Harbor is being delivered.',
      tag: MESSAGE.id,
      icon: expect.stringMatching(/\/icons\/icon-192\.png$/),
    },
  ]);
  await deliver({ ...MESSAGE, body: 'The same once more.' });
  expect((await shown(page)).map(({ body }) => body)).toEqual(['The same once more.']);

  // A reload would lose what is being typed.
  await page.evaluate(() => Object.assign(window, { isSame: true }));
  await tap(worker);
  await expect(page).toHaveURL(/#\/plan\/detail\?id=plan-1$/);
  await expect(page.getByRole('heading', { name: 'Plan detail' })).toBeVisible();
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true);
  expect(await shown(page)).toEqual([]);
});

test('a message about security leads to the security page', async ({ page }) => {
  const { worker, deliver } = await open(page, '/wallet');
  await deliver({ id: 'push-2', title: 'New login', body: 'Was it you?', kind: 'security' });
  expect(await shown(page)).toHaveLength(1);
  await tap(worker);
  await expect(page).toHaveURL(/#\/ad-center\/security$/);
});

test('messages are offered after the first of their kind, and Account has their switch', async ({ page }) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/push/')) calls.push(request.url().replace(/.*\/push\//, ''));
  });
  await open(page, '/notification');
  const offer = page.getByRole('region', { name: 'Tell me on this device' });
  await offer.getByRole('button', { name: 'Turn on' }).click();
  await expect(offer).toHaveCount(0);
  await page.goto(`${new URL(page.url()).origin}/#/account`);
  const control = page.getByRole('switch', { name: 'Messages on this device' });
  await expect(control).toBeChecked();
  await control.click();
  await expect(control).not.toBeChecked();
  expect(calls).toEqual(['key', 'subscribe', 'unsubscribe']);
});
