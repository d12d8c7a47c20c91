import { useTranslation } from 'react-i18next';
import { LANGUAGES } from '@/i18n/languages';
import { filledOf, type NoticeDraft, nameOf, shownLanguage } from './draft';

/** Which languages are not written, and what their users read instead. */
export function Fallbacks({ draft }: { draft: NoticeDraft }) {
  const { t } = useTranslation('console');
  const missing = LANGUAGES.map(({ code }) => code).filter(
    (code) => code !== 'en' && filledOf(draft, code) !== 'full',
  );
  if (missing.length === 0) return <p>{t('notices.fallback_none')}</p>;
  const english = missing.filter((code) => shownLanguage(draft, code) === 'en');
  const chinese = missing.find((code) => shownLanguage(draft, code) !== 'en');
  return (
    <>
      {english.length === 0 ? null : (
        <p>{t('notices.fallback_english', { languages: english.map(nameOf).join(', ') })}</p>
      )}
      {chinese === undefined ? null : (
        <p>
          {t('notices.fallback_chinese', {
            from: nameOf(chinese),
            to: nameOf(shownLanguage(draft, chinese)),
          })}
        </p>
      )}
    </>
  );
}
