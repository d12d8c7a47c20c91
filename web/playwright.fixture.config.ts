import { defineConfig } from '@playwright/test';
import main from './playwright.config';

/** What the built app shows, with its calls answered by the fixtures of its tests: needs `npm run build`, no server. */
export default defineConfig({
  ...main,
  testIgnore: [],
  globalSetup: './e2e/support/build-fixtures.ts',
  // Its own, so that it can run beside the tests of a whole stack.
  outputDir: 'test-results/built',
  fullyParallel: true,
  // A page waits for its frames now and then; nothing else runs beside the browsers.
  workers: 3,
  timeout: 600_000,
  tsconfig: './tsconfig.node.json',
  use: {
    ...main.use,
    // Nothing moves while it is measured.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...main.use?.launchOptions,
      // Nothing leaves this machine, not even for the pages of contacts.
      args: [
        ...(main.use?.launchOptions?.args ?? []),
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    },
    actionTimeout: 10_000,
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  },
  projects: [
    { name: 'matrix', testMatch: /matrix\.spec/ },
    { name: 'accessibility', testMatch: /accessibility\.spec/ },
    {
      name: 'accessibility-desktop',
      testMatch: /accessibility\.spec/,
      use: { viewport: { width: 1440, height: 900 }, hasTouch: false, isMobile: false },
    },
    { name: 'gallery', testMatch: /gallery\.spec/ },
  ],
});
