import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import stack from '@/ui/stack.module.css';
import { Code } from '../../ui/code';
import { Dialog, DialogActions } from '../../ui/dialog';
import { Facts } from '../../ui/facts';
import { Moment } from '../../ui/moment';
import { StaffName } from '../../ui/staff-name';
import { BadRows, NotableRows } from './bad-rows';
import { type DeliveryImport, DeliveryState } from './decisions';
import { Totals } from './totals';

type Props = { row: DeliveryImport };

/** All that is known of an import. */
export function ImportDetails({ row, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('console');
  return (
    <Dialog title={t('delivery.import_of', { source: row.source })} onClose={onClose} wide>
      <div className={stack.gap4}>
        <ImportFacts row={row} />
        <ImportContents row={row} />
      </div>
      <DialogActions>
        <Button onClick={onClose}>{t('act.close')}</Button>
      </DialogActions>
    </Dialog>
  );
}

function ImportFacts({ row }: Props) {
  const { t } = useTranslation('console');
  return (
    <Facts
      facts={[
        {
          label: t('delivery.state'),
          value: <DeliveryState state={row.state} />,
          note: row.under_way ? t('delivery.under_way_note') : undefined,
        },
        { label: t('delivery.at'), value: <Moment at={row.at} /> },
        { label: t('delivery.by'), value: <StaffName id={row.by} /> },
        { label: t('delivery.decided_at'), value: <Moment at={row.decided_at} /> },
        { label: t('delivery.decided_by'), value: <StaffName id={row.decided_by} /> },
        { label: t('act.reason'), value: row.reason || t('list.none') },
        { label: t('delivery.signed_by'), value: <Code text={row.signed_by} /> },
        { label: t('delivery.sha256'), value: <Code text={row.sha256} /> },
        { label: t('delivery.import_id'), value: <Code text={row.import_id} /> },
      ]}
    />
  );
}

/** What a file adds up to, what stands out in it, and which lines it loses. */
export function ImportContents({ row }: Props) {
  const { t } = useTranslation('console');
  return (
    <>
      <Totals of={row} />
      <NotableRows rows={row.notable} />
      <BadRows label={t('delivery.bad_lines')} rows={row.rejected} count={row.rejected_count} />
    </>
  );
}
