/**
 * Places for what is visible of a level.
 *
 * The drawing reads like the source: every open group has rows of its own, in
 * reading order, so frames never overlap. Inside a group, operations stand
 * below what they read. An arrow that passes rows has a place in each of them
 * (one for all arrows from the same box), rows are ordered so that few arrows
 * cross (barycentres), and boxes then move as close to their neighbours as the
 * room between them allows (isotonic regression, row by row).
 */
import { columns, order } from './columns.js';
import type { ArrowKind, IArrow } from './outline.js';
import type { IFrame, IItem, IView } from './view.js';

export interface IRectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface IRoute {
  readonly tail: string;
  readonly head: string;
  readonly kind: ArrowKind;
  readonly points: readonly (readonly [number, number])[];
}

export interface ILayout {
  readonly width: number;
  readonly height: number;
  /** Left upper corner and size, by id. */
  readonly boxes: ReadonlyMap<string, IRectangle>;
  readonly frames: readonly {
    readonly frame: IFrame;
    readonly place: IRectangle;
  }[];
  readonly routes: readonly IRoute[];
}

const TITLE_CHARACTER = 6.9;
const DETAIL_CHARACTER = 5.7;
const PADDING = 24;
const INSET = 12;
const ROW_GAP = 26;
const HEADER = 24;
const MARGIN = 8;
const MOST_IN_ROW = 10;

/** Places that arrows may have in rows; longer ones then go straight. */
const MARKS = 4000;

interface IRow {
  readonly members: string[];
  y: number;
  height: number;
}

/** Finds a place for every box, frame and arrow. */
export function arrange(view: IView): ILayout {
  const sizes = new Map<string, [number, number]>();
  for (const item of view.items) {
    sizes.set(item.id, sizeOf(item));
  }
  const { rows, rowOf, bands } = ranked(view);
  const chains = trunks(view.arrows, rows, rowOf, sizes);
  const above = new Map<string, string[]>();
  const below = new Map<string, string[]>();
  for (const chain of new Set([...chains.values()].flatMap(links))) {
    const [upper, lower] = chain.split('\n') as [string, string];
    push(below, upper, lower);
    push(above, lower, upper);
  }
  const members = rows.map(row => row.members);
  order(members, above, below);
  const x = columns(members, above, below, sizes);
  return finish(view, rows, bands, x, sizes, chains);
}

export function sizeOf(item: IItem): [number, number] {
  const tag = item.line > 0 && item.group !== null ? 6 : 0;
  const lines = item.kind === 'break' ? [`✕  ${item.title}`] : [item.title];
  const title = Math.max(...lines.map(columnsOf)) + tag;
  const detail = columnsOf(
    item.kind === 'break' ? `→ ${item.group?.hint ?? ''}` : item.detail
  );
  const wide = Math.max(title * TITLE_CHARACTER, detail * DETAIL_CHARACTER, 26);
  const two = item.kind === 'break' ? item.group?.hint !== '' : item.detail;
  return [wide + PADDING, two ? 38 : 26];
}

function columnsOf(text: string): number {
  let count = 0;
  for (const one of text) {
    count +=
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f300}-\u{1faff}]/u.test(
        one
      )
        ? 2
        : 1;
  }
  return count;
}

/** A frame and the rows that it holds. */
interface IBand {
  readonly frame: IFrame;
  readonly first: number;
  last: number;
}

function ranked(view: IView): {
  rows: IRow[];
  rowOf: Map<string, number>;
  bands: IBand[];
} {
  const reads = new Map<string, string[]>();
  for (const { tail, head } of view.arrows) {
    push(reads, head, tail);
  }
  const rows: IRow[] = [];
  const rowOf = new Map<string, number>();
  const bands: IBand[] = [];
  const opened: IBand[] = [];
  let bottom = MARGIN;
  let bunch: string[] = [];

  const addRow = (ids: string[], sizes: readonly number[]): void => {
    const height = Math.max(...sizes);
    for (const id of ids) {
      rowOf.set(id, rows.length);
    }
    rows.push({ members: ids, y: bottom + height / 2, height });
    bottom += height + ROW_GAP;
  };
  const settle = (): void => {
    const rank = new Map<string, number>();
    const ranks: string[][] = [];
    for (const id of bunch) {
      const own = Math.max(
        0,
        ...(reads.get(id) ?? []).map(tail => (rank.get(tail) ?? -1) + 1)
      );
      rank.set(id, own);
      (ranks[own] ??= []).push(id);
    }
    for (const ids of ranks) {
      for (let from = 0; from < ids.length; from += MOST_IN_ROW) {
        const part = ids.slice(from, from + MOST_IN_ROW);
        addRow(
          part,
          part.map(id => heights.get(id) ?? 26)
        );
      }
    }
    bunch = [];
  };

  const heights = new Map(
    view.items.map(item => [item.id, sizeOf(item)[1]] as const)
  );
  let kindBefore = '';
  for (const step of view.steps) {
    if (step.kind === 'item' && step.item.group === null) {
      const kind =
        step.item.kind === 'input' || step.item.kind === 'output'
          ? step.item.kind
          : 'operation';
      if (bunch.length > 0 && kind !== kindBefore) {
        settle();
      }
      kindBefore = kind;
      bunch.push(step.item.id);
      continue;
    }
    settle();
    if (step.kind === 'item') {
      addRow([step.item.id], [heights.get(step.item.id) ?? 26]);
    } else if (step.kind === 'open') {
      const band = { frame: step.frame, first: rows.length, last: rows.length };
      opened.push(band);
      bands.push(band);
      // The heading is above the first row.
      bottom += HEADER;
    } else {
      const band = opened.pop();
      if (band !== undefined) {
        band.last = rows.length - 1;
      }
      bottom += 8;
    }
  }
  settle();
  return { rows, rowOf, bands };
}

/** For every arrow its boxes and the marks between, by `tail\nhead`. */
function trunks(
  arrows: readonly IArrow[],
  rows: readonly IRow[],
  rowOf: ReadonlyMap<string, number>,
  sizes: Map<string, [number, number]>
): Map<string, string[]> {
  let left = MARKS;
  const chains = new Map<string, string[]>();
  const spans = arrows
    .map(({ tail, head }) => {
      const from = rowOf.get(tail) ?? 0;
      const to = rowOf.get(head) ?? 0;
      return { tail, head, from, to };
    })
    .sort((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from));
  for (const { tail, head, from, to } of spans) {
    const [upper, lower] = from <= to ? [tail, head] : [head, tail];
    const marks: string[] = [];
    for (let row = Math.min(from, to) + 1; row < Math.max(from, to); row += 1) {
      const mark = `${upper}|${row}`;
      if (!sizes.has(mark)) {
        if (left <= 0) {
          marks.length = 0;
          break;
        }
        left -= 1;
        sizes.set(mark, [2, 0]);
        rows[row]?.members.push(mark);
      }
      marks.push(mark);
    }
    chains.set(`${tail}\n${head}`, [upper, ...marks, lower]);
  }
  return chains;
}

function links(chain: readonly string[]): string[] {
  return chain.slice(1).map((lower, i) => `${chain[i] ?? ''}\n${lower}`);
}

function finish(
  view: IView,
  rows: readonly IRow[],
  bands: readonly IBand[],
  x: ReadonlyMap<string, number>,
  sizes: ReadonlyMap<string, [number, number]>,
  chains: ReadonlyMap<string, readonly string[]>
): ILayout {
  const deepest = Math.max(0, ...bands.map(band => band.frame.depth + 1));
  let left = 0;
  let right = 0;
  for (const [key, middle] of x) {
    const half = (sizes.get(key)?.[0] ?? 0) / 2;
    left = Math.min(left, middle - half);
    right = Math.max(right, middle + half);
  }
  for (const { frame } of bands) {
    const { title, detail } = frame.group;
    const wanted = (columnsOf(title) + columnsOf(detail) + 10) * 6.6;
    right = Math.max(right, left + wanted);
  }
  const margin = MARGIN + deepest * INSET;
  const shift = margin - left;
  const width = right - left + 2 * margin;
  const y = new Map<string, number>();
  for (const row of rows) {
    for (const key of row.members) {
      y.set(key, row.y);
    }
  }
  const boxes = new Map<string, IRectangle>();
  for (const item of view.items) {
    const [wide, high] = sizes.get(item.id) ?? [0, 0];
    boxes.set(item.id, {
      x: (x.get(item.id) ?? 0) + shift - wide / 2,
      y: (y.get(item.id) ?? 0) - high / 2,
      width: wide,
      height: high
    });
  }
  const frames = bands.flatMap(band => {
    const first = rows[band.first];
    const last = rows[band.last];
    if (first === undefined || last === undefined || band.last < band.first) {
      return [];
    }
    // Frames that begin or end on the same row stand inside each other.
    const beginning = inner(bands, band, 'first');
    const ending = inner(bands, band, 'last');
    const top = first.y - first.height / 2 - HEADER * (1 + beginning) - 2;
    const bottom = last.y + last.height / 2 + 8 * (1 + ending);
    const inset = MARGIN + band.frame.depth * INSET;
    return [
      {
        frame: band.frame,
        place: {
          x: inset,
          y: top,
          width: width - 2 * inset,
          height: bottom - top
        }
      }
    ];
  });
  const bottom = Math.max(
    MARGIN,
    ...frames.map(({ place }) => place.y + place.height),
    ...[...boxes.values()].map(place => place.y + place.height)
  );
  return {
    width,
    height: bottom + MARGIN,
    boxes,
    frames,
    routes: view.arrows.map(({ tail, head, kind }) => {
      const chain = chains.get(`${tail}\n${head}`) ?? [tail, head];
      const upper = boxes.get(chain[0] ?? '');
      const lower = boxes.get(chain.at(-1) ?? '');
      const points: [number, number][] = chain
        .slice(1, -1)
        .map(mark => [(x.get(mark) ?? 0) + shift, y.get(mark) ?? 0]);
      if (upper !== undefined && lower !== undefined) {
        points.unshift([upper.x + upper.width / 2, upper.y + upper.height]);
        points.push([lower.x + lower.width / 2, lower.y]);
      }
      return {
        tail,
        head,
        kind,
        points: chain[0] === tail ? points : points.reverse()
      };
    })
  };
}

/** How many frames inside this one begin, or end, on the same row. */
function inner(
  bands: readonly IBand[],
  band: IBand,
  side: 'first' | 'last'
): number {
  const deeper = bands
    .filter(
      other =>
        other[side] === band[side] &&
        other.frame.depth > band.frame.depth &&
        other.first >= band.first &&
        other.last <= band.last
    )
    .map(other => other.frame.depth - band.frame.depth);
  return Math.max(0, ...deeper);
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const before = map.get(key);
  if (before === undefined) {
    map.set(key, [value]);
  } else {
    before.push(value);
  }
}
