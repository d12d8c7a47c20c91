/** An app path from a query parameter; null for anything that could lead elsewhere. */
export function internalPath(path: string | null): string | null {
  return path !== null && /^\/(?![/\\])/.test(path) ? path : null;
}
