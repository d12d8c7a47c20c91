import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { completeTexts, startTranslations } from '@/i18n';
import { dropDrafts } from '@/lib/drafts';
import { endSession } from '@/lib/session/store';
import { server } from './server';

// A wait ends when its condition holds; the bound only decides when a test gives up, also on a machine that is busy.
configure({ asyncUtilTimeout: 10_000 });

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startTranslations();
  await completeTexts();
});

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
  endSession(true);
  dropDrafts();
  localStorage.clear();
});

afterAll(() => server.close());
