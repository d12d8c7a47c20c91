import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { useFormats } from '@/i18n/format';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { Count } from '../../ui/count';
import { FineAmount, type QuarantinedReport } from './decisions';
import { fineSum } from './fine-sum';

type Props = {
  reports: readonly QuarantinedReport[];
  decision: 'released' | 'rejected';
  onDone: () => void;
  onClose: () => void;
};

/** One decision for several reports that the gate holds back: for all of them, or none. */
export function DecideReports({ reports, decision, onDone, onClose }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const releases = decision === 'released';
  const count = reports.length;
  const formatted = integer(count);
  const plans = new Set(reports.map((report) => report.plan_number));
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/delivery/quarantine/decide',
        secondPerson: 'same_act',
        title: t(releases ? 'delivery.decisions.release_title' : 'delivery.decisions.reject_title', {
          count,
          formatted,
        }),
        submit: t(releases ? 'delivery.release' : 'delivery.reject'),
        ...(releases ? {} : { tone: 'danger' as const }),
        wide: true,
        intro: (
          <>
            <p>{t(releases ? 'delivery.release_report_text' : 'delivery.reject_report_text')}</p>
            <p>{t('delivery.decisions.together')}</p>
          </>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          { what: t('delivery.decisions.reports'), before: null, after: <Count value={count} /> },
          { what: t('delivery.decisions.plans'), before: null, after: [...plans].join(', ') },
          {
            what: t('delivery.state'),
            before: [...new Set(reports.map(({ state }) => t(`delivery.states.${state}`)))].join(', '),
            after: t(`delivery.states.${decision}`),
          },
          {
            what: t('delivery.spend'),
            before: null,
            after: <FineAmount value={fineSum(reports.map(({ spend }) => spend))} />,
          },
          {
            what: t('delivery.revenue'),
            before: null,
            after: <FineAmount value={fineSum(reports.map(({ revenue }) => revenue))} />,
          },
        ],
        body: ({ reason }) => ({ ids: reports.map(({ id }) => id), decision, reason }),
        done: () => {
          onDone();
          return {
            text: t(releases ? 'delivery.decisions.released' : 'delivery.decisions.rejected', {
              count,
              formatted,
            }),
            ...(releases ? { links: [{ label: t('delivery.see_plans'), to: '/plans' }] } : {}),
          };
        },
        touches: [
          consoleKeys.list('/admin/delivery/quarantine/list'),
          consoleKeys.list('/admin/plan/list'),
          consoleKeys.one('/admin/plan/detail'),
        ],
      }}
    />
  );
}
