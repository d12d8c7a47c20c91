// Measures how the console's table scrolls with 100,000 rows, and when the first page of users is there. Needs a stack
// (ADFOLIO_URL) and prints the figures.
import { chromium } from '@playwright/test';

const url = process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080';
const password = process.env.ADFOLIO_ADMIN_PASSWORD ?? 'adfolio-admin';
const ROWS = 100_000;
const SECONDS = 5;

const browser = await chromium.launch({
  executablePath: process.env.ADFOLIO_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(`${url}/console/`);
await page.getByLabel('Username').fill('admin');
await page.getByLabel('Password', { exact: true }).fill(password);
await page.getByRole('button', { name: 'Log in' }).click();
await page.locator('main h1').waitFor();
await page.getByRole('navigation', { name: 'Pages' }).waitFor();

const first = [];
for (let round = 0; round < 11; round += 1) {
  await page.evaluate(() => {
    location.hash = '#/today';
  });
  // Forgets the list and the code of its page.
  await page.reload();
  await page.getByRole('heading', { name: 'Today' }).waitFor();
  // What waits is counted by then, as it is when somebody reads it and goes on.
  await page.waitForLoadState('networkidle');
  first.push(await page.evaluate(firstRow));
}
console.log(`first page of users: ${median(first).toFixed(0)} ms, median of ${first.length}`);

// The rows of the stack's own first user, numbered.
await page.route('**/api/admin/user/list*', async (route) => {
  const answer = await (await route.fetch()).json();
  const [user] = answer.data.items;
  const items = Array.from({ length: ROWS }, (_, index) => ({
    ...user,
    id: `user-${index}`,
    username: `user ${index}`,
  }));
  await route.fulfill({ json: { ...answer, data: { items, next_cursor: null } } });
});
await page.evaluate(() => {
  location.hash = '#/users?query=all';
});
await page.getByText('user 5', { exact: true }).waitFor();
const frames = await page.evaluate(scrolled, SECONDS);
const slow = frames.filter((ms) => ms > 1000 / 60 + 1).length;
console.log(
  `${ROWS} rows: ${(frames.length / SECONDS).toFixed(1)} frames a second over ${SECONDS} s, ` +
    `median ${median(frames).toFixed(1)} ms, ${slow} of ${frames.length} frames later than 1/60 s`,
);
await browser.close();

/** Runs in the page: milliseconds from the change of address to the first row. */
function firstRow() {
  return new Promise((resolve) => {
    const began = performance.now();
    location.hash = '#/users';
    const look = () => {
      if (document.querySelector('main [data-row-link]')) resolve(performance.now() - began);
      else requestAnimationFrame(look);
    };
    look();
  });
}

/** Runs in the page: scrolls 40 px a frame for so many seconds, and returns the milliseconds between frames. */
function scrolled(seconds) {
  return new Promise((resolve) => {
    const box = document.querySelector('main [role="region"][tabindex]');
    const times = [];
    let last = performance.now();
    const end = last + seconds * 1000;
    const step = (now) => {
      times.push(now - last);
      last = now;
      box.scrollTop += 40;
      if (now < end) requestAnimationFrame(step);
      else resolve(times.slice(1));
    };
    requestAnimationFrame(step);
  });
}

function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}
