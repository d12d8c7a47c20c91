import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '@/i18n/error-text';
import { Button } from './button';
import { Sheet } from './sheet';
import { toast } from './toast';
import { type PickerOption, WheelPicker } from './wheel-picker';

type Props = {
  title: string;
  /** What is chosen, for assistive technology. */
  label: string;
  options: readonly PickerOption[];
  value: string;
  /** May take its time; a rejection is shown and the sheet stays. */
  onConfirm: (value: string) => unknown;
  /** Called after a confirmation, too. */
  onClose: () => void;
};

/** A wheel in a sheet of half the screen. Nothing is chosen before it is confirmed. */
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
