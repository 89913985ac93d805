/** The shapes in the gutter: they differ in form, not in colour alone. */
import type { MarkKind } from './marks.js';

const SVG = 'http://www.w3.org/2000/svg';

const RING = 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 1 0 0-11z';

/** Outline and filled part of each symbol, in a box of 16 by 16. */
const SHAPES: Readonly<Record<MarkKind, { outline: string; fill: string }>> = {
  compiled: { outline: RING, fill: RING },
  host: { outline: RING, fill: 'M8 2.5a5.5 5.5 0 1 0 0 11z' },
  python: { outline: RING, fill: '' },
  break: { outline: 'M8 2L15 14H1z', fill: 'M8 2L15 14H1z' }
};

/** The symbol of a kind of mark; text goes in as text, never as markup. */
export function symbol(kind: MarkKind, label: string): HTMLElement {
  const element = document.createElement('span');
  element.className = `jp-npcompile-mark jp-npcompile-${kind}`;
  element.setAttribute('role', 'img');
  element.setAttribute('aria-label', label);
  element.title = label;

  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  svg.append(
    path('jp-npcompile-fill', SHAPES[kind].fill),
    path('jp-npcompile-outline', SHAPES[kind].outline)
  );
  element.append(svg);
  return element;
}

function path(className: string, data: string): SVGPathElement {
  const element = document.createElementNS(SVG, 'path');
  element.setAttribute('class', className);
  element.setAttribute('d', data);
  return element;
}
