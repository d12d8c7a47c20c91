import { useStore } from '@/lib/use-store';
import { type SessionState, sessionStore } from './store';

export function useSession(): SessionState {
  return useStore(sessionStore);
}
