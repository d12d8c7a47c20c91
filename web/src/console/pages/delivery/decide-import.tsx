import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Count } from '../../ui/count';
import { type DeliveryImport, FineAmount } from './decisions';
import { ImportContents } from './import-details';
import { isLimit } from './notable';

type Props = { row: DeliveryImport; decision: 'released' | 'rejected'; onClose: () => void };

/** Takes the rows of a proposed file, or none of them. */
export function DecideImport({ row, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const { list } = useFormats();
  const { source, totals } = row;
  const releases = decision === 'released';
  const limits = [...new Set(row.notable.map(({ rule }) => rule).filter(isLimit))];
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/delivery/import/decide',
        item: { kind: 'import', id: row.import_id },
        title: t(releases ? 'delivery.release_title' : 'delivery.reject_title', { source }),
        submit: t(releases ? 'delivery.release' : 'delivery.reject'),
        ...(releases ? {} : { tone: 'danger' as const }),
        wide: true,
        intro: (
          <div className={stack.gap4}>
            <ImportContents row={row} />
            {releases && limits.length > 0 ? (
              <p>{t('delivery.name_limits', { rules: list(limits) })}</p>
            ) : null}
          </div>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('delivery.state'),
            before: t('delivery.states.proposed'),
            after: t(`delivery.states.${decision}`),
          },
          {
            what: t(releases ? 'delivery.rows_decided' : 'delivery.rows_dropped'),
            before: null,
            after: <Count value={row.read} />,
          },
          ...(releases
            ? [
                { what: t('delivery.spend'), before: null, after: <FineAmount value={totals.spend} /> },
                { what: t('delivery.revenue'), before: null, after: <FineAmount value={totals.revenue} /> },
              ]
            : []),
        ],
        body: ({ reason }) => ({ import_id: row.import_id, decision, reason }),
        done: () => ({
          text: t(releases ? 'delivery.release_done' : 'delivery.reject_done', { source }),
          ...(releases ? { links: [{ label: t('delivery.see_plans'), to: '/plans' }] } : {}),
        }),
        touches: [
          consoleKeys.list('/admin/delivery/imports'),
          consoleKeys.list('/admin/delivery/quarantine/list'),
          consoleKeys.list('/admin/plan/list'),
          consoleKeys.one('/admin/plan/detail'),
        ],
      }}
    />
  );
}
