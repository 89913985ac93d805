/** The drawing of a view as an SVG tree that a keyboard can walk through. */
import { svg } from './dom.js';
import type { ILayout, IRectangle, IRoute } from './layout.js';
import type { IFrame, IItem, IView } from './view.js';

const ARROW = 5;

/** Draws a view; every item and frame carries its id in `data-id`. */
export function draw(
  view: IView,
  layout: ILayout,
  label: string
): SVGSVGElement {
  const { width, height } = layout;
  const positions = new Map(view.items.map((item, i) => [item.id, i + 1]));
  return svg(
    'svg',
    {
      class: 'npcg-svg',
      viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`,
      role: 'tree',
      'aria-label': label
    },
    svg(
      'g',
      { role: 'presentation' },
      ...layout.frames.map(({ frame, place }) => drawFrame(frame, place))
    ),
    svg('g', { role: 'presentation' }, ...layout.routes.map(drawRoute)),
    svg(
      'g',
      { role: 'presentation' },
      ...view.items.map(item =>
        drawItem(item, layout.boxes.get(item.id), positions.get(item.id) ?? 0)
      )
    )
  );
}

function drawFrame(frame: IFrame, place: IRectangle): SVGGElement {
  const { group, depth } = frame;
  const { x, y, width, height } = place;
  const where = group.line > 0 ? `line ${group.line}` : '';
  return svg(
    'g',
    {
      class: `npcg-frame npcg-${group.kind}`,
      'data-id': group.id,
      'data-line': group.line,
      role: 'treeitem',
      'aria-level': depth + 1,
      'aria-expanded': 'true',
      'aria-selected': 'false',
      tabindex: -1
    },
    // The name for assistive technology, and what the pointer shows.
    svg(
      'title',
      {},
      [group.kind, where, group.title, group.detail]
        .filter(part => part !== '')
        .join(', ')
    ),
    svg('rect', { x, y, width, height, rx: 6 }),
    svg(
      'text',
      { x: x + 10, y: y + 16 },
      svg('tspan', { class: 'npcg-fold' }, '▾ '),
      ...(group.line > 0
        ? [svg('tspan', { class: 'npcg-number' }, `${group.line}  `)]
        : []),
      svg('tspan', { class: 'npcg-heading' }, group.title),
      svg('tspan', { class: 'npcg-quiet' }, `   ${group.detail}`)
    )
  );
}

function drawItem(
  item: IItem,
  place: IRectangle | undefined,
  at: number
): SVGGElement {
  const { x, y, width, height } = place ?? { x: 0, y: 0, width: 0, height: 0 };
  const middle = x + width / 2;
  const hint = item.kind === 'break' ? (item.group?.hint ?? '') : '';
  const below = item.kind === 'break' ? hint && `→ ${hint}` : item.detail;
  const closed = item.group !== null && item.kind !== 'break';
  const round = item.kind === 'input' || item.kind === 'output';
  return svg(
    'g',
    {
      class: `npcg-item npcg-${item.kind}${closed ? ' npcg-closed' : ''}`,
      'data-id': item.id,
      'data-line': item.lines.join(' '),
      role: 'treeitem',
      'aria-level': item.depth + 1,
      'aria-posinset': at,
      'aria-selected': 'false',
      ...(closed ? { 'aria-expanded': 'false' } : {}),
      tabindex: -1
    },
    svg('title', {}, describe(item)),
    svg('rect', { x, y, width, height, rx: round ? height / 2 : 4 }),
    svg(
      'text',
      { x: middle, y: y + (below ? height / 2 - 2 : height / 2 + 4) },
      ...(closed ? [svg('tspan', { class: 'npcg-fold' }, '▸ ')] : []),
      ...(closed && item.line > 0
        ? [svg('tspan', { class: 'npcg-number' }, `${item.line}  `)]
        : []),
      item.kind === 'break' ? `✕ ${item.title}` : item.title
    ),
    ...(below
      ? [
          svg(
            'text',
            { class: 'npcg-quiet', x: middle, y: y + height / 2 + 12 },
            below
          )
        ]
      : [])
  );
}

/** An item in words. */
function describe(item: IItem): string {
  const where = item.line > 0 ? `line ${item.line}: ` : '';
  if (item.kind === 'break') {
    const hint = item.group?.hint ?? '';
    return `Break point, ${where}${item.title}${hint && ` → ${hint}`}`;
  }
  if (item.box !== null) {
    return `${where}${item.box.text}`;
  }
  return `${item.kind}, ${where}${item.title}, ${item.detail}`;
}

function drawRoute(route: IRoute): SVGPathElement {
  const [first, ...rest] = route.points;
  if (first === undefined || rest.length === 0) {
    return svg('path');
  }
  let [x, y] = first;
  const end = rest.at(-1) ?? first;
  const down = end[1] >= y ? 1 : -1;
  let data = `M${round(x)},${round(y)}`;
  rest.forEach(([toX, toY], i) => {
    const stop = i === rest.length - 1 ? toY - down * ARROW : toY;
    const bend = (stop - y) / 2;
    data += `C${round(x)},${round(y + bend)} ${round(toX)},${round(stop - bend)} ${round(toX)},${round(stop)}`;
    [x, y] = [toX, stop];
  });
  // The head of the arrow, drawn with the line.
  data += `m-2.4,0h4.8l-2.4,${down * ARROW}z`;
  return svg('path', {
    class: `npcg-arrow npcg-${route.kind}`,
    'data-tail': route.tail,
    'data-head': route.head,
    d: data
  });
}

function round(value: number): string {
  return value.toFixed(1);
}
