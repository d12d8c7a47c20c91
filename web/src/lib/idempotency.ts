import { useState } from 'react';
import { ApiError } from '@/lib/api/error';

/**
 * A new idempotency key, 128 random bits. `crypto.randomUUID` is missing on plain http, `getRandomValues` is not.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The key of one intention. It stays the same until the server has certainly done or refused what was asked: after a
 * lost answer the next try is the same call again, not a second one.
 */
export class IntentionKey {
  #content = '';
  #key = newIdempotencyKey();

  /** The key for this content; other content is another intention. */
  for(content: unknown = ''): string {
    const text = JSON.stringify(content);
    if (text !== this.#content) this.renew(text);
    return this.#key;
  }

  /** To be called with the outcome: null for a success. */
  settle(error: unknown): void {
    if (error === null || (error instanceof ApiError && error.refused)) this.renew();
  }

  renew(content = this.#content): void {
    this.#content = content;
    this.#key = newIdempotencyKey();
  }
}

export function useIntentionKey(): IntentionKey {
  return useState(() => new IntentionKey())[0];
}
