/** A field of an audited object, before and after the act. Undefined where the object does not have it. */
export type FieldChange = {
  /** The path in the object, such as `limits.max` or `items[0].name`. */
  name: string;
  kind: 'added' | 'changed' | 'removed' | 'unchanged';
  before: unknown;
  after: unknown;
};

/** The fields of both objects, those that differ first. An object on one side only is all new or all removed. */
export function compare(before: object | null, after: object | null): FieldChange[] {
  const old = before === null ? new Map<string, unknown>() : fieldsOf(before);
  const now = after === null ? new Map<string, unknown>() : fieldsOf(after);
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const changes = names.map((name): FieldChange => {
    const [was, is] = [old.get(name), now.get(name)];
    return { name, kind: kindOf(old.has(name), now.has(name), was === is), before: was, after: is };
  });
  return [
    ...changes.filter(({ kind }) => kind !== 'unchanged'),
    ...changes.filter(({ kind }) => kind === 'unchanged'),
  ];
}

function kindOf(was: boolean, is: boolean, isSame: boolean): FieldChange['kind'] {
  if (!was) return 'added';
  if (!is) return 'removed';
  return isSame ? 'unchanged' : 'changed';
}

/** The values without parts of their own, by path. What is empty counts as a value. */
function fieldsOf(value: object): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  collect(value, '', fields);
  return fields;
}

function collect(value: unknown, path: string, fields: Map<string, unknown>): void {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (parts.length === 0) {
    if (path !== '') fields.set(path, typeof value === 'object' && value !== null ? '' : value);
    return;
  }
  for (const [name, part] of parts) {
    const isIndex = Array.isArray(value);
    collect(part, isIndex ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`, fields);
  }
}
