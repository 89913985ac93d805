/**
 * Fixes that the kernel has tried, read from their JSON form.
 *
 * Like reports they come from a notebook file, which anyone may have written.
 */

import { structuredPatch } from 'diff';

/** MIME type of what `%npcompile fix` shows. */
export const FIXES_TYPE = 'application/vnd.jupyter-npcompile.fixes.v1+json';

const SCHEMA = 1;

/** A rewrite of a cell that gave the same results. */
export interface IFix {
  /** The line of the break point, 1-based. */
  readonly line: number;
  readonly title: string;
  /** The whole cell as it would be. */
  readonly next: string;
  readonly gain: string;
  readonly notes: readonly string[];
}

export interface IFixes {
  /** The whole cell as it was. */
  readonly source: string;
  readonly summary: string;
  readonly fixes: readonly IFix[];
  /** What was tried in vain, and why; in words. */
  readonly declined: readonly string[];
}

/** Reads fixes; null when `payload` is nothing of a schema we know. */
export function readFixes(payload: unknown): IFixes | null {
  if (!isObject(payload) || payload['schema'] !== SCHEMA) {
    return null;
  }
  const source = payload['source'];
  if (typeof source !== 'string') {
    return null;
  }
  return {
    source,
    summary: textOf(payload['summary']),
    fixes: items(payload['fixes']).flatMap(readFix),
    declined: items(payload['declined']).flatMap(readDeclined)
  };
}

function readFix(item: unknown): IFix[] {
  if (!isObject(item)) {
    return [];
  }
  const { line, new: next } = item;
  if (typeof line !== 'number' || typeof next !== 'string') {
    return [];
  }
  return [
    {
      line,
      next,
      title: textOf(item['title']),
      gain: textOf(item['gain']),
      notes: texts(item['notes'])
    }
  ];
}

function readDeclined(item: unknown): string[] {
  if (!isObject(item)) {
    return [];
  }
  const { line, title, reason } = item;
  return [
    `Line ${String(line)}: not offered: ${textOf(title)}, since ${textOf(reason)}`
  ];
}

/** Unchanged lines around a change. */
const CONTEXT = 2;

/**
 * The lines that change: each begins with `-`, `+` or a space; `…` stands
 * between two places.
 */
export function changes(source: string, next: string): string[] {
  const { hunks } = structuredPatch(
    '',
    '',
    `${source.trimEnd()}\n`,
    `${next.trimEnd()}\n`,
    '',
    '',
    { context: CONTEXT }
  );
  return hunks.flatMap(({ lines }, place) =>
    place > 0 ? ['…', ...lines] : lines
  );
}

/** Characters to put in the place of others. */
export interface IReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * What turns the present text of a cell into what a fix makes of it; null when
 * the text is not what the fix was made for.
 *
 * Only what differs is replaced, so that the cursor and the history stay.
 */
export function replacement(
  present: string,
  source: string,
  next: string
): IReplacement | null {
  if (present.trimEnd() !== source.trimEnd()) {
    return null;
  }
  const before = present.trimEnd();
  const after = next.trimEnd();
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) {
    start += 1;
  }
  let same = 0;
  while (
    same < shorter - start &&
    before[before.length - 1 - same] === after[after.length - 1 - same]
  ) {
    same += 1;
  }
  return {
    start,
    end: before.length - same,
    text: after.slice(start, after.length - same)
  };
}

function texts(value: unknown): string[] {
  return items(value).filter(item => typeof item === 'string');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function items(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
