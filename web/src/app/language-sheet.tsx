import { useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { changeLanguage } from '@/i18n';
import { htmlLangOf } from '@/i18n/languages';
import { availableLanguages } from '@/i18n/texts';
import { useSession } from '@/lib/session/use-session';
import { PickerSheet } from '@/ui/picker-sheet';
import { tellAccount } from './account-language';

export default function LanguageSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const { lang } = useSession();
  const choose = async (chosen: string) => {
    await changeLanguage(chosen);
    void tellAccount(queryClient);
  };
  return (
    <PickerSheet
      title={t('header.language')}
      label={t('header.language')}
      options={availableLanguages.map(({ code, nativeName }) => ({
        value: code,
        label: nativeName,
        lang: htmlLangOf(code),
      }))}
      value={lang}
      onConfirm={choose}
      onClose={onClose}
    />
  );
}
