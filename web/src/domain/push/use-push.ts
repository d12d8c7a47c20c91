import { queryOptions, skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { sharedKeys } from '@/domain/keys';
import { userInfoQuery } from '@/domain/user-info';
import { errorText } from '@/i18n/error-text';
import { get } from '@/lib/api/call';
import { ApiError } from '@/lib/api/error';
import { toast } from '@/ui/toast';
import { canPush } from './device';
import { type PushState, pushState, turnOff, turnOn } from './push';

const keyQuery = queryOptions({
  queryKey: sharedKeys.pushKey,
  queryFn: async ({ signal }) => (await get('/push/key', undefined, { signal })).public_key,
  // It changes once in years, and each start of the app asks anew.
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

type Push = {
  /** Null where there are no messages: in this browser, or on this server. Undefined until it is known. */
  state: PushState | null | undefined;
  isChanging: boolean;
  turn: (on: boolean) => void;
};

/** Messages on this device, and their switch. Looks again when the user comes back from the browser's settings. */
export function usePush({ isWanted = true } = {}): Push {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const isAble = isWanted && canPush();
  const userId = useQuery(userInfoQuery).data?.id;
  const key = useQuery({ ...keyQuery, enabled: isAble });
  const queryKey = sharedKeys.pushState(userId ?? '');
  const query = useQuery({
    queryKey,
    queryFn: userId ? () => pushState(userId) : skipToken,
    enabled: isAble && Boolean(key.data),
    staleTime: 0,
    retry: false,
  });
  const mutation = useMutation({
    mutationFn: (on: boolean) => (on && userId && key.data ? turnOn(userId, key.data) : turnOff()),
    meta: { inline: true },
    onSuccess: (state, on) => {
      queryClient.setQueryData(queryKey, state);
      if (on && state === 'on') toast(t('push.is_on'));
      if (on && state === 'denied') toast(t('push.is_denied'), 'fail');
    },
    onError: (error) => toast(error instanceof ApiError ? errorText(error) : t('push.failed'), 'fail'),
  });
  const isNone = !isAble || key.data === null || key.isError || query.isError;
  return {
    state: isNone ? null : query.data,
    isChanging: mutation.isPending,
    turn: (on) => mutation.mutate(on),
  };
}
