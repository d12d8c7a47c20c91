import type { RequestHandler } from 'msw';

export const walletHandlers: RequestHandler[] = [];
