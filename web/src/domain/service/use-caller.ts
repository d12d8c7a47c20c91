import { useQuery } from '@tanstack/react-query';
import { useSession } from '@/lib/session/use-session';
import { userInfoQuery } from '../user-info';
import type { Caller } from './address';

/** Who writes to customer service, and about what. */
export function useCaller(subject: string): Caller {
  const { lang, token } = useSession();
  const user = useQuery({ ...userInfoQuery, enabled: token !== null }).data;
  return { username: user?.username ?? '', user_id: user?.id ?? '', subject, lang };
}
