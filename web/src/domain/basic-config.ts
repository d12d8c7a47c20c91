import { queryOptions, useQuery } from '@tanstack/react-query';
import { get } from '@/lib/api/call';
import { type KeptConfig, keepConfig, keptConfig } from '@/lib/kept-config';
import { useSession } from '@/lib/session/use-session';
import { sharedKeys } from './keys';

/** The platform's configuration with texts in one language. Each language has its own cache entry. */
export const basicConfigQuery = (lang: string) =>
  queryOptions({
    queryKey: sharedKeys.basicConfig(lang),
    queryFn: async ({ signal }) => {
      const config = await get('/basic_config', { lang }, { signal });
      keepConfig(config);
      return config;
    },
    staleTime: 60_000,
  });

/** The configuration in the interface language. `data` is the browser's copy until the answer arrives. */
export function useBasicConfig() {
  const { lang } = useSession();
  const { data, error, isFetching, refetch } = useQuery(basicConfigQuery(lang));
  const shown: KeptConfig | undefined = data ?? keptConfig() ?? undefined;
  return { data: shown, error, isFetching, refetch };
}
