import { useTranslation } from 'react-i18next';
import { parseTypedAmount, signOf } from '@/lib/money';
import { entryTitle } from './coverage';
import { writtenOf } from './request';
import type { Entry, SectionSpec } from './sections';

/** What the server would refuse, entry by entry. */
export function useProblems(spec: SectionSpec, entries: readonly Entry[]): string[] {
  const { t } = useTranslation('console');
  return entries.flatMap((entry, index) => {
    const name = entryTitle(spec, entry) || t('content.entry', { number: index + 1 });
    const at = (field: string) =>
      spec.most === null ? field : t('content.save.part', { entry: name, field });
    const english = spec.texts
      .filter(({ name: field, isOptional }) => lacksEnglish(entry, field, isOptional === true))
      .map(({ name: field }) => t('content.problem.english', { where: at(t(`content.fields.${field}`)) }));
    const plain = spec.plain
      .map((field) => ({ field, problem: problemOf(field, (entry.plain[field] ?? '').trim()) }))
      .map(({ field, problem }) =>
        problem === null
          ? null
          : t(`content.problem.${problem}`, { where: at(t(`content.fields.${field}`)) }),
      );
    return [...english, ...plain.filter((text) => text !== null)];
  });
}

function lacksEnglish(entry: Entry, field: keyof Entry['texts'], isOptional: boolean): boolean {
  const texts = writtenOf(entry.texts[field]);
  if (isOptional && Object.keys(texts).length === 0) return false;
  return texts.en === undefined;
}

function problemOf(field: string, value: string): 'url' | 'amount' | null {
  if (field === 'url') return value.startsWith('https://') && URL.canParse(value) ? null : 'url';
  if (field === 'type' || value === '') return null;
  const amount = parseTypedAmount(value);
  return amount !== null && signOf(amount) > 0 ? null : 'amount';
}
