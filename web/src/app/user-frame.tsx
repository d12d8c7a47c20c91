import { Live } from './live';
import { PushSync } from './push-sync';
import { StepUp } from './step-up';
import TabBar from './tab-bar';

export type UserFrameProps = {
  /** Null on a page without tabs. */
  tabs: { isOnPhones: boolean } | null;
};

/** The part of the frame that only users have. A visitor's first load does without. */
export default function UserFrame({ tabs }: UserFrameProps) {
  return (
    <>
      {tabs ? <TabBar isOnPhones={tabs.isOnPhones} /> : null}
      <Live />
      {tabs ? <PushSync /> : null}
      <StepUp />
    </>
  );
}
