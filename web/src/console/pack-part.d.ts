/** A part of a language pack, cut out by `build/pack-parts.ts`. */
declare module '*.json?part=first' {
  const texts: Record<string, unknown>;
  export default texts;
}

declare module '*.json?part=main' {
  const texts: Record<string, unknown>;
  export default texts;
}
