import { nameOf } from './page-layout';

/** A rule with the at-rules around it, and the source stylesheet it comes from. */
type Rule = { source: string; text: string };
/** The computed values of an element or of its pseudo-element; none where there is no pseudo-element. */
type Look = { element: Element; part: string; values: string[] };

/** Animations would differ between two measurements in any order. */
const STILL = '*, ::before, ::after, ::backdrop { animation: none !important; transition: none !important }';

// Everything below runs in the page. It is sent as text, so it can use only what is sent with it.

/**
 * Finds what looks different when the source stylesheets apply in reverse order. Nothing may: the build merges them
 * into other files, which arrive in any order.
 */
function orderDependentLooks(): string[] {
  const linked = [...document.styleSheets].filter(({ ownerNode }) => ownerNode instanceof HTMLLinkElement);
  const rules = linked.flatMap((sheet) => rulesIn(sheet.cssRules, (text) => text));
  const sources = [...new Set(rules.map(({ source }) => source))];
  if (sources.length < 2) throw new Error('the stylesheets of the sources cannot be told apart');
  const properties = propertiesIn(rules);
  for (const sheet of linked) sheet.disabled = true;
  const [usual, reversed] = [sources, sources.toReversed()].map((order) => {
    const sheet = new CSSStyleSheet();
    const ordered = order.flatMap((source) => rules.filter((rule) => rule.source === source));
    sheet.replaceSync([...ordered.map(({ text }) => text), STILL].join('\n'));
    document.adoptedStyleSheets = [sheet];
    return looksOf(properties);
  }) as [Look[], Look[]];
  document.adoptedStyleSheets = [];
  for (const sheet of linked) sheet.disabled = false;
  return usual.flatMap((look, place) => {
    const other = reversed[place]?.values ?? [];
    return properties.flatMap((property, index) => {
      const [value = '', otherwise = ''] = [look.values[index], other[index]];
      return value === otherwise
        ? []
        : [`${nameOf(look.element)}${look.part}: ${property} is ${value} or ${otherwise}`];
    });
  });
}

/**
 * Files and layers mix rules of several sources, so each rule is extracted. The source of `_icon_gx9n8_81` is `gx9n8`.
 */
function rulesIn(list: CSSRuleList, wrap: (text: string) => string): Rule[] {
  return [...list].flatMap((rule) => {
    if (rule instanceof CSSGroupingRule) {
      const head = rule.cssText.slice(0, rule.cssText.indexOf('{'));
      return rulesIn(rule.cssRules, (text) => wrap(`${head} { ${text} }`));
    }
    const [, source = 'base'] = /_[\w-]+_([\w-]{5})_\d+/.exec(rule.cssText) ?? [];
    return [{ source, text: wrap(rule.cssText) }];
  });
}

function propertiesIn(rules: Rule[]): string[] {
  const sheet = new CSSStyleSheet();
  const names = new Set<string>();
  const collect = (list: CSSRuleList) => {
    for (const rule of list) {
      if (rule instanceof CSSStyleRule) for (const name of rule.style) names.add(name);
      else if (rule instanceof CSSGroupingRule) collect(rule.cssRules);
    }
  };
  sheet.replaceSync(rules.map(({ text }) => text).join('\n'));
  collect(sheet.cssRules);
  return [...names];
}

function looksOf(properties: string[]): Look[] {
  return [...document.querySelectorAll('body, body *')].flatMap((element) =>
    ['', '::before', '::after'].map((part) => {
      const style = getComputedStyle(element, part);
      const isThere = part === '' || style.content !== 'none';
      return { element, part, values: isThere ? properties.map((name) => style.getPropertyValue(name)) : [] };
    }),
  );
}

export const styleOrderScript = [
  `const STILL = ${JSON.stringify(STILL)};`,
  orderDependentLooks,
  rulesIn,
  propertiesIn,
  looksOf,
].join('\n');
