import '@testing-library/jest-dom/vitest';
import { cleanup } from '@testing-library/react';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { startTranslations } from '@/i18n';
import { endSession } from '@/lib/session/store';
import { server } from './server';

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startTranslations();
});

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
});

afterEach(() => {
  cleanup();
  server.resetHandlers();
  endSession(true);
  localStorage.clear();
});

afterAll(() => server.close());
