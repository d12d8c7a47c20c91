import type { RequestHandler } from 'msw';

export const adCenterHandlers: RequestHandler[] = [];
