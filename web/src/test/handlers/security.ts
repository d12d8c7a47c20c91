import { http, type RequestHandler } from 'msw';
import { ok, page } from '../answers';
import { ownSessions, securityEntries } from '../fixtures-account';

export const securityHandlers: RequestHandler[] = [
  http.post('*/api/set/password', () => ok({})),
  http.get('*/api/user/sessions', () => ok({ items: ownSessions })),
  http.post('*/api/user/sessions/end', () => ok({})),
  http.get('*/api/user/security/log', () => ok(page(securityEntries))),
];
