import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import type { components } from '@/lib/api/schema';
import { CopyableCode } from '@/ui/copyable-code';
import { ActDialog } from '../../act/act-dialog';
import { ChoiceInput, REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { optionalText } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Facts } from '../../ui/facts';
import { NetworkKeys } from './network-cells';

const OVERLAPS = ['none', 'hour', 'day', 'week', 'month'] as const;
const SECONDS = { none: 0, hour: 3600, day: 86_400, week: 604_800, month: 2_592_000 } as const;

const schema = z.object({ overlap: z.enum(OVERLAPS), reason: optionalText(REASON_LIMIT) });

const INITIAL: z.infer<typeof schema> = { overlap: 'day', reason: '' };

type Props = { network: components['schemas']['Network']; onClose: () => void };

/** Issues a further key of a network. Its earlier keys end after an overlap, so that it can change over. */
export function IssueKey({ network, onClose }: Props) {
  const { t } = useTranslation('console');
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/network/key',
        title: t('supply.network.issue_key_title'),
        submit: t('supply.network.issue_key_submit'),
        intro: (
          <Facts
            facts={[
              { label: t('supply.placement.network'), value: network.name },
              { label: t('supply.network.keys'), value: <NetworkKeys network={network} /> },
            ]}
          />
        ),
        schema,
        initial: INITIAL,
        fields: (
          <>
            <ChoiceInput
              name="overlap"
              label={t('supply.network.overlap')}
              options={OVERLAPS.map((value) => ({ value, label: t(`supply.network.overlaps.${value}`) }))}
            />
            <ReasonInput optional />
          </>
        ),
        changes: ({ overlap }) => [
          { what: t('supply.network.new_key'), before: null, after: t('supply.network.shown_once') },
          {
            what: t('supply.network.overlap'),
            before: null,
            after: t(`supply.network.overlaps.${overlap}`),
          },
        ],
        body: ({ overlap, reason }) => ({
          network_id: network.id,
          overlap_seconds: SECONDS[overlap],
          ...(reason === '' ? {} : { reason }),
        }),
        done: ({ name, key }) => ({
          text: t('supply.network.key_issued', { name }),
          result: <CopyableCode text={key} label={t('supply.network.copy_key')} />,
        }),
        touches: [consoleKeys.list('/admin/network/list')],
      }}
    />
  );
}
