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
}

/** Reads a report; null when `payload` is not one of a schema we know. */
export function readReport(payload: unknown): IReport | null {
  if (!isObject(payload) || payload['schema'] !== SCHEMA) {
    return null;
  }
  return {
    lines: items(payload['lines']).flatMap(readLine),
    breaks: items(payload['breaks']).flatMap(readBreak)
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
  return [{ line, endLine, source, status, ...explanation(item) }];
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
