/**
 * The part of a report that the editor shows, read from its JSON form.
 *
 * The JSON comes from a notebook file, which anyone may have written: what does
 * not have the expected form is left out, nothing is trusted.
 */

/** MIME type of the report that `%%npcompile` leaves in the cell's outputs. */
export const MIME_TYPE = 'application/vnd.jupyter-npcompile.v1+json';

/** Schema version this front end understands. */
const SCHEMA = 1;

const STATUSES = ['compiled', 'host', 'python'] as const;

/** What capture did with a line. */
export type Status = (typeof STATUSES)[number];

/** One statement of the cell. Lines are 1-based. */
export interface IReportLine {
  readonly line: number;
  readonly endLine: number;
  readonly source: string;
  readonly status: Status;
  readonly reason: string | null;
  readonly hint: string | null;
  /** Id of its region. */
  readonly region: number | null;
  /** Arrays that it binds, as `x: float64[3]`. */
  readonly assigns: readonly string[];
}

/** How a part of the cell runs. */
export interface IReportRegion {
  readonly id: number;
  readonly tier: string;
  readonly numpyUs: number | null;
  readonly compiledUs: number | null;
  readonly note: string;
}

/** A place that splits captured code. */
export interface IReportBreak {
  readonly line: number;
  readonly reason: string | null;
  readonly hint: string | null;
}

export interface IReport {
  readonly lines: readonly IReportLine[];
  readonly breaks: readonly IReportBreak[];
  readonly regions: readonly IReportRegion[];
  /** The cell as it was when it ran; empty when the report does not say. */
  readonly source: string;
  readonly device: string;
}

/** Reads a report; null when `payload` is not one of a schema we know. */
export function readReport(payload: unknown): IReport | null {
  if (!isObject(payload) || payload['schema'] !== SCHEMA) {
    return null;
  }
  return {
    lines: items(payload['lines']).flatMap(readLine),
    breaks: items(payload['breaks']).flatMap(readBreak),
    regions: items(payload['regions']).flatMap(readRegion),
    source: textOf(payload['source']) ?? '',
    device: textOf(payload['device']) ?? ''
  };
}

function readLine(item: unknown): IReportLine[] {
  if (!isObject(item)) {
    return [];
  }
  const { line, end_line: endLine, source, status } = item;
  if (
    !isLineNumber(line) ||
    !isLineNumber(endLine) ||
    endLine < line ||
    typeof source !== 'string' ||
    !isStatus(status)
  ) {
    return [];
  }
  const region = item['region'];
  return [
    {
      line,
      endLine,
      source,
      status,
      ...explanation(item),
      region: typeof region === 'number' ? region : null,
      assigns: items(item['assigns']).flatMap(readAssignment)
    }
  ];
}

function readAssignment(item: unknown): string[] {
  if (!isObject(item)) {
    return [];
  }
  const name = textOf(item['name']);
  const dtype = textOf(item['dtype']);
  if (name === null || dtype === null) {
    return [];
  }
  const shape = items(item['shape']).map(String).join(', ');
  return [`${name}: ${dtype}${shape === '' ? '' : `[${shape}]`}`];
}

function readRegion(item: unknown): IReportRegion[] {
  if (!isObject(item) || typeof item['id'] !== 'number') {
    return [];
  }
  const timings = isObject(item['timings']) ? item['timings'] : {};
  return [
    {
      id: item['id'],
      tier: textOf(item['tier']) ?? '',
      numpyUs: timeOf(timings['numpy_us']),
      compiledUs: timeOf(timings['compiled_us']),
      note: textOf(item['note']) ?? ''
    }
  ];
}

function timeOf(value: unknown): number | null {
  return typeof value === 'number' && value > 0 ? value : null;
}

function readBreak(item: unknown): IReportBreak[] {
  if (!isObject(item) || !isLineNumber(item['line'])) {
    return [];
  }
  return [{ line: item['line'], ...explanation(item) }];
}

function explanation(item: Record<string, unknown>): {
  reason: string | null;
  hint: string | null;
} {
  return { reason: textOf(item['reason']), hint: textOf(item['hint']) };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isLineNumber(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isStatus(value: unknown): value is Status {
  return STATUSES.some(status => status === value);
}
