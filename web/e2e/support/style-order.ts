import { nameOf } from './page-layout';

/** A rule by itself, with what stands around it, and the stylesheet of the sources that it comes from. */
type Rule = { source: string; text: string };
/** What an element, or what stands before or after it, looks like: the values of the properties, none where there is nothing. */
type Look = { element: Element; part: string; values: string[] };

/** What moves would look otherwise a moment later in any order. */
const STILL = '*, ::before, ::after, ::backdrop { animation: none !important; transition: none !important }';

// What follows runs in the page: it is sent there as text, so it may use nothing from outside but what is sent with it.

/**
 * What looks otherwise when the stylesheets of the sources apply in the reverse order. Nothing may: the build makes other files
 * of them, and these arrive in an order of their own.
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

/** Files and layers hold rules of several sources, so each rule is taken out; that of `_icon_gx9n8_81` is `gx9n8`. */
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
