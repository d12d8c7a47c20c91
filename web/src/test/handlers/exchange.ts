import type { RequestHandler } from 'msw';

export const exchangeHandlers: RequestHandler[] = [];
