import { HttpResponse, http, type RequestHandler } from 'msw';
import { ok } from '../answers';
import { basicConfig } from '../fixtures-platform';

/** Handlers that several features need. */
export const platformHandlers: RequestHandler[] = [
  http.get('*/api/basic_config', () => ok(basicConfig())),
  // A stream without events.
  http.get('*/api/stream', () =>
    HttpResponse.text('retry: 3000\n\n', { headers: { 'Content-Type': 'text/event-stream' } }),
  ),
  http.post('*/api/check/password', () => ok({})),
];
