import stack from '@/ui/stack.module.css';
import { CoolingOffNotice } from './cooling-off-notice';
import type { HoldProps } from './hold';
import { stepsBefore } from './steps';
import { StepsNotice } from './steps-notice';

export default function HoldContent({ leaving, title, property, deposit, inset }: HoldProps) {
  const until = property.withdrawal_available_at;
  const steps = stepsBefore(leaving, property);
  return (
    <div className={stack.gap4}>
      {until ? <CoolingOffNotice inset={inset} until={until} /> : null}
      {steps.length > 0 ? (
        <StepsNotice inset={inset} title={title} steps={steps} property={property} deposit={deposit} />
      ) : null}
    </div>
  );
}
