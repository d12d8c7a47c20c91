import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useFormats } from '@/i18n/format';
import type { PostAnswer } from '@/lib/api/contract';
import { timeZoneName } from '@/lib/time-zone';
import { Button } from '@/ui/button';
import { CopyableCode } from '@/ui/copyable-code';
import { useMay } from '../../session/use-staff';
import { Facts } from '../../ui/facts';
import { Panel } from '../../ui/panel';

type Props = {
  sent: PostAnswer<'/admin/notification/create'>;
  /** The time of a scheduled one, as it was typed. */
  at: string;
  onAnother: () => void;
};

/** Who has got the announcement, or when they will. The server counts none for all users. */
export function SentStep({ sent: { id, recipients, state }, at, onAnother }: Props) {
  const { t } = useTranslation('console');
  const { integer, dateTime } = useFormats();
  const may = useMay();
  const text = () => {
    if (state === 'scheduled')
      return t('notices.scheduled', { time: dateTime(new Date(at).toISOString()), zone: timeZoneName() });
    return recipients === 0
      ? t('notices.sent_all')
      : t('notices.sent', { count: recipients, formatted: integer(recipients) });
  };
  return (
    <Panel title={t(state === 'scheduled' ? 'notices.scheduled_title' : 'notices.sent_title')}>
      <p role="status">{text()}</p>
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
      <p>
        <Link to={`/notices/${id}`}>{t('notices.see_one')}</Link>
      </p>
      <div>
        <Button onClick={onAnother}>{t('notices.another')}</Button>
      </div>
    </Panel>
  );
}
