/** Where the time went, as a table with bars. */
import { duration } from '../duration.js';
import { bytes } from './details.js';
import { html, svg } from './dom.js';
import type { ITimeRow, ITiming } from './outline.js';

/** The key of its tab. */
export const TIMING = 'timing';

/** Rows that are shown. */
const MOST = 500;

/** Width of the longest bar. */
const BAR = 64;

const HEADS = [
  'Lines',
  'What',
  '',
  'NumPy',
  'Compiled',
  'Moves',
  'Rate',
  'Bound'
];

export function timing(data: ITiming): HTMLElement {
  const rows = data.rows.slice(0, MOST);
  const longest = scales(rows);
  const more = data.rows.length - rows.length;
  return html(
    'div',
    {
      class: 'npcg-table npcg-timing',
      tabindex: 0,
      role: 'region',
      'aria-label': 'Timing'
    },
    html(
      'table',
      {},
      html(
        'thead',
        {},
        html(
          'tr',
          {},
          ...HEADS.map(head =>
            head === '' ? html('td') : html('th', { scope: 'col' }, head)
          )
        )
      ),
      html('tbody', {}, ...rows.map((row, i) => drawRow(row, longest[i] ?? 1)))
    ),
    html('p', { class: 'npcg-quiet' }, explain(data, more))
  );
}

/** For each row the time that the longest bar of its region stands for. */
export function scales(rows: readonly ITimeRow[]): number[] {
  const groups: number[][] = [];
  for (const row of rows) {
    if (row.kind === 'region' || groups.length === 0) {
      groups.push([]);
    }
    groups.at(-1)?.push(Math.max(row.numpy, row.compiled, row.bound));
  }
  return groups.flatMap(group => {
    const longest = Math.max(...group) || 1;
    return group.map(() => longest);
  });
}

function explain(data: ITiming, more: number): string {
  const parts = [
    ...(more > 0 ? [`… ${more} more rows`] : []),
    ...(data.note === '' ? [] : [data.note]),
    ...(data.bandwidth > 0
      ? [
          `Bound: what one thread needs to move the bytes to and from memory, at ${bytes(data.bandwidth, 2)} a second; several threads, and arrays that fit into caches, can be faster`
        ]
      : []),
    'Each region has a scale of its own',
    ...(data.rows.some(row => row.kind === 'line')
      ? [
          'Lines and kernels were timed one by one, the best of some runs: without what lies between them, such as fresh memory'
        ]
      : ['%npcompile timing measures lines and kernels, too']),
    ...(data.rows.some(row => row.kind === 'kernel' && best(row) === 0)
      ? ['Kernels without a time are part of that of their region']
      : [])
  ];
  return `${parts.join('. ')}.`;
}

function drawRow(row: ITimeRow, longest: number): HTMLElement {
  const [first = 0, last = 0] = [row.lines[0], row.lines.at(-1)];
  const span =
    row.kind === 'region' && last > first
      ? `${first}-${last}`
      : [...new Set(row.lines)].join(', ');
  const us = best(row);
  const known = row.bound > 0 && us > 0;
  const share = known ? ` (${Math.round((100 * row.bound) / us)}%)` : '';
  const lit = row.kind === 'region' ? [] : row.lines;
  return html(
    'tr',
    { class: `npcg-time-${row.kind}`, 'data-line': lit.join(' ') },
    html('td', {}, first > 0 ? span : ''),
    html('td', {}, row.title),
    html('td', {}, drawBars(row, longest)),
    html('td', {}, row.numpy > 0 ? duration(row.numpy) : ''),
    html('td', {}, row.compiled > 0 ? duration(row.compiled) : ''),
    html('td', {}, row.moves > 0 ? bytes(row.moves, 2) : ''),
    html('td', {}, known ? `${bytes((row.moves / us) * 1e6, 2)}/s` : ''),
    html('td', {}, row.bound > 0 ? `${duration(row.bound)}${share}` : '')
  );
}

/** The time of the faster way, or 0. */
function best(row: ITimeRow): number {
  return Math.min(row.compiled || row.numpy, row.numpy || row.compiled);
}

/** A bar for each time, and the bound as a line across them. */
function drawBars(row: ITimeRow, longest: number): Node {
  const bars = [
    { name: 'NumPy', us: row.numpy },
    { name: 'compiled', us: row.compiled }
  ].filter(({ us }) => us > 0);
  const height = 6 * Math.max(bars.length, 1) + 2;
  const length = (us: number): number => Math.max((us / longest) * BAR, 1);
  const named = [...bars, { name: 'bound', us: row.bound }].filter(
    ({ us }) => us > 0
  );
  if (named.length === 0) {
    return document.createTextNode('');
  }
  return svg(
    'svg',
    {
      width: BAR + 2,
      height,
      role: 'img',
      'aria-label': named
        .map(({ name, us }) => `${name} ${duration(us)}`)
        .join(', ')
    },
    ...bars.map(({ name, us }, i) =>
      svg('rect', {
        class: `npcg-time-${name.toLowerCase()}`,
        x: 0,
        y: 1 + 6 * i,
        width: length(us),
        height: 5
      })
    ),
    ...(row.bound > 0
      ? [
          svg('path', {
            class: 'npcg-time-bound',
            d: `M${length(row.bound)},0v${height}`
          })
        ]
      : [])
  );
}
