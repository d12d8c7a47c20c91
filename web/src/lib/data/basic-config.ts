import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import type { BasicConfig } from '@/lib/api/types';
import { roots } from '@/lib/query-roots';
import { useSession } from '@/lib/session/store';
import { readObject, write } from '@/lib/storage';

/** What is kept of it in the browser: the parts that are large, or that must not be acted on when old, are not. */
export type KeptConfig = Omit<BasicConfig, 'withdraw_method_config' | 'faq_config'>;

const STORAGE_KEY = 'adfolio.basic_config';

/** What the platform offers, with its texts in one language: another language is another entry of the cache. */
export const basicConfigQuery = (lang: string) =>
  queryOptions({
    queryKey: [roots.basicConfig, lang],
    queryFn: async ({ signal }) => {
      const config = await get('/basic_config', { lang }, { signal });
      keepConfig(config);
      return config;
    },
    staleTime: 60_000,
  });

/**
 * The same in the language of the interface, and at once after a reload: `data` is the browser's copy until the answer
 * is there.
 */
export function useBasicConfig() {
  const { lang } = useSession();
  const { data, error, isFetching, refetch } = useQuery(basicConfigQuery(lang));
  const shown: KeptConfig | undefined = data ?? keptConfig() ?? undefined;
  return { data: shown, error, isFetching, refetch };
}

export function keptConfig(): KeptConfig | null {
  const kept = readObject(STORAGE_KEY) as KeptConfig | null;
  // A copy of an older version may lack what is read of it.
  const whole = Array.isArray(kept?.client_language_map) && Array.isArray(kept.customer_service_url);
  return whole ? kept : null;
}

function keepConfig(config: BasicConfig): void {
  const { withdraw_method_config, faq_config, ...kept } = config;
  write(STORAGE_KEY, kept);
}
