import { ChevronDown } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useSourceText } from '@/domain/delivery/source-text';
import { useFormats } from '@/i18n/format';
import type { DeliveryReport } from '@/lib/api/types';
import { Badge, Card, Row, Rows } from '@/ui/card';
import { CopyableCode } from '@/ui/copyable-code';
import { hasUncharged, isRestated, shortHash } from '../reports';
import { Figure, Figures } from './figures';
import styles from './report-card.module.css';

/** What a network reported, and what the figures of the plan take from it. */
export function ReportCard({ report }: { report: DeliveryReport }) {
  const { t } = useTranslation();
  const { dateTime, fineMoney, integer, list } = useFormats();
  const sourceText = useSourceText();
  return (
    <Card>
      <div className={styles.head}>
        <h2 className={styles.time}>
          <time dateTime={report.time}>{dateTime(report.time)}</time>
        </h2>
        <Marks report={report} />
      </div>
      <p className={styles.source}>
        {list([sourceText(report.source), ...(report.placement ? [report.placement.name] : [])])}
      </p>
      <Figures row small>
        <Figure label={t('figure.impressions')}>
          <span className="figure">{integer(report.impressions)}</span>
        </Figure>
        <Figure label={t('figure.clicks')}>
          <span className="figure">{integer(report.clicks)}</span>
        </Figure>
        <Figure label={t('reports.spend')}>
          <span className="figure">{fineMoney(report.spend)}</span>
        </Figure>
        {hasUncharged(report) ? (
          <Figure label={t('reports.charged')}>
            <span className="figure">{fineMoney(report.charged)}</span>
          </Figure>
        ) : null}
        <Figure label={t('figure.revenue')}>
          <span className="figure">{fineMoney(report.revenue)}</span>
        </Figure>
      </Figures>
      <Evidence report={report} />
    </Card>
  );
}

function Marks({ report }: { report: DeliveryReport }) {
  const { t } = useTranslation();
  if (!isRestated(report) && !report.estimated && !report.simulated) return null;
  return (
    <p className={styles.badges}>
      {isRestated(report) ? <Badge>{t('reports.restated')}</Badge> : null}
      {report.estimated ? <Badge tone="warning">{t('reports.estimated')}</Badge> : null}
      {report.simulated ? <Badge tone="info">{t('reports.simulated')}</Badge> : null}
    </p>
  );
}

/** What finds the report again at its network or in its file. */
function Evidence({ report }: { report: DeliveryReport }) {
  const { t } = useTranslation();
  const { integer } = useFormats();
  const sha256 = report.import?.sha256;
  return (
    <details className={styles.details}>
      <summary>
        {t('reports.details')}
        <ChevronDown size={18} aria-hidden="true" />
      </summary>
      <Rows>
        <Row label={t('reports.id')}>{report.report_id}</Row>
        <Row label={t('reports.revision')}>{integer(report.revision)}</Row>
        <Row label={t('reports.origin')} text={report.import !== null}>
          <Origin report={report} />
        </Row>
        {sha256 ? (
          <Row label={t('reports.sha256')}>
            <CopyableCode text={sha256} shown={shortHash(sha256)} label={t('flow.copy_hash')} />
          </Row>
        ) : null}
      </Rows>
    </details>
  );
}

function Origin({ report }: { report: DeliveryReport }) {
  const { t } = useTranslation();
  const { dateTime, integer } = useFormats();
  if (report.import) {
    const { time, line } = report.import;
    return t('reports.file', { time: dateTime(time), line: integer(line) });
  }
  return t(report.simulated ? 'reports.simulated' : 'reports.network');
}
