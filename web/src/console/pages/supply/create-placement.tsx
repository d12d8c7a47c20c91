import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { z } from 'zod';
import { Button } from '@/ui/button';
import { ErrorState, SkeletonCards } from '@/ui/states';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, ReasonInput } from '../../act/inputs';
import { consoleKeys } from '../../api/keys';
import { Dialog, DialogActions } from '../../ui/dialog';
import { PlacementFields, placementBody, placementShape, wordsOf } from './placement-values';
import { useNetworks } from './use-networks';

const schema = z.object({ network_id: z.string().min(1), ...placementShape });

type Props = {
  /** The network whose placements are shown, if it is one. */
  networkId: string | null;
  onClose: () => void;
};

export function CreatePlacement({ networkId, onClose }: Props) {
  const { t } = useTranslation('console');
  const networks = useNetworks();
  if (networks.data && networks.data.length > 0)
    return <Form networks={networks.data} networkId={networkId} onClose={onClose} />;
  return (
    <Dialog title={t('supply.placement.create_title')} onClose={onClose}>
      {networks.isPending ? (
        <SkeletonCards count={1} />
      ) : networks.isError ? (
        <ErrorState error={networks.error} onRetry={() => void networks.refetch()} />
      ) : (
        <p>
          {t('supply.placement.no_networks')} <Link to="/networks">{t('supply.placement.see_networks')}</Link>
        </p>
      )}
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          {t('act.close')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

type FormProps = Props & { networks: readonly { id: string; name: string }[] };

function Form({ networks, networkId, onClose }: FormProps) {
  const { t } = useTranslation('console');
  const chosen = networks.find(({ id }) => id === networkId) ?? networks[0];
  const nameOf = (id: string) => networks.find((network) => network.id === id)?.name ?? id;
  const initial: z.infer<typeof schema> = {
    network_id: chosen?.id ?? '',
    name: '',
    format: '',
    countries: '',
    systems: '',
    reason: '',
  };
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/placement/create',
        title: t('supply.placement.create_title'),
        submit: t('supply.placement.create'),
        schema,
        initial,
        fields: (
          <>
            <ChoiceInput
              name="network_id"
              label={t('supply.placement.network')}
              options={networks.map(({ id, name }) => ({ value: id, label: name }))}
            />
            <PlacementFields />
            <ReasonInput optional />
          </>
        ),
        changes: ({ network_id, name, format, countries, systems }) => [
          { what: t('supply.placement.network'), before: null, after: nameOf(network_id) },
          { what: t('supply.placement.name'), before: null, after: name },
          { what: t('supply.placement.format'), before: null, after: format },
          {
            what: t('supply.placement.countries'),
            before: null,
            after: wordsOf(countries.toUpperCase()).join(', ') || t('supply.placement.everywhere'),
          },
          {
            what: t('supply.placement.systems'),
            before: null,
            after: wordsOf(systems).join(', ') || t('supply.placement.all_systems'),
          },
        ],
        body: ({ network_id, ...values }) => ({ network_id, ...placementBody(values) }),
        done: ({ name }) => ({ text: t('supply.placement.created_done', { name }) }),
        touches: [consoleKeys.list('/admin/placement/list')],
      }}
    />
  );
}
