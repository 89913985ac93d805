/**
 * The outline of a captured graph, read from the state of a widget.
 *
 * The state may come from a notebook file, which anyone may have written: what
 * does not have the expected form is left out, nothing is trusted.
 */

/** One operation, input or output. */
export interface IBox {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  /** The whole operation. */
  readonly text: string;
  readonly line: number;
  /** All lines it belongs to: a kernel may belong to several. */
  readonly lines: readonly number[];
  /** Of a kernel: the operations that it computes. */
  readonly fuses: readonly string[];
  /** Of a kernel: bytes that it reads and writes. */
  readonly moves: number;
  readonly dtype: string;
  readonly shape: string;
  readonly bytes: number;
  readonly group: string;
  /** Place in reading order, among groups and boxes. */
  readonly at: number;
}

/** A loop, segment, source line, run of these, or break point. */
export interface IGroup {
  readonly id: string;
  readonly parent: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly hint: string;
  readonly line: number;
  readonly end: number;
  readonly at: number;
}

/** Data that flows; only memory that was written before; across a break point. */
export type ArrowKind = 'data' | 'memory' | 'across';

export interface IArrow {
  readonly tail: string;
  readonly head: string;
  readonly kind: ArrowKind;
}

export interface ILevel {
  readonly key: string;
  readonly title: string;
  readonly groups: readonly IGroup[];
  readonly boxes: readonly IBox[];
  readonly arrows: readonly IArrow[];
}

/** Where the time went: a region, and its lines and kernels after it. */
export interface ITimeRow {
  readonly kind: string;
  readonly lines: readonly number[];
  readonly title: string;
  /** Microseconds; 0 for what was not measured. */
  readonly numpy: number;
  readonly compiled: number;
  readonly bound: number;
  readonly moves: number;
}

export interface ITiming {
  /** Bytes a second. */
  readonly bandwidth: number;
  readonly note: string;
  readonly rows: readonly ITimeRow[];
}

export interface IOutline {
  readonly source: string;
  readonly summary: string;
  readonly levels: readonly ILevel[];
  readonly timing: ITiming;
}

const ARROWS: readonly ArrowKind[] = ['data', 'memory', 'across'];

/** Reads an outline; what is of another form is left out. */
export function readOutline(payload: unknown): IOutline {
  const data = record(payload);
  return {
    source: text(data['source']),
    summary: text(data['summary']),
    levels: list(data['levels']).map(readLevel),
    timing: readTiming(data['timing'])
  };
}

function readTiming(payload: unknown): ITiming {
  const data = record(payload);
  return {
    bandwidth: number(data['bandwidth']),
    note: text(data['note']),
    rows: list(data['rows']).map(item => {
      const row = record(item);
      return {
        kind: text(row['kind']),
        lines: list(row['lines']).map(number),
        title: text(row['title']),
        numpy: number(row['numpy']),
        compiled: number(row['compiled']),
        bound: number(row['bound']),
        moves: number(row['moves'])
      };
    })
  };
}

function readLevel(payload: unknown): ILevel {
  const data = record(payload);
  const known = new Set(['']);
  const groups: IGroup[] = [];
  for (const item of list(data['groups']).map(readGroup)) {
    // A group follows the one that holds it, so that none holds itself.
    if (item.id !== '' && !known.has(item.id) && known.has(item.parent)) {
      known.add(item.id);
      groups.push(item);
    }
  }
  const boxes = list(data['boxes'])
    .map(readBox)
    .filter(box => known.has(box.group));
  const ids = new Set(boxes.map(box => box.id));
  return {
    key: text(data['key']),
    title: text(data['title']),
    groups,
    boxes,
    arrows: list(data['arrows']).flatMap(item => {
      const [tail, head, kind] = list(item);
      const known = ids.has(text(tail)) && ids.has(text(head));
      return known
        ? [
            {
              tail: text(tail),
              head: text(head),
              kind: ARROWS[number(kind)] ?? 'data'
            }
          ]
        : [];
    })
  };
}

function readGroup(payload: unknown): IGroup {
  const data = record(payload);
  return {
    id: text(data['id']),
    parent: text(data['parent']),
    kind: text(data['kind']),
    title: text(data['title']),
    detail: text(data['detail']),
    hint: text(data['hint']),
    line: number(data['line']),
    end: number(data['end']),
    at: number(data['at'])
  };
}

function readBox(payload: unknown): IBox {
  const data = record(payload);
  const lines = list(data['lines']).map(number);
  return {
    id: text(data['id']),
    kind: text(data['kind']),
    title: text(data['title']),
    detail: text(data['detail']),
    text: text(data['text']),
    line: number(data['line']),
    lines: lines.length > 0 ? lines : [number(data['line'])],
    fuses: list(data['fuses']).map(text),
    moves: number(data['moves']),
    dtype: text(data['dtype']),
    shape: text(data['shape']),
    bytes: number(data['bytes']),
    group: text(data['group']),
    at: number(data['at'])
  };
}

export function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)
    : {};
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function number(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
