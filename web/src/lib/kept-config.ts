import type { BasicConfig } from './api/types';
import { readObject, write } from './storage';

/** What is kept of it in the browser: the parts that are large, or that must not be acted on when old, are not. */
export type KeptConfig = Omit<BasicConfig, 'withdraw_method_config' | 'faq_config'>;

const STORAGE_KEY = 'adfolio.basic_config';

export function keptConfig(): KeptConfig | null {
  const kept = readObject(STORAGE_KEY) as KeptConfig | null;
  // A copy of an older version may lack what is read of it.
  const whole = Array.isArray(kept?.client_language_map) && Array.isArray(kept.customer_service_url);
  return whole ? kept : null;
}

export function keepConfig(config: BasicConfig): void {
  const { withdraw_method_config, faq_config, ...kept } = config;
  write(STORAGE_KEY, kept);
}
