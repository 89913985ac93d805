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
  /** Floating-point operations; null where they cannot be told. */
  readonly flops: number | null;
  /** The formula for them. */
  readonly rule: string;
  /** Microseconds that it takes by itself; 0 where that was not measured. */
  readonly us: number;
  /** Of a kernel: what it moves in a second, beside what memory can. */
  readonly rate: string;
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
  /** Of a segment: in what the time of its operations was measured. */
  readonly time: string;
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
    rows: list(data['rows']).map(row => fields(row, ROW))
  };
}

function readLevel(payload: unknown): ILevel {
  const data = record(payload);
  const known = new Set(['']);
  const groups: IGroup[] = [];
  for (const item of list(data['groups']).map(group => fields(group, GROUP))) {
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

const ROW = {
  kind: text,
  lines: numbers,
  title: text,
  numpy: number,
  compiled: number,
  bound: number,
  moves: number
};

const GROUP = {
  id: text,
  parent: text,
  kind: text,
  title: text,
  detail: text,
  hint: text,
  time: text,
  line: number,
  end: number,
  at: number
};

const BOX = {
  id: text,
  kind: text,
  title: text,
  detail: text,
  text,
  line: number,
  lines: numbers,
  fuses: texts,
  moves: number,
  dtype: text,
  shape: text,
  bytes: number,
  flops: (value: unknown): number | null =>
    typeof value === 'number' ? number(value) : null,
  rule: text,
  us: number,
  rate: text,
  group: text,
  at: number
};

function readBox(payload: unknown): IBox {
  const box = fields(payload, BOX);
  return box.lines.length > 0 ? box : { ...box, lines: [box.line] };
}

/** Reads each field with its reader. */
function fields<T>(
  payload: unknown,
  readers: { readonly [K in keyof T]: (value: unknown) => T[K] }
): T {
  const data = record(payload);
  const found: Partial<T> = {};
  for (const name in readers) {
    found[name] = readers[name](data[name]);
  }
  return found as T;
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

function numbers(value: unknown): readonly number[] {
  return list(value).map(number);
}

function texts(value: unknown): readonly string[] {
  return list(value).map(text);
}
