import type { RequestHandler } from 'msw';

export const securityHandlers: RequestHandler[] = [];
