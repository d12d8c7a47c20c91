import { useTranslation } from 'react-i18next';
import { Button, LinkButton } from '@/ui/button';
import stack from '@/ui/stack.module.css';
import { useMay } from '../../session/use-staff';
import { Panel } from '../../ui/panel';
import { ImportAnswer, type ImportResult } from './import-answer';
import { StepActions } from './step-actions';

type Props = { result: ImportResult; onAgain: () => void };

/** What came of the import, and where it waits. */
export function DoneStep({ result, onAgain }: Props) {
  const { t } = useTranslation('console');
  const may = useMay();
  const waits = result.state === 'proposed';
  return (
    <div className={stack.gap4}>
      <Panel title={t(`delivery.states.${result.state}`)}>
        <p role="status">{t(waits ? 'delivery.proposed_text' : 'delivery.taken_text')}</p>
        <ImportAnswer result={result} />
      </Panel>
      <StepActions>
        <LinkButton to={`/imports?state=${result.state}`}>{t('delivery.see_imports')}</LinkButton>
        {result.quarantined_count > 0 && may('GET /admin/delivery/quarantine/list') ? (
          <LinkButton tone="secondary" to="/quarantine">
            {t('delivery.see_quarantine')}
          </LinkButton>
        ) : null}
        <Button tone="secondary" onClick={onAgain}>
          {t('delivery.import_another')}
        </Button>
      </StepActions>
    </div>
  );
}
