import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { ErrorState, Skeleton } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { Destination } from '../../ui/destination';
import { Facts } from '../../ui/facts';

const PATH = '/admin/user/destinations';

/** Where the user's money may go, masked. */
export function UserDestinations({ id }: { id: string }) {
  const { t } = useTranslation('console');
  const found = useQuery({
    queryKey: consoleKeys.one(PATH, id),
    queryFn: ({ signal }) => staffGet(PATH, { user_id: id }, { signal }),
  });
  if (found.isPending) return <Skeleton height="3rem" />;
  if (found.isError) return <ErrorState error={found.error} onRetry={() => void found.refetch()} />;
  const { bank_card: card, wallet_address: address } = found.data;
  return (
    <Facts
      facts={[
        {
          label: t('users.destination.bank_card'),
          value: <Destination destination={card && { kind: 'bank_card', ...card }} />,
        },
        {
          label: t('users.destination.wallet_address'),
          value: <Destination destination={address && { kind: 'wallet_address', ...address }} />,
        },
      ]}
    />
  );
}
