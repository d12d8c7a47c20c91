import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { Badge } from '../../ui/badge';
import { Panel } from '../../ui/panel';
import { PlainTable } from '../../ui/plain-table';
import { Since } from './since';

type Props = { alerts: components['schemas']['FiringAlerts']; at: string };

/** The alerts that fire, those that wake somebody first. */
export function AlertsPanel({ alerts: { state, items, more }, at }: Props) {
  const { t } = useTranslation('console');
  const { integer } = useFormats();
  return (
    <Panel title={t('today.alerts.title')}>
      {state !== 'known' ? (
        <p>{t(`today.alerts.${state}`)}</p>
      ) : items.length === 0 ? (
        <p>{t('today.alerts.none')}</p>
      ) : (
        <>
          <PlainTable
            label={t('today.alerts.title')}
            rows={items.map((alert, index) => ({ ...alert, index }))}
            // The same alert fires once for each thing that it is about.
            rowKey={({ index }) => String(index)}
            columns={[
              {
                id: 'severity',
                header: t('today.alerts.severity'),
                cell: ({ severity }) => (
                  <Badge tone={severity === 'page' ? 'bad' : 'waiting'}>
                    {t(`today.alerts.severities.${severity}`)}
                  </Badge>
                ),
              },
              {
                id: 'alert',
                header: t('today.alerts.alert'),
                cell: ({ name, summary }) => (
                  <>
                    {summary} <span className="mono">{name}</span>
                  </>
                ),
              },
              {
                id: 'since',
                header: t('today.alerts.since'),
                cell: ({ since }) => <Since since={since} at={at} />,
              },
            ]}
          />
          <p>{t('today.alerts.runbook')}</p>
        </>
      )}
      {more ? <p>{t('today.alerts.more', { formatted: integer(items.length) })}</p> : null}
    </Panel>
  );
}
