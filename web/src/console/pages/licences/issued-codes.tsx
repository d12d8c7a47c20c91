import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useFormats } from '@/i18n/format';
import type { components } from '@/lib/api/schema';
import { csvOf } from '@/lib/csv';
import { saveTextFile } from '@/lib/save-file';
import { Button } from '@/ui/button';
import { CopyButton } from '@/ui/copy-button';
import styles from './issued-codes.module.css';

type Props = { licences: readonly components['schemas']['License'][] };

/** Keys that were just issued, to copy or to save. */
export function IssuedCodes({ licences }: Props) {
  const { t } = useTranslation('console');
  const { dateTime } = useFormats();
  const save = () => {
    const header = [t('licences.code'), t('licences.note'), t('licences.created')];
    const rows = licences.map(({ code, note, created_at }) => [code, note, created_at]);
    const name = t('licences.file', { time: dateTime(new Date().toISOString()) });
    saveTextFile(`${name}.csv`, csvOf([header, ...rows]), 'text/csv;charset=utf-8');
  };
  return (
    <div className={styles.issued}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reachable by keyboard */}
      <section className={styles.box} tabIndex={0} aria-label={t('licences.codes')}>
        <ul>
          {licences.map(({ code }) => (
            <li key={code} className="mono">
              {code}
            </li>
          ))}
        </ul>
      </section>
      <div className={styles.buttons}>
        <CopyButton wide label={t('licences.copy_all')} text={licences.map(({ code }) => code).join('\n')} />
        <Button tone="secondary" wide onClick={save}>
          <Download size={18} aria-hidden="true" />
          {t('licences.save')}
        </Button>
      </div>
    </div>
  );
}
