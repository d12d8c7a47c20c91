import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/i18n/error-text';
import { Button } from './button';
import { Sheet } from './sheet';
import { toast } from './toast';
import { type PickerOption, WheelPicker } from './wheel-picker';

type Props = {
  title: string;
  /** Names the choice for assistive technology. */
  label: string;
  options: readonly PickerOption[];
  value: string;
  /** Can be asynchronous. A rejection is shown and keeps the sheet open. */
  onConfirm: (value: string) => unknown;
  /** Also called after a confirmation. */
  onClose: () => void;
};

/** A wheel picker in a half-height sheet, with a button to confirm. */
export function PickerSheet({ title, label, options, value, onConfirm, onClose }: Props) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState(value);
  const [busy, setBusy] = useState(false);
  const confirming = useRef(false);

  const confirm = async () => {
    if (confirming.current) return;
    confirming.current = true;
    setBusy(true);
    try {
      await onConfirm(chosen);
      onClose();
    } catch (error) {
      toast(errorText(error), 'fail');
    } finally {
      confirming.current = false;
      setBusy(false);
    }
  };

  return (
    <Sheet
      half
      isOpen
      onClose={onClose}
      title={title}
      action={
        options.length > 0 ? (
          <Button busy={busy} onClick={confirm}>
            {t('common.confirm')}
          </Button>
        ) : null
      }
    >
      {options.length > 0 ? (
        <WheelPicker label={label} options={options} value={chosen} onChange={setChosen} onEnter={confirm} />
      ) : (
        <p>{t('picker.none')}</p>
      )}
    </Sheet>
  );
}
