import { existsSync } from 'node:fs';
import { defineConfig, devices } from '@playwright/test';

/** What starts a browser of the system if it is there, else the one that `playwright install chromium` fetched. */
const startedFrom = (path: string) => (existsSync(path) ? { executablePath: path } : {});

/** The whole browser, which can install apps and show messages. */
export const chromium = startedFrom(process.env.ADFOLIO_CHROMIUM ?? '/usr/bin/chromium');

/**
 * The same engine without windows of its own, which cost a quarter of a test's processor time. Playwright's own browser
 * is like this, too. Where the system has none, the whole browser serves.
 */
const shell = startedFrom(process.env.ADFOLIO_CHROMIUM_SHELL ?? '/usr/bin/chromium-headless-shell');

// See playwright.fixture.config.ts.
const WITHOUT_STACK = /(matrix|accessibility|gallery|first-load|installed|push|desk)\.spec/;

/** The staff console, which is worked in at a desk. */
const CONSOLE = /console[-\w]*\.spec/;
/** The same where acts above an amount take two people: these need a stack with the usual limits. */
const FOUR_EYES = /(four-eyes|staff-day)\.spec/;
/** Staff who must have a second factor, as in production. */
const SECOND_FACTOR = /second-factor\.spec/;

/**
 * The whole browser's address bar runs some 280 scripts per window. Naming features replaces Playwright's own list, so
 * the relevant part of it is repeated here.
 */
const WITHOUT_FEATURES = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results/stack',
  testIgnore: WITHOUT_STACK,
  fullyParallel: true,
  // The stack needs the rest of the processors.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  forbidOnly: true,
  use: {
    baseURL: process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    // Between a test and the network only where a test is about it.
    serviceWorkers: 'block',
    // Traces cost a fifth of the time. Use `--trace retain-on-failure` where the screenshot does not tell enough.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...chromium,
      ...shell,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        `--disable-features=${WITHOUT_FEATURES.join(',')}`,
      ],
    },
  },
  projects: [
    {
      name: 'console',
      testMatch: CONSOLE,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
    },
    {
      name: 'four-eyes',
      testMatch: FOUR_EYES,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
    },
    {
      name: 'second-factor',
      testMatch: SECOND_FACTOR,
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
    },
    {
      name: 'phone',
      testIgnore: [WITHOUT_STACK, CONSOLE, FOUR_EYES, SECOND_FACTOR],
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
    {
      name: 'desktop',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
      // The flows do not depend on the screen size and run once, on a phone.
      testMatch: /shell\.spec/,
    },
  ],
});
