import { FileQuestionMark, ShieldAlert, ShieldCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import { CopyableCode } from '@/ui/copyable-code';
import { cx } from '@/ui/cx';
import stack from '@/ui/stack.module.css';
import type { Publication } from '../publication';
import type { Verdict } from '../statement';
import type { Verified } from './use-verification';
import styles from './verdict-card.module.css';

/** The result of a verification: success, or the first wrong row. */
export function VerdictCard({ source, verdict, publication }: Verified) {
  const { t } = useTranslation();
  if (!verdict.ok) return <Broken source={source} verdict={verdict} />;
  if (verdict.entries === 0) {
    return (
      <Box
        look="neutral"
        icon={<FileQuestionMark size={24} />}
        title={t('statement.empty_title')}
        source={source}
      >
        <p>{t('statement.empty_text')}</p>
      </Box>
    );
  }
  if (publication?.state === 'contradicts' || publication?.state === 'rewritten') {
    return (
      <Box
        look="neutral"
        icon={<FileQuestionMark size={24} />}
        title={t('statement.bad_title')}
        source={source}
      >
        <p>{t(`statement.${publication.state}_text`)}</p>
      </Box>
    );
  }
  return (
    <Box look="good" icon={<ShieldCheck size={24} />} title={t('statement.ok_title')} source={source}>
      <p>{t('statement.ok_text', { count: verdict.entries })}</p>
      {publication ? <Published publication={publication} /> : null}
      {verdict.last ? (
        <>
          <p className={styles.caption}>{t('statement.last_hash')}</p>
          <CopyableCode text={verdict.last.hash} label={t('statement.copy_hash')} />
        </>
      ) : null}
    </Box>
  );
}

function Published({ publication }: { publication: Publication }) {
  const { t } = useTranslation();
  const { dateTime } = useFormats();
  if (publication.state !== 'published') return <p>{t('statement.unpublished')}</p>;
  return (
    <p>
      {t('statement.published', { time: dateTime(publication.time) })}
      {publication.signed ? null : ` ${t('statement.unsigned')}`}
    </p>
  );
}

type BrokenProps = { source: string; verdict: Extract<Verdict, { ok: false }> };

function Broken({ source, verdict: { fault, row, sequence } }: BrokenProps) {
  const { t } = useTranslation();
  const isOther = fault === 'not_a_statement';
  const place = sequence ? t('statement.row_sequence', { row, sequence }) : t('statement.row', { row });
  return (
    <Box
      look="bad"
      icon={<ShieldAlert size={24} />}
      title={t(isOther ? 'statement.unknown_title' : 'statement.bad_title')}
      source={source}
    >
      {isOther ? null : <p className={styles.place}>{place}</p>}
      <p>{t(`statement.fault.${fault}`)}</p>
    </Box>
  );
}

type BoxProps = {
  look: 'good' | 'bad' | 'neutral';
  icon: ReactNode;
  title: string;
  source: string;
  children: ReactNode;
};

function Box({ look, icon, title, source, children }: BoxProps) {
  return (
    <div className={cx(styles.verdict, styles[look])}>
      <span className={styles.verdictIcon} aria-hidden="true">
        {icon}
      </span>
      <div className={stack.gap1}>
        <p className={styles.verdictTitle}>{title}</p>
        <p className={styles.source}>{source}</p>
        {children}
      </div>
    </div>
  );
}
