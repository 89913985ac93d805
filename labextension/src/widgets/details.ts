/** What is known about the selected operation or break point. */
import { duration } from '../duration.js';
import { button, html } from './dom.js';
import type { IBox } from './outline.js';
import type { Level } from './view.js';

/** Kinds of boxes that stand for something that runs. */
const COMPUTED: ReadonlySet<string> = new Set(['operation', 'view', 'write']);

/** Names of neighbours that are shown. */
const MOST = 12;

/** Facts about a box or break point; null when there is no such thing. */
export function details(
  level: Level,
  id: string,
  select: (id: string) => void
): Node[] | null {
  const box = level.boxes.get(id);
  const group = level.groups.get(id);
  const facts: [string, Node | string][] = [];
  let head: string;
  if (box !== undefined) {
    const reads = level.data.arrows.filter(arrow => arrow.head === id);
    const readers = level.data.arrows.filter(arrow => arrow.tail === id);
    head = box.text;
    facts.push(
      [
        box.lines.length > 1 ? 'Lines' : 'Line',
        box.line > 0 ? box.lines.join(', ') : '–'
      ],
      ...(box.fuses.length > 0
        ? ([['Computes', box.fuses.join(', ')]] as [string, string][])
        : []),
      ...(box.moves > 0
        ? ([['Moves', bytes(box.moves)]] as [string, string][])
        : []),
      ['dtype', box.dtype || '–'],
      ['Shape', box.shape || '–'],
      ['Memory', box.bytes > 0 ? bytes(box.bytes) : '–'],
      ...(COMPUTED.has(box.kind)
        ? ([
            ['FLOPs', flops(box)],
            ['Time', time(level, box)]
          ] as [string, string][])
        : []),
      ...(box.rate === '' ? [] : ([['Rate', box.rate]] as [string, string][])),
      [
        'Reads',
        names(
          level,
          reads.map(arrow => arrow.tail),
          select
        )
      ],
      [
        'Read by',
        names(
          level,
          readers.map(arrow => arrow.head),
          select
        )
      ]
    );
  } else if (group?.kind === 'break') {
    head = `✕ Break point: ${group.title}`;
    facts.push(['Line', String(group.line)], ['Hint', group.hint || '–']);
  } else {
    return null;
  }
  return [
    html('code', {}, head),
    html(
      'dl',
      {},
      ...facts.map(([name, value]) =>
        html('div', {}, html('dt', {}, name), html('dd', {}, value))
      )
    )
  ];
}

/** Floating-point operations of a box, with their formula. */
function flops(box: IBox): string {
  if (box.flops === null) {
    return 'unknown';
  }
  const count = box.flops.toLocaleString('en');
  return box.rule === '' ? count : `${count} (${box.rule})`;
}

/** Its own time, or in what it was measured. */
function time(level: Level, box: IBox): string {
  if (box.us > 0) {
    return level.data.key === 'numpy'
      ? `${duration(box.us)} in NumPy, by itself`
      : `${duration(box.us)}, by itself`;
  }
  const known = level.around(box.id).map(id => level.groups.get(id)?.time);
  return known.find(part => Boolean(part)) ?? 'not measured';
}

function names(
  level: Level,
  ids: readonly string[],
  select: (id: string) => void
): Node | string {
  if (ids.length === 0) {
    return '–';
  }
  const shown = ids.slice(0, MOST).map(id =>
    button(level.boxes.get(id)?.title ?? id, '', () => {
      select(id);
    })
  );
  const more = ids.length - shown.length;
  return html('span', {}, ...shown, more > 0 ? ` and ${more} more` : '');
}

/** A size in words. */
export function bytes(count: number, precision: 2 | 3 = 3): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let at = 0;
  let value = count;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  const digits =
    at === 0 || value >= 10 ** (precision - 1)
      ? value.toFixed(0)
      : value.toPrecision(precision);
  return `${digits} ${units[at] ?? ''}`;
}
