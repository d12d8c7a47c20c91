import { useState } from 'react';
import { ApiError } from '@/lib/api/error';

/**
 * A new idempotency key of 128 random bits. Uses `getRandomValues`, because `crypto.randomUUID` is missing on plain
 * http.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/**
 * The idempotency key of one intention. It stays the same until the server has certainly executed or refused the call,
 * so that a retry after a lost answer repeats the call instead of making a second one.
 */
export class IntentionKey {
  #content = '';
  #key = newIdempotencyKey();

  /** The key for this content. Other content is another intention. */
  for(content: unknown = ''): string {
    const text = JSON.stringify(content);
    if (text !== this.#content) this.renew(text);
    return this.#key;
  }

  /** Reports the outcome; null means success. */
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
