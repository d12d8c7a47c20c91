import type { components } from '@/lib/api/schema';

export type Source = components['schemas']['ReportSource'];
export type SourceKey = components['schemas']['ReportSourceKey'];
export type Channel = Source['channels'][number];

export const CHANNELS = ['file', 'network'] as const satisfies readonly Channel[];

/** What the server takes as the name of a source. */
export const SOURCE_NAME = /^[a-z0-9_-]{1,64}$/;

const SHORT_KID = 10;

export function isValid(key: SourceKey): boolean {
  return key.revoked_at === null;
}

/** Enough of a key's id to tell it from the others of its source. */
export function shortKid(kid: string): string {
  return `${kid.slice(0, SHORT_KID)}…`;
}
