import type { QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DefaultValues, FieldValues } from 'react-hook-form';
import type { z } from 'zod';
import type { PostAnswer } from '@/lib/api/contract';
import type { StaffPostPath } from '../api/call';
import type { Item } from '../claim/hold';
import type { ActBody } from './use-send';

/** One thing that an act changes, shown before it is made. */
export type Change = {
  what: string;
  /** How it is now; null for what the act brings into being. */
  before: ReactNode;
  after: ReactNode;
};

export type OutcomeLink = { label: string; to: string };

/** What has happened. */
export type Outcome = {
  text: string;
  links?: readonly OutcomeLink[];
  /** What the server shows only this once, such as a one-time password. The dialog stays open with it. */
  result?: ReactNode;
};

/** A change that a member of staff can make, as its dialog shows and sends it. */
export type Act<P extends StaffPostPath, V extends FieldValues> = {
  path: P;
  /** What the act is about. Others see while its dialog is open who works on it. */
  item?: Item;
  title: string;
  /** The button: the verb of the act. */
  submit: string;
  /** For what does not come back by itself. */
  tone?: 'danger';
  intro?: ReactNode;
  /** Checks what was typed. Its messages are keys of the texts of `act`. */
  schema: z.ZodType<V, V>;
  initial: DefaultValues<NoInfer<V>>;
  /** The inputs of `inputs.tsx`, bound by the names of the values. */
  fields: ReactNode;
  /** What the act changes, from values that the schema has passed. */
  changes: (values: V) => readonly Change[];
  body: (values: V) => ActBody<P>;
  done: (answer: PostAnswer<P>, values: V) => Outcome;
  /**
   * What a second person does where the act needs one: decides the request under Approvals, or makes the same act.
   * Approvals by default.
   */
  secondPerson?: 'approval' | 'same_act';
  /** What is read anew afterwards. The audit log and the approvals always are. */
  touches: readonly QueryKey[];
  wide?: boolean;
};
