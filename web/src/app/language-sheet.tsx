import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { availableLanguages, changeLanguage } from '@/i18n';
import { errorText } from '@/i18n/error-text';
import { htmlLangOf } from '@/i18n/languages';
import { useSession } from '@/lib/session/store';
import { Button } from '@/ui/button';
import { Sheet } from '@/ui/sheet';
import { toast } from '@/ui/toast';
import { WheelPicker } from '@/ui/wheel-picker';

export function LanguageSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { lang } = useSession();
  const [chosen, setChosen] = useState(lang);
  const [loading, setLoading] = useState(false);

  const confirm = async () => {
    setLoading(true);
    try {
      await changeLanguage(chosen);
      onClose();
    } catch (error) {
      toast(errorText(error), 'fail');
    } finally {
      setLoading(false);
    }
  };

  return (
    <Sheet
      half
      isOpen
      onClose={onClose}
      title={t('header.language')}
      footer={
        <Button wide large busy={loading} onClick={confirm}>
          {t('common.confirm')}
        </Button>
      }
    >
      <WheelPicker
        label={t('header.language')}
        options={availableLanguages.map(({ code, nativeName }) => ({
          value: code,
          label: nativeName,
          lang: htmlLangOf(code),
        }))}
        value={chosen}
        onChange={setChosen}
      />
    </Sheet>
  );
}
