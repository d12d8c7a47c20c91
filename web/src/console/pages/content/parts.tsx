import { useTranslation } from 'react-i18next';
import { SECTIONS, type SectionName } from './sections';

/** What versions call a section. */
export function partOf(name: SectionName): string {
  return name === 'marketing' ? 'marketing_headline' : name;
}

/** The sections that a version changed, by name. */
export function Parts({ parts }: { parts: readonly string[] }) {
  const { t } = useTranslation('console');
  if (parts.length === 0) return t('content.versions.first');
  const known = new Map(SECTIONS.map(({ name }) => [partOf(name), t(`content.sections.${name}`)]));
  return parts.map((part) => known.get(part) ?? part).join(', ');
}
