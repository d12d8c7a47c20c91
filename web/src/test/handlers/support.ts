import { http, type RequestHandler } from 'msw';
import { ok } from '../answers';
import { uploadedFile } from '../fixtures-account';

export const supportHandlers: RequestHandler[] = [
  http.post('*/api/feedback', () => ok({ id: 'feedback-1' })),
  http.post('*/api/files/upload', () => ok(uploadedFile())),
];
