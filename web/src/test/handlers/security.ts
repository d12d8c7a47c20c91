import { http, type RequestHandler } from 'msw';
import { ok } from '../answers';

export const securityHandlers: RequestHandler[] = [http.post('*/api/set/password', () => ok({}))];
