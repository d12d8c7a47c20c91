import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { PostAnswer } from '@/lib/api/contract';
import { Button } from '@/ui/button';
import { CopyableCode } from '@/ui/copyable-code';
import { useMay } from '../../session/use-staff';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';

type Props = { sent: PostAnswer<'/admin/notification/create'>; onAnother: () => void };

/** Who has got the announcement. The server counts none for all users. */
export function SentStep({ sent: { id, recipients }, onAnother }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  const may = useMay();
  return (
    <Panel title={t('notices.sent_title')}>
      <p role="status">
        {recipients === 0
          ? t('notices.sent_all')
          : t('notices.sent', { count: recipients, formatted: integer(recipients) })}
      </p>
      <Facts
        facts={[
          {
            label: t('notices.sent_id'),
            value: <CopyableCode text={id} label={t('list.copy', { what: t('notices.sent_id') })} />,
          },
        ]}
      />
      {may('GET /admin/audit/list') ? (
        <p>
          <Link to="/audit?action=notification.create">{t('act.see_audit')}</Link>
        </p>
      ) : null}
      <div>
        <Button onClick={onAnother}>{t('notices.another')}</Button>
      </div>
    </Panel>
  );
}
