import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { components } from '@/lib/api/schema';
import { Button, LinkButton } from '@/ui/button';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { UserLink } from '../../ui/user-link';
import styles from './push-result.module.css';
import type { PushValues } from './push-values';

type Props = {
  pushed: readonly components['schemas']['PushedPlan'][];
  /** Those whose names are known, because somebody picked them. */
  users: PushValues['users'];
  onAgain: () => void;
};

/** The plans that a push has made. */
export function PushResult({ pushed, users, onAgain }: Props) {
  const { t } = useTranslation('console');
  const nameOf = (id: string) => users.find((user) => user.id === id)?.username ?? null;
  return (
    <Panel
      title={t('plans.pushed')}
      actions={
        <div className={styles.actions}>
          <Button tone="secondary" onClick={onAgain}>
            {t('plans.push_another')}
          </Button>
          <LinkButton to="/plans?push=official&status=waiting">{t('plans.see_waiting')}</LinkButton>
        </div>
      }
    >
      <p role="status">{t('plans.push_done', { count: pushed.length })}</p>
      <PlainTable
        label={t('plans.pushed')}
        rows={pushed}
        rowKey={(row) => row.plan_id}
        columns={[
          {
            id: 'user',
            header: t('plans.user'),
            cell: (row) => <UserLink id={row.user_id} name={nameOf(row.user_id)} />,
          },
          {
            id: 'plan',
            header: t('plans.one_title'),
            cell: (row) => (
              <Link className="mono" to={`/plans/${row.plan_id}`}>
                {row.plan_id}
              </Link>
            ),
          },
        ]}
      />
    </Panel>
  );
}
