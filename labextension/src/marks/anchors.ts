/**
 * Anchors: on which line of the document a mark belongs now.
 *
 * A saved report speaks of lines as they were when the cell ran. Marks are
 * therefore placed by the text of their statements, in order: they move with
 * lines inserted or removed above, and a statement that was changed gets none.
 */
import type { IMark } from './marks.js';

/** A mark and the 1-based line of the document where it belongs. */
export interface IAnchor {
  readonly mark: IMark;
  readonly line: number;
}

/** Places `marks` (in the order of their lines) on the lines of a document. */
export function anchor(
  marks: readonly IMark[],
  document: readonly string[]
): readonly IAnchor[] {
  const lines = document.map(line => line.trim());
  const statements = marks.map(mark => mark.sources.map(trimmedLines));

  // Nearly always nothing moved, and then no search is needed.
  let same = 0;
  for (const mark of marks) {
    if (!stands(statements[same] ?? [], lines, mark.line - 1)) {
      break;
    }
    same += 1;
  }
  const kept = marks.slice(0, same).map(mark => ({ mark, line: mark.line }));
  const searched = marks.slice(same);
  const start = kept.at(-1)?.line ?? 0;
  return [
    ...kept,
    ...longestMatch(searched.length, lines.length - start, (i, j) =>
      stands(statements[same + i] ?? [], lines, start + j)
    ).flatMap(([i, j]) => {
      const mark = searched[i];
      return mark === undefined ? [] : [{ mark, line: start + j + 1 }];
    })
  ];
}

function trimmedLines(source: string): readonly string[] {
  return source
    .trim()
    .split('\n')
    .map(line => line.trim());
}

/** Whether all statements stand, whole, on the line `at` (0-based). */
function stands(
  statements: readonly (readonly string[])[],
  lines: readonly string[],
  at: number
): boolean {
  return (
    statements.length > 0 &&
    statements.every(statement => {
      const source = statement.join('\n');
      const text = lines.slice(at, at + statement.length).join('\n');
      return source !== '' && isWhole(source, text);
    })
  );
}

/**
 * Whether `source` is one whole statement of `text`: what precedes it ends
 * another statement, what follows it begins one or is a comment.
 */
function isWhole(source: string, text: string): boolean {
  for (
    let at = text.indexOf(source);
    at >= 0;
    at = text.indexOf(source, at + 1)
  ) {
    const before = text.slice(0, at).trimEnd();
    const after = text.slice(at + source.length).trimStart();
    const opened = source.endsWith(':') || /^($|[;:#])/.test(after);
    if (/(^|[;:])$/.test(before) && opened) {
      return true;
    }
  }
  return false;
}

/** Longest list of pairs (i, j), both rising, for which `match` holds. */
function longestMatch(
  rows: number,
  columns: number,
  match: (i: number, j: number) => boolean
): readonly (readonly [number, number])[] {
  if (rows <= 0 || columns <= 0) {
    return [];
  }
  // best[i][j]: how many pairs rows i.. and columns j.. can give.
  const width = columns + 1;
  const best = new Uint32Array((rows + 1) * width);
  const matches = new Uint8Array(rows * columns);
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      const paired = match(i, j);
      matches[i * columns + j] = paired ? 1 : 0;
      best[i * width + j] = Math.max(
        best[(i + 1) * width + j] ?? 0,
        best[i * width + j + 1] ?? 0,
        paired ? 1 + (best[(i + 1) * width + j + 1] ?? 0) : 0
      );
    }
  }
  const pairs: [number, number][] = [];
  let i = 0;
  let j = 0;
  while (i < rows && j < columns) {
    const here = best[i * width + j] ?? 0;
    const paired = matches[i * columns + j] === 1;
    if (paired && here === 1 + (best[(i + 1) * width + j + 1] ?? 0)) {
      pairs.push([i, j]);
      i += 1;
      j += 1;
    } else if (here === best[i * width + j + 1]) {
      j += 1;
    } else {
      i += 1;
    }
  }
  return pairs;
}
