import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { Button } from '@/ui/button';
import { ActButton } from '../../act/act-button';
import { DecideReports } from './decide-reports';
import type { QuarantinedReport } from './decisions';
import styles from './ticked-bar.module.css';
import { MOST_TICKED, useIsOpen, useMayRelease, useTicked } from './ticks';

/** Decides the ticked reports together; nothing while none of those that are shown can be decided. */
export function TickedBar({ shown }: { shown: readonly QuarantinedReport[] }) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const { ids, set } = useTicked();
  const isOpen = useIsOpen();
  const mayRelease = useMayRelease();
  const open = shown.filter(isOpen);
  // A tick on what has been decided since, or is filtered out, counts no more.
  const ticked = open.filter(({ id }) => ids.has(id));
  if (open.length === 0) return null;
  const clear = () => set(new Set());
  const decide = (decision: 'released' | 'rejected') => ({
    id: decision,
    label: t(decision === 'released' ? 'delivery.decisions.release' : 'delivery.decisions.reject'),
    dialog: (close: () => void) => (
      <DecideReports reports={ticked} decision={decision} onDone={clear} onClose={close} />
    ),
  });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset's legend does not fit into a bar
    <div className={styles.bar} role="group" aria-label={t('delivery.decisions.bar')}>
      <span role="status">
        {t('delivery.decisions.ticked', { count: ticked.length, formatted: integer(ticked.length) })}
      </span>
      {ticked.length > 0 && ticked.every(mayRelease) ? <ActButton offered={decide('released')} /> : null}
      {ticked.length > 0 ? <ActButton quiet offered={decide('rejected')} /> : null}
      <Button tone="quiet" onClick={() => set(new Set(open.slice(0, MOST_TICKED).map(({ id }) => id)))}>
        {t('delivery.decisions.tick_shown')}
      </Button>
      {ticked.length > 0 ? (
        <Button tone="quiet" onClick={clear}>
          {t('delivery.decisions.clear')}
        </Button>
      ) : null}
      {open.length > MOST_TICKED ? (
        <span>{t('delivery.decisions.most', { limit: integer(MOST_TICKED) })}</span>
      ) : null}
    </div>
  );
}
