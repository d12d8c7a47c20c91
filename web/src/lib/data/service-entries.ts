import { useQuery } from '@tanstack/react-query';
import type { ServiceEntry } from '@/lib/api/types';
import { useSession } from '@/lib/session/store';
import { useBasicConfig } from './basic-config';
import { userInfoQuery } from './user-info';

export type ServiceVariant = 'normal' | 'recharge';

/** In-app page, as the server marks it; every other type is a page outside. */
export const IN_APP = 1;

type Contacts = Record<'customer_service_url' | 'recharge_customer_service_url', ServiceEntry[]>;

/** The contacts of a user, who may have his own, else those of the platform. Undefined until either is known. */
export function useServiceEntries(variant: ServiceVariant): ServiceEntry[] | undefined {
  const contacts = useContacts();
  return variant === 'recharge' ? contacts?.recharge_customer_service_url : contacts?.customer_service_url;
}

/** All of them: the pages that may be shown inside the app. */
export function useAllServiceEntries(): ServiceEntry[] | undefined {
  const contacts = useContacts();
  return contacts && [...contacts.customer_service_url, ...contacts.recharge_customer_service_url];
}

function useContacts(): Contacts | undefined {
  const { token } = useSession();
  const { data } = useQuery({ ...userInfoQuery, enabled: token !== null });
  const config = useBasicConfig();
  return data ?? config;
}
