import { existsSync } from 'node:fs';
import { defineConfig, devices } from '@playwright/test';

// The browser of the system where there is one; else the one that `playwright install chromium` fetched.
const chromium = process.env.ADFOLIO_CHROMIUM ?? '/usr/bin/chromium';

// See playwright.fixture.config.ts.
const WITHOUT_STACK = /(matrix|accessibility|gallery)\.spec/;

/**
 * A window's address bar runs some 280 scripts of its own, which takes a third of a test's time. To name features replaces the
 * list that Playwright itself switches off, which is therefore repeated as far as it concerns this browser.
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
  // A whole stack runs beside the browsers.
  workers: 2,
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  forbidOnly: true,
  use: {
    baseURL: process.env.ADFOLIO_URL ?? 'http://127.0.0.1:8080',
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    // A trace costs a fifth of the time: `--trace retain-on-failure` where the page that a failure leaves behind does not tell enough.
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(existsSync(chromium) ? { executablePath: chromium } : {}),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        `--disable-features=${WITHOUT_FEATURES.join(',')}`,
      ],
    },
  },
  projects: [
    { name: 'phone', use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } },
    {
      name: 'desktop',
      use: { ...devices['Desktop Chrome'], viewport: { width: 1440, height: 900 } },
      // The flows do not depend on the screen and run once, on a phone.
      testMatch: /shell\.spec/,
    },
  ],
});
