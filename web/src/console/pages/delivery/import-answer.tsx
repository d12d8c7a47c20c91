import { useTranslation } from 'react-i18next';
import type { components } from '@/lib/api/schema';
import { Code } from '../../ui/code';
import { Facts } from '../../ui/facts';
import { BadRows, NotableRows } from './bad-rows';
import { Totals } from './totals';

export type ImportResult = components['schemas']['ImportResult'];

/** What the server says of a file: counts, sums, what stands out, and every line that is not taken. */
export function ImportAnswer({ result }: { result: ImportResult }) {
  const { t } = useTranslation('console');
  return (
    <>
      <Totals of={result} />
      <NotableRows rows={result.notable} />
      <BadRows label={t('delivery.bad_lines')} rows={result.rejected} count={result.rejected_count} />
      <BadRows label={t('delivery.held_lines')} rows={result.quarantined} count={result.quarantined_count} />
      <BadRows label={t('delivery.limit_lines')} rows={result.held} count={result.held.length} />
      <Facts
        facts={[
          { label: t('delivery.sha256'), value: <Code text={result.sha256} /> },
          { label: t('delivery.signed_by'), value: <Code text={result.signed_by} /> },
        ]}
      />
    </>
  );
}
