import { HttpResponse, http, type RequestHandler } from 'msw';
import { ok } from '../answers';
import { basicConfig } from '../fixtures-platform';

/** Handlers that several features need. */
export const platformHandlers: RequestHandler[] = [
  http.get('*/api/basic_config', () => ok(basicConfig())),
  http.get('*/api/legal', ({ request }) => {
    const name = new URL(request.url).searchParams.get('name');
    return ok({
      name,
      text: 'Adfolio Ltd, 1 Example Street.\n\n1. These texts are of staff.\n2. They may be long.',
    });
  }),
  // A stream without events.
  http.get('*/api/stream', () =>
    HttpResponse.text('retry: 3000\n\n', { headers: { 'Content-Type': 'text/event-stream' } }),
  ),
  http.get('*/api/push/key', () =>
    ok({
      public_key: 'BLn9b-VR0ca83knDNZ32dCHGyjJp-1riX9ZTN40MqV8K_LpQmLqxC_DoHvqvFXO_nGdAB4W9dogZb_sM-uV4JbY',
    }),
  ),
  http.post('*/api/push/subscribe', () => ok({})),
  http.post('*/api/push/unsubscribe', () => ok({})),
  http.post('*/api/check/password', () => ok({})),
];
