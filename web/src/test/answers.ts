import { HttpResponse } from 'msw';
import type { ErrorData } from '@/lib/api/error';

export function ok(data: unknown) {
  return HttpResponse.json({ code: 200, msg: 'ok', data });
}

export function refusal(code: number, msg: string, data: ErrorData = {}) {
  return HttpResponse.json({
    code,
    msg,
    data: { reason: null, field: null, rule: null, lang: 'en', retry_after: null, ...data },
  });
}

export const page = <T>(items: T[]) => ({ items, next_cursor: null });
