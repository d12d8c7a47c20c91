import { defineConfig, mergeConfig } from 'vitest/config';
import vite from './vite.config.ts';

export default mergeConfig(
  vite,
  defineConfig({
    test: {
      environment: 'happy-dom',
      // A page of its own for each file would cost more than the tests; `setup.ts` puts away what a test leaves.
      isolate: false,
      // Longer than the longest wait inside a test, which says better what did not come.
      testTimeout: 30_000,
      include: ['src/**/*.test.{ts,tsx}'],
      // Nothing has a look here; what tests read of a stylesheet is its text.
      css: { include: /\?raw$/ },
      setupFiles: ['src/test/setup.ts'],
      env: { TZ: 'UTC', DEBUG_PRINT_LIMIT: '0' },
      restoreMocks: true,
    },
  }),
);
