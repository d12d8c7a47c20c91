import { http, type RequestHandler } from 'msw';
import { ok } from '../answers';
import { basicConfig } from '../fixtures-platform';

/** What more than one feature asks for. */
export const platformHandlers: RequestHandler[] = [
  http.get('*/api/basic_config', () => ok(basicConfig())),
  http.post('*/api/check/password', () => ok({})),
];
