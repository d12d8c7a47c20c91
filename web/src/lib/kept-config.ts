import type { BasicConfig } from './api/types';
import { readObject, write } from './storage';

/** The part of the configuration that the browser keeps. Excludes what is large or must not be used when stale. */
export type KeptConfig = Omit<BasicConfig, 'withdraw_method_config' | 'deposit_methods' | 'faq_config'>;

const STORAGE_KEY = 'adfolio.basic_config';

export function keptConfig(): KeptConfig | null {
  const kept = readObject(STORAGE_KEY) as KeptConfig | null;
  // A copy from an older version may lack fields.
  const whole = Array.isArray(kept?.client_language_map) && Array.isArray(kept.customer_service_url);
  return whole ? kept : null;
}

export function keepConfig(config: BasicConfig): void {
  const { withdraw_method_config, deposit_methods, faq_config, ...kept } = config;
  write(STORAGE_KEY, kept);
}
