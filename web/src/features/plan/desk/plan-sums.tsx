import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changePercent } from '@/domain/statistics/change';
import { useFormats } from '@/i18n/format';
import type { PlanTotals } from '@/lib/api/types';
import { Money } from '@/ui/money';
import { Skeleton } from '@/ui/states';
import { Tile, Tiles } from '@/ui/table/tiles';
import { planTotalsQuery } from './table-query';
import { filterBefore, type TableState, tableFilter } from './table-state';

type Props = { state: TableState; totals: PlanTotals | null | undefined; busy: boolean };

const SUMS = ['put_amount', 'consumed', 'revenue', 'profit'] as const;

/** What the plans of the table add up to, and how that compares with the period before. */
export function PlanSums({ state, totals, busy }: Props) {
  const { t } = useTranslation();
  const { change, date } = useFormats();
  const before = filterBefore(state);
  const compared = useQuery({
    ...planTotalsQuery(before?.filter ?? tableFilter(state)),
    enabled: before !== null,
  }).data;

  const percents = SUMS.map((key) => compared && totals && changePercent(compared[key], totals[key]));
  // A period without plans compares with nothing. Until that is known, its line is kept.
  const hasNotes = before !== null && (!compared || percents.some((percent) => percent !== null));
  const noteOf = (percent: number | null | undefined) => {
    if (!hasNotes) return undefined;
    if (percent == null) return null;
    const [from, until] = [before.days.from, before.days.until].map((day) => date(`${day}T12:00:00`));
    return t('desk.compared', { change: change(percent), from, until });
  };
  return (
    <Tiles busy={busy}>
      {SUMS.map((key, place) => (
        <Tile
          key={key}
          label={key === 'put_amount' ? t('plan.put_amount') : t(`figure.${key}`)}
          note={noteOf(percents[place])}
        >
          {totals ? (
            <Money value={totals[key]} {...(key === 'profit' ? { signed: 'result' } : {})} />
          ) : (
            <Skeleton width="7rem" height="1.45em" />
          )}
        </Tile>
      ))}
    </Tiles>
  );
}
