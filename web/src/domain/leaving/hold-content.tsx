import stack from '@/ui/stack.module.css';
import { CoolingOffNotice } from './cooling-off-notice';
import { FrozenNotice } from './frozen-notice';
import type { HoldProps } from './hold';
import { stepsBefore } from './steps';
import { StepsNotice } from './steps-notice';

export default function HoldContent({ leaving, title, property, deposit, inset }: HoldProps) {
  const until = property.withdrawal_available_at;
  const steps = stepsBefore(leaving, property);
  return (
    <div className={stack.gap4}>
      {property.frozen_at ? <FrozenNotice inset={inset} since={property.frozen_at} /> : null}
      {until ? <CoolingOffNotice inset={inset} until={until} /> : null}
      {steps.length > 0 ? (
        <StepsNotice inset={inset} title={title} steps={steps} property={property} deposit={deposit} />
      ) : null}
    </div>
  );
}
