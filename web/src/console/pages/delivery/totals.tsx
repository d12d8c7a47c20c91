import { useTranslation } from 'react-i18next';
import { Count } from '../../ui/count';
import { Facts } from '../../ui/facts';
import { type DeliveryImport, FineAmount, type ImportTotals } from './decisions';

type Props = {
  of: {
    state: DeliveryImport['state'];
    read: number;
    applied: number;
    repeated: number;
    restated: number;
    rejected_count: number;
    quarantined_count?: number;
    totals: ImportTotals;
  };
};

/** How many rows there are of each kind, and what they add up to. */
export function Totals({ of }: Props) {
  const { t } = useTranslation('console');
  const { totals } = of;
  // A proposed file's rows are not looked at again before it is released; only the answer to its import says more.
  const isKnown = of.state !== 'proposed' || of.quarantined_count !== undefined;
  return (
    <Facts
      facts={[
        { label: t('delivery.read'), value: <Count value={of.read} /> },
        ...(isKnown
          ? [
              {
                label: t('delivery.applied'),
                value: <Count value={of.applied} />,
                note: t('delivery.notes.applied'),
              },
              {
                label: t('delivery.repeated'),
                value: <Count value={of.repeated} />,
                note: t('delivery.notes.repeated'),
              },
              {
                label: t('delivery.restated'),
                value: <Count value={of.restated} />,
                note: t('delivery.notes.restated'),
              },
              {
                label: t('delivery.bad'),
                value: <Count value={of.rejected_count} />,
                note: t('delivery.notes.bad'),
              },
            ]
          : []),
        ...(of.quarantined_count === undefined
          ? []
          : [
              {
                label: t('delivery.held'),
                value: <Count value={of.quarantined_count} />,
                note: t('delivery.notes.held'),
              },
            ]),
        { label: t('delivery.plans'), value: <Count value={totals.plans} /> },
        { label: t('delivery.impressions'), value: <Count value={totals.impressions} /> },
        { label: t('delivery.clicks'), value: <Count value={totals.clicks} /> },
        { label: t('delivery.spend'), value: <FineAmount value={totals.spend} /> },
        { label: t('delivery.revenue'), value: <FineAmount value={totals.revenue} /> },
      ]}
    />
  );
}
