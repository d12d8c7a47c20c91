import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { useStore } from '@/lib/use-store';
import { Button } from '@/ui/button';
import { ErrorState, Skeleton } from '@/ui/states';
import { staffGet } from '../../api/call';
import { consoleKeys } from '../../api/keys';
import { canUsePasskeys } from '../../session/passkey';
import { staffSession, updateStaff } from '../../session/store';
import { useStaff } from '../../session/use-staff';
import { Moment } from '../../ui/moment';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { AddPasskey } from './add-passkey';
import { RemovePasskey } from './remove-passkey';

type Passkey = components['schemas']['Passkey'];

/** The passkeys of the member whose session this is, and the way to another one. */
export function PasskeysPanel() {
  const { t } = useTranslation('console');
  const mustSetUpFactor = useStore(staffSession, (state) => state.mustSetUpFactor);
  return (
    <Panel title={t('own_security.passkeys.title')}>
      <p>{t('own_security.passkeys.intro')}</p>
      {/* The server lists nothing before a second factor is there. */}
      {mustSetUpFactor ? null : <OwnPasskeys />}
      {canUsePasskeys() ? <AddPasskey /> : <p>{t('own_security.passkeys.unusable')}</p>}
    </Panel>
  );
}

function OwnPasskeys() {
  const { t } = useTranslation('console');
  const { data, error, refetch } = useQuery({
    queryKey: consoleKeys.one('/admin/passkeys'),
    queryFn: ({ signal }) => staffGet('/admin/passkeys', undefined, { signal }),
    select: ({ items }) => items,
  });
  const { has_totp: hasApp, passkeys } = useStaff();
  const count = data?.length ?? passkeys;
  // One removed here or elsewhere changes what the console asks for before an act.
  useEffect(() => {
    if (count !== passkeys) updateStaff({ passkeys: count, has_second_factor: hasApp || count > 0 });
  }, [count, passkeys, hasApp]);
  const [leaving, setLeaving] = useState<Passkey | null>(null);
  if (!data) return error ? <ErrorState error={error} onRetry={refetch} /> : <Skeleton />;
  if (data.length === 0) return <p>{t('own_security.passkeys.none')}</p>;
  const isLast = count === 1 && !hasApp;
  return (
    <>
      <PlainTable
        label={t('own_security.passkeys.list')}
        rows={data}
        rowKey={({ passkey_id }) => passkey_id}
        columns={[
          { id: 'name', header: t('own_security.passkeys.name'), cell: ({ name }) => name },
          {
            id: 'added',
            header: t('own_security.passkeys.added'),
            cell: ({ created_at }) => <Moment at={created_at} />,
          },
          {
            id: 'used',
            header: t('own_security.passkeys.used'),
            cell: ({ last_used_at }) =>
              last_used_at ? <Moment at={last_used_at} /> : t('own_security.passkeys.never'),
          },
          {
            id: 'acts',
            header: t('own_security.passkeys.acts'),
            cell: (passkey) =>
              isLast ? null : (
                <Button
                  tone="quiet"
                  aria-label={t('own_security.passkeys.remove_named', { name: passkey.name })}
                  onClick={() => setLeaving(passkey)}
                >
                  {t('own_security.passkeys.remove')}
                </Button>
              ),
          },
        ]}
      />
      {isLast ? <p>{t('own_security.passkeys.last')}</p> : null}
      {leaving ? <RemovePasskey passkey={leaving} count={count} onClose={() => setLeaving(null)} /> : null}
    </>
  );
}
