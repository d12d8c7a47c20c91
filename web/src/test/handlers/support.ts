import type { RequestHandler } from 'msw';

export const supportHandlers: RequestHandler[] = [];
