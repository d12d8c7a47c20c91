import { defineConfig, mergeConfig } from 'vitest/config';
import vite from './vite.config.ts';

export default mergeConfig(
  vite,
  defineConfig({
    // A test compares the kinds of events with the gateway's.
    server: { fs: { allow: ['..'] } },
    test: {
      environment: 'happy-dom',
      // A phone, as most users have. Tests of the desk widen the window.
      environmentOptions: { happyDOM: { width: 390, height: 844 } },
      // A page per file would take longer than the tests. `setup.ts` resets it after each test.
      isolate: false,
      // Longer than any wait inside a test, whose message is clearer.
      testTimeout: 30_000,
      include: ['src/**/*.test.{ts,tsx}', 'worker/*.test.ts'],
      // No styles in tests, except for stylesheets that tests read as text.
      css: { include: /\?raw$/ },
      setupFiles: ['src/test/setup.ts'],
      env: { TZ: 'UTC', DEBUG_PRINT_LIMIT: '0' },
      restoreMocks: true,
    },
  }),
);
