import { useTranslation } from 'react-i18next';
import type { QuarantinedReport } from './decisions';
import styles from './report-tick.module.css';
import { MOST_TICKED, useIsOpen, useTicked } from './ticks';

/** Ticks a report that can be decided; nothing for the others. */
export function ReportTick({ report }: { report: QuarantinedReport }) {
  const { t } = useTranslation('console');
  const { ids, set } = useTicked();
  const isOpen = useIsOpen();
  if (!isOpen(report)) return null;
  const { id } = report;
  const isTicked = ids.has(id);
  return (
    <label className={styles.tick}>
      <input
        type="checkbox"
        checked={isTicked}
        disabled={!isTicked && ids.size >= MOST_TICKED}
        aria-label={t('delivery.decisions.tick', { name: `${report.plan_number}, ${report.report_id}` })}
        onChange={() => {
          const next = new Set(ids);
          if (isTicked) next.delete(id);
          else next.add(id);
          set(next);
        }}
      />
    </label>
  );
}
