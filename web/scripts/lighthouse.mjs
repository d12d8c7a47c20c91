// Audits the app at ADFOLIO_URL with Lighthouse as a phone: the login as a visitor, the main pages as the demo user.
// Prints four scores per page and exits with 1 if one is too low. Options: --runs N (3; the median counts), --page NAME
// (one page), --folder PATH (keeps the reports), --slowdown N (replaces the calibrated CPU slowdown).
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import lighthouse from 'lighthouse';
import { pageFunctions } from 'lighthouse/core/lib/page-functions.js';
import { launch } from 'puppeteer-core';

const FLOORS = { performance: 95, accessibility: 100, 'best-practices': 100, seo: 100 };
const PAGES = {
  login: { path: '/login', visitor: true },
  'ad-center': { path: '/ad-center' },
  plan: { path: '/plan' },
  wallet: { path: '/wallet' },
};

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '3' },
    page: { type: 'string' },
    folder: { type: 'string' },
    slowdown: { type: 'string' },
  },
});
const runs = Number(options.runs);
const origin = process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080';
const chromium = process.env.ADFOLIO_CHROMIUM ?? '/usr/bin/chromium';
const names = Object.keys(PAGES).filter((name) => !options.page || name === options.page);

if (!existsSync(chromium)) fail(`no Chromium at ${chromium}: set ADFOLIO_CHROMIUM`);
if (!(runs >= 1) || names.length === 0) fail('wrong --runs or --page');
if (options.folder) mkdirSync(options.folder, { recursive: true });

function fail(message) {
  console.error(message);
  process.exit(2);
}

async function demoToken() {
  const response = await fetch(`${origin}/api/auth/v2/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'demo', password: 'adfolio-demo-1' }),
  });
  const { code, msg, data } = await response.json();
  if (code !== 200) fail(`the demo user cannot log in: ${msg}`);
  return data.token;
}

/** Runs one audit in a fresh browser. */
async function audit({ path, visitor }, token) {
  const browser = await launch({
    executablePath: chromium,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      // The address bar, invisible here, would run hundreds of scripts beside the page.
      '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup',
    ],
  });
  try {
    const page = await browser.newPage();
    if (!visitor) await logIn(page, token);
    const cpuSlowdownMultiplier = Number(options.slowdown) || slowdownOf(await benchmarkIndex(page));
    // The storage holds the session. `logIn` clears the HTTP cache.
    const flags = {
      disableStorageReset: true,
      output: 'html',
      onlyCategories: Object.keys(FLOORS),
      throttling: { cpuSlowdownMultiplier },
    };
    return await lighthouse(`${origin}/#${path}`, flags, undefined, page);
  } finally {
    await browser.close();
  }
}

async function benchmarkIndex(page) {
  await page.goto('about:blank');
  return page.evaluate(pageFunctions.computeBenchmarkIndex);
}

/**
 * The CPU slowdown that makes this machine Lighthouse's phone. Its preset of 4 suits a desktop with a benchmark index
 * of 1533 and is too much for a slower one. The steps are those of Lighthouse's CPU throttling calculator.
 */
function slowdownOf(index) {
  if (index >= 1300) return Math.min(4, 3 + (index - 1300) / 233);
  return index >= 800 ? 2 + (index - 800) / 500 : Math.max(1, 1 + (index - 150) / 650);
}

async function logIn(page, token) {
  await page.goto(`${origin}/robots.txt`);
  await page.evaluate((value) => {
    localStorage.setItem('adfolio.token', value);
    localStorage.setItem('adfolio.entry', 'register');
  }, token);
  const devtools = await page.createCDPSession();
  await devtools.send('Network.clearBrowserCache');
  await devtools.detach();
}

function median(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)];
}

/** The audits that cost points in a run. */
function shortcomings({ lhr }) {
  return Object.keys(FLOORS).flatMap((category) =>
    lhr.categories[category].auditRefs
      .filter(({ id, weight }) => weight > 0 && lhr.audits[id].score !== null && lhr.audits[id].score < 0.9)
      .map(({ id }) => `    ${category}: ${lhr.audits[id].title} ${lhr.audits[id].displayValue ?? ''}`),
  );
}

async function auditPage(name, token) {
  const results = [];
  for (let run = 1; run <= runs; run += 1) results.push(await audit(PAGES[name], token));
  const scores = Object.keys(FLOORS).map((category) => [
    category,
    median(results.map(({ lhr }) => Math.round(lhr.categories[category].score * 100))),
  ]);
  const last = results.at(-1);
  if (options.folder) writeFileSync(resolve(options.folder, `${name}.html`), last.report);
  const low = scores.filter(([category, score]) => score < FLOORS[category]);
  const slowdown = median(results.map(({ lhr }) => lhr.configSettings.throttling.cpuSlowdownMultiplier));
  const shown = scores.map(([category, score]) => `${category} ${score}`).join('  ');
  console.log(`${name.padEnd(10)} ${shown}  (slowdown ${slowdown.toFixed(1)})`);
  if (low.length > 0) console.log([...new Set(results.flatMap(shortcomings))].join('\n'));
  return low.length === 0;
}

const token = await demoToken();
let good = true;
for (const name of names) good = (await auditPage(name, token)) && good;
process.exit(good ? 0 : 1);
