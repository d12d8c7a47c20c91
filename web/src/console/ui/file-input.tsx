import { useEffect, useRef } from 'react';
import { FieldBox, FieldFrame } from '@/ui/field';
import styles from './file-input.module.css';

/** Why a file is refused. Each refusal is an object of its own, so that a second one puts the focus here again. */
export type FileProblem = { text: string };

type Props = {
  label: string;
  hint: string;
  /** Types and endings that the browser offers first. */
  accept: string;
  problem: FileProblem | null;
  onChoose: (file: File | null) => void;
};

/** An input of one file, which takes the focus when the file is refused. */
export function FileInput({ label, hint, accept, problem, onChoose }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (problem) input.current?.focus();
  }, [problem]);
  return (
    <FieldFrame label={label} hint={hint} error={problem?.text}>
      {(wiring) => (
        <FieldBox>
          <input
            {...wiring}
            ref={input}
            type="file"
            className={styles.file}
            accept={accept}
            onChange={(event) => onChoose(event.target.files?.[0] ?? null)}
          />
        </FieldBox>
      )}
    </FieldFrame>
  );
}
