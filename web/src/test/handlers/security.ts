import { http, type RequestHandler } from 'msw';
import { ok, page } from '../answers';
import { at, property, userInfo } from '../fixtures';
import { ownSessions, securityEntries } from '../fixtures-account';

export const securityHandlers: RequestHandler[] = [
  http.post('*/api/set/password', () => ok({})),
  http.post('*/api/user/step_up', () => ok({ fresh_until: at(900_000) })),
  http.post('*/api/user/email/code', () => ok({ valid_until: at(900_000) })),
  http.post('*/api/user/email/confirm', () => ok(userInfo())),
  http.post('*/api/user/freeze', () =>
    ok(property({ frozen_at: at(0), withdraw_blocked_by: ['WALLET_FROZEN'] })),
  ),
  http.post('*/api/user/unfreeze', () => ok(property())),
  http.get('*/api/user/sessions', () => ok({ items: ownSessions })),
  http.post('*/api/user/sessions/end', () => ok({})),
  http.get('*/api/user/security/log', () => ok(page(securityEntries))),
];
