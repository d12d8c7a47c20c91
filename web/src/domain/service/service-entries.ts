import { useQuery } from '@tanstack/react-query';
import type { ServiceEntry } from '@/lib/api/types';
import { useSession } from '@/lib/session/use-session';
import { useBasicConfig } from '../basic-config';
import { userInfoQuery } from '../user-info';

export type ServiceVariant = 'normal' | 'recharge';

/** The server's mark for in-app pages. All other types open outside. */
export const IN_APP = 1;

/** The user's own contacts if any, else the platform's. Undefined until either is known. */
export function useServiceEntries(variant: ServiceVariant): ServiceEntry[] | undefined {
  const { user, config } = useSources();
  const source = user.data ?? config.data;
  return variant === 'recharge' ? source?.recharge_customer_service_url : source?.customer_service_url;
}

/** All known contacts of the user and the platform. Only these may open inside the app. */
export function useServiceContacts() {
  const { user, config } = useSources();
  const entries: ServiceEntry[] = [user.data, config.data].flatMap((source) =>
    source ? [...source.customer_service_url, ...source.recharge_customer_service_url] : [],
  );
  return {
    entries,
    /** Whether there is an answer, or a copy of it, from both sources. */
    isKnown: [user, config].every(({ data, error }) => data !== undefined || error !== null),
    isFetching: user.isFetching || config.isFetching,
    error: user.error ?? config.error,
    retry: () => {
      void user.refetch();
      void config.refetch();
    },
  };
}

function useSources() {
  const { token } = useSession();
  const user = useQuery({ ...userInfoQuery, enabled: token !== null });
  const config = useBasicConfig();
  return { user, config };
}
