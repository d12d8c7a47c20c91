import { defineConfig } from '@playwright/test';
import main, { chromium } from './playwright.config';

const launchOptions = {
  ...main.use?.launchOptions,
  // No request leaves this machine, not even for contact pages.
  args: [
    ...(main.use?.launchOptions?.args ?? []),
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ],
};

/** Tests of the built app with calls answered by the fixtures. Needs `npm run build`, but no server. */
export default defineConfig({
  ...main,
  testIgnore: [],
  globalSetup: './e2e/support/build-fixtures.ts',
  // A folder of its own, so that it can run in parallel with the tests of a whole stack.
  outputDir: 'test-results/built',
  fullyParallel: true,
  // Pages sometimes wait for frames.
  workers: 3,
  // In `make test` the browsers get what the Rust tests beside them leave.
  timeout: 1_200_000,
  tsconfig: './tsconfig.node.json',
  use: {
    ...main.use,
    // No animations during measurements.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions,
    actionTimeout: 30_000,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  },
  // The longest first.
  projects: [
    { name: 'accessibility', testMatch: /accessibility\.spec/ },
    {
      name: 'accessibility-desktop',
      testMatch: /accessibility\.spec/,
      use: { viewport: { width: 1440, height: 900 }, hasTouch: false, isMobile: false },
    },
    { name: 'matrix', testMatch: /matrix\.spec/ },
    {
      name: 'desk',
      testMatch: /desk\.spec/,
      use: { viewport: { width: 1440, height: 900 }, hasTouch: false, isMobile: false },
    },
    {
      name: 'built',
      testMatch: /(first-load|installed|push)\.spec/,
      use: { launchOptions: { ...launchOptions, ...chromium } },
    },
    { name: 'gallery', testMatch: /gallery\.spec/ },
  ],
});
