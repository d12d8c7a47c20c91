/** Layout problems of the current screen, and all of its texts. */
export type Inspection = {
  findings: string[];
  /**
   * Texts that do not fit: cut by an ellipsis, or with a broken word. Content may do that, the app's own texts must
   * not.
   */
  squeezed: { how: string; text: string }[];
  texts: string[];
};

type Styles = (element: Element) => CSSStyleDeclaration;
type Box = { left: number; right: number; top: number; bottom: number };
type Line = { node: Text; box: Box; layer: Element };
type Surroundings = { layer: Element; scrolls: boolean; view: Box };

// Everything below runs in the page. It is sent as text, so it can use only what is sent with it.

function inspect(): Inspection {
  const found: Inspection = { findings: [], squeezed: [], texts: [] };
  const dialogs = document.querySelectorAll('dialog[open]');
  const scope = dialogs[dialogs.length - 1] ?? document.body;
  const known = new Map<Element, CSSStyleDeclaration>();
  const styles: Styles = (element) => {
    const style = known.get(element) ?? getComputedStyle(element);
    known.set(element, style);
    return style;
  };
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    found.findings.push(`the document is ${root.scrollWidth} px wide on ${root.clientWidth} px`);
    // The cause may lie behind the dialog.
    if (scope !== document.body) inspectElements(document.body, styles, found);
  }
  const lines: Line[] = [];
  for (const node of shownTexts(scope, styles)) {
    found.texts.push((node.data ?? '').trim());
    lines.push(...inspectText(node, styles, found));
  }
  inspectOverlaps(lines, found);
  inspectElements(scope, styles, found);
  return found;
}

function isHiddenFromSight(element: Element, styles: Styles): boolean {
  for (let each: Element | null = element; each; each = each.parentElement) {
    if (styles(each).clipPath === 'inset(50%)') return true;
  }
  return false;
}

function shownTexts(scope: Element, styles: Styles): Text[] {
  const walker = document.createTreeWalker(scope, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    const parent = node.parentElement;
    if (!parent || node.data.trim() === '' || parent.closest('script, style, noscript, option, svg title'))
      continue;
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    if (!isHiddenFromSight(parent, styles)) nodes.push(node);
  }
  return nodes;
}

export function nameOf(element: Element): string {
  const cls = typeof element.className === 'string' ? element.className.split(' ')[0] : '';
  return `${element.tagName.toLowerCase()}${cls ? `.${cls.replace(/^_|_[\w-]{5}(_\d+)?$/g, '')}` : ''}`;
}

const quoted = (text: string) => `“${text.trim().slice(0, 50)}”`;

function inspectText(node: Text, styles: Styles, found: Inspection): Line[] {
  const parent = node.parentElement as Element;
  const range = document.createRange();
  range.selectNodeContents(node);
  const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
  if (boxes.length === 0) return [];
  const area: Box = {
    left: Math.min(...boxes.map(({ left }) => left)),
    right: Math.max(...boxes.map(({ right }) => right)),
    top: Math.min(...boxes.map(({ top }) => top)),
    bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
  };
  const { layer, scrolls, view } = inspectClipping(node, area, styles, found);
  if (!scrolls && (area.left < -1 || area.right > document.documentElement.clientWidth + 1)) {
    found.findings.push(
      `${quoted(node.data)} in ${nameOf(parent)} reaches from ${Math.round(area.left)} to ${Math.round(area.right)} px`,
    );
  }
  if (boxes.length > 1) inspectBreaks(node, range, found);
  // Elements scrolled out of sight cover nothing.
  return boxes.flatMap((box) =>
    box.top >= view.top - 1 && box.bottom <= view.bottom + 1 ? [{ node, box, layer }] : [],
  );
}

/** Finds the ancestor that clips the text, the text's layer, and its visible area. */
function inspectClipping(node: Text, area: Box, styles: Styles, found: Inspection): Surroundings {
  const view: Box = { left: 0, right: 0, top: Number.NEGATIVE_INFINITY, bottom: Number.POSITIVE_INFINITY };
  const scrolls = { x: false, y: false };
  let layer: Element | null = null;
  for (let each = node.parentElement; each && each !== document.body; each = each.parentElement) {
    const style = styles(each);
    const box = each.getBoundingClientRect();
    const cut = cutBy(style, box, area, scrolls);
    if (cut === 'ellipsis') {
      found.squeezed.push({ how: `ended by an ellipsis in ${nameOf(each)}`, text: node.data.trim() });
      scrolls.x = true;
      scrolls.y = true;
    } else if (cut) {
      found.findings.push(`${quoted(node.data)} is cut off by ${nameOf(each)}`);
    }
    scrolls.x ||= /auto|scroll/.test(style.overflowX);
    if (/auto|scroll/.test(style.overflowY)) {
      scrolls.y = true;
      view.top = Math.max(view.top, box.top);
      view.bottom = Math.min(view.bottom, box.bottom);
    }
    if (/fixed|sticky/.test(style.position) || each.tagName === 'DIALOG') layer ??= each;
    // Nothing clips beyond these.
    if (style.position === 'fixed') break;
  }
  return { layer: layer ?? document.body, scrolls: scrolls.x, view };
}

function cutBy(
  style: CSSStyleDeclaration,
  box: Box,
  area: Box,
  scrolls: { x: boolean; y: boolean },
): string | null {
  const hides = /hidden|clip/;
  const sideways = area.right > box.right + 1 || area.left < box.left - 1;
  const cutsX = sideways && !scrolls.x && hides.test(style.overflowX);
  const upright = area.bottom > box.bottom + 3 || area.top < box.top - 3;
  const cutsY = upright && !scrolls.y && hides.test(style.overflowY);
  if ((cutsX && style.textOverflow === 'ellipsis') || (cutsY && style.webkitLineClamp !== 'none'))
    return 'ellipsis';
  return cutsX || cutsY ? 'edge' : null;
}

/** Amounts stay on one line, and words break only at hyphens. */
function inspectBreaks(node: Text, range: Range, found: Inspection): void {
  const linesOf = (match: RegExpMatchArray) => {
    range.setStart(node, match.index ?? 0);
    range.setEnd(node, (match.index ?? 0) + match[0].length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  for (const amount of node.data.matchAll(/[-+−]?\d[\d.,'\u00a0\u202f]*[.,]\d{2}(?!\d)/g)) {
    if (linesOf(amount) > 1) found.findings.push(`the amount ${quoted(amount[0])} is split over lines`);
  }
  // Each part between soft hyphens counts as a word. Its first letter is left out: the hyphen is part of it and stands
  // on the previous line.
  for (const word of node.data.matchAll(
    /(?<=[\p{Script=Latin}\p{Script=Cyrillic}])[\p{Script=Latin}\p{Script=Cyrillic}]{3,}/gu,
  )) {
    if (linesOf(word) > 1) found.squeezed.push({ how: `broken inside “${word[0]}”`, text: node.data.trim() });
  }
}

/** Texts of one layer must not overlap. */
function inspectOverlaps(lines: Line[], found: Inspection): void {
  const sorted = [...lines].sort((one, other) => one.box.top - other.box.top);
  for (const [index, one] of sorted.entries()) {
    for (let next = index + 1; next < sorted.length; next += 1) {
      const other = sorted[next] as Line;
      const height = Math.min(one.box.bottom, other.box.bottom) - other.box.top;
      if (height <= 0) break;
      const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const lower = Math.min(one.box.bottom - one.box.top, other.box.bottom - other.box.top);
      if (width > 2 && height > lower * 0.4 && one.layer === other.layer && one.node !== other.node) {
        found.findings.push(`${quoted(one.node.data)} and ${quoted(other.node.data)} lie over each other`);
      }
    }
  }
}

function inspectElements(scope: Element, styles: Styles, found: Inspection): void {
  for (const element of scope.querySelectorAll('*')) {
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    for (const name of ['aria-label', 'placeholder', 'title', 'alt', 'aria-valuetext']) {
      const text = element.getAttribute(name);
      if (text) found.texts.push(text.trim());
    }
    if (element.matches('input, textarea, select')) inspectField(element as HTMLInputElement, styles, found);
    if (element.closest('svg') && element.tagName !== 'svg') continue;
    const { left, right, width, height } = element.getBoundingClientRect();
    const out = width > 0 && height > 0 && (left < -1 || right > document.documentElement.clientWidth + 1);
    if (out && !isContained(element, scope, styles)) {
      found.findings.push(`${nameOf(element)} reaches from ${Math.round(left)} to ${Math.round(right)} px`);
    }
  }
}

/** Whether an ancestor scrolls sideways, clips decoration, or is itself too wide. */
function isContained(element: Element, scope: Element, styles: Styles): boolean {
  if (isHiddenFromSight(element, styles)) return true;
  for (let each = element.parentElement; each && each !== scope; each = each.parentElement) {
    if (/auto|scroll|hidden|clip/.test(styles(each).overflowX)) return true;
    const { left, right } = each.getBoundingClientRect();
    if (left < -1 || right > document.documentElement.clientWidth + 1) return true;
  }
  return false;
}

/** A field's one-line text fits into it. */
function inspectField(field: HTMLInputElement, styles: Styles, found: Inspection): void {
  if (field.tagName === 'TEXTAREA' || /^(checkbox|radio|file|hidden|range)$/.test(field.type)) return;
  if (isHiddenFromSight(field, styles)) return;
  const style = styles(field);
  const chosen = field as unknown as HTMLSelectElement;
  const isSelect = field.tagName === 'SELECT';
  const text = isSelect ? (chosen.selectedOptions[0]?.text ?? '') : field.value || field.placeholder;
  if (isSelect) found.texts.push(...[...chosen.options].map((option) => option.text));
  if (text === '' || field.type === 'password') return;
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return;
  context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const room =
    field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  const needed = context.measureText(text).width;
  if (needed > room + 1) {
    found.squeezed.push({
      how: `${Math.round(needed)} px in a ${nameOf(field)} of ${Math.round(room)} px`,
      text,
    });
  }
}

export const inspectionScript = [
  `const quoted = ${quoted};`,
  inspect,
  isHiddenFromSight,
  shownTexts,
  nameOf,
  inspectText,
  inspectClipping,
  cutBy,
  inspectBreaks,
  inspectOverlaps,
  inspectElements,
  isContained,
  inspectField,
].join('\n');
