import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import stack from '@/ui/stack.module.css';
import { ActDialog } from '../../act/act-dialog';
import { REASON_LIMIT, ReasonInput } from '../../act/inputs';
import { text } from '../../act/values';
import { consoleKeys } from '../../api/keys';
import { FineAmount, type QuarantinedReport } from './decisions';
import { ReportFacts } from './report-details';

type Props = { report: QuarantinedReport; decision: 'released' | 'rejected'; onClose: () => void };

/** Lets a report count that the gate holds back, or never takes this revision of it. */
export function DecideReport({ report, decision, onClose }: Props) {
  const { t } = useTranslation('console');
  const releases = decision === 'released';
  const number = report.plan_number;
  return (
    <ActDialog
      onClose={onClose}
      act={{
        path: '/admin/delivery/quarantine/decide',
        secondPerson: 'same_act',
        title: t(releases ? 'delivery.release_report' : 'delivery.reject_report', { number }),
        submit: t(releases ? 'delivery.release' : 'delivery.reject'),
        ...(releases ? {} : { tone: 'danger' as const }),
        wide: true,
        intro: (
          <div className={stack.gap4}>
            <p>{t(releases ? 'delivery.release_report_text' : 'delivery.reject_report_text')}</p>
            <ReportFacts report={report} />
          </div>
        ),
        schema: z.object({ reason: text(REASON_LIMIT) }),
        initial: { reason: '' },
        fields: <ReasonInput />,
        changes: () => [
          {
            what: t('delivery.state'),
            before: t(`delivery.states.${report.state}`),
            after: t(`delivery.states.${decision}`),
          },
          ...(releases
            ? [
                { what: t('delivery.spend'), before: null, after: <FineAmount value={report.spend} /> },
                { what: t('delivery.revenue'), before: null, after: <FineAmount value={report.revenue} /> },
              ]
            : [{ what: t('delivery.revision'), before: null, after: t('delivery.never_taken') }]),
        ],
        body: ({ reason }) => ({ ids: [report.id], decision, reason }),
        done: ({ items }) => ({
          text: releases
            ? t('delivery.release_report_done', { number, outcome: items[0]?.outcome ?? t('list.none') })
            : t('delivery.reject_report_done', { number }),
          ...(releases ? { links: [{ label: t('delivery.see_plans'), to: '/plans' }] } : {}),
        }),
        touches: [
          consoleKeys.list('/admin/delivery/quarantine/list'),
          consoleKeys.list('/admin/plan/list'),
          consoleKeys.one('/admin/plan/detail'),
        ],
      }}
    />
  );
}
