import '@testing-library/jest-dom/vitest';
import { onlineManager } from '@tanstack/react-query';
import { cleanup, configure } from '@testing-library/react';
import i18next from 'i18next';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { blockingMessageStore } from '@/app/messages';
import { loadTexts, startTranslations } from '@/i18n';
import '@/i18n/desk-texts';
import '@/i18n/placing-texts';
import { PARTS } from '@/i18n/parts';
import { stepUpStore } from '@/lib/api/step-up';
import { dropDrafts } from '@/lib/drafts';
import { DEFAULT_LANG, endSession, sessionStore } from '@/lib/session/store';
import { toastStore } from '@/ui/toast';
import { server } from './server';
import { PHONE_PX, resizeWindow } from './window';

// A generous bound for busy machines; a wait ends as soon as its condition holds.
configure({ asyncUtilTimeout: 10_000 });

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startTranslations();
  await loadTexts(PARTS);
});

beforeEach(() => {
  vi.stubGlobal('scrollTo', () => undefined);
});

// All test files of a worker share one page, so each test resets it.
afterEach(async () => {
  cleanup();
  server.resetHandlers();
  endSession();
  sessionStore.set((session) => ({ ...session, lang: DEFAULT_LANG, langChosen: false }));
  await i18next.changeLanguage(DEFAULT_LANG);
  document.documentElement.lang = DEFAULT_LANG;
  blockingMessageStore.set(null);
  toastStore.set(null);
  stepUpStore.get()?.settle(false);
  onlineManager.setOnline(true);
  dropDrafts();
  resizeWindow(PHONE_PX);
  localStorage.clear();
});

afterAll(() => server.close());
