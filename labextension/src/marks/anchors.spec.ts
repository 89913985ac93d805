import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { anchor } from './anchors.js';
import type { IMark } from './marks.js';

function mark(line: number, ...sources: string[]): IMark {
  return {
    line,
    height: 1,
    sources,
    kind: 'compiled',
    label: 'Compiled',
    facts: []
  };
}

/** Where the marks go: the line of each mark, null when it has none. */
function lines(marks: readonly IMark[], text: string): (number | null)[] {
  const anchors = anchor(marks, text.split('\n'));
  return marks.map(
    one => anchors.find(place => place.mark === one)?.line ?? null
  );
}

const marks = [
  mark(2, 'a = np.ones(3)'),
  mark(3, 'for i in range(3):'),
  mark(4, 'a = a + i'),
  mark(5, 'b = a.sum()')
];
const cell = `%%npcompile
a = np.ones(3)
for i in range(3):
    a = a + i
b = a.sum()`;

describe('anchor', () => {
  it('leaves marks where they are when nothing changed', () => {
    assert.deepEqual(lines(marks, cell), [2, 3, 4, 5]);
  });

  it('moves marks with lines inserted and removed', () => {
    const edited = cell
      .replace('a = np', '# first\n\na = np')
      .replace('    a = a + i\n', '');
    assert.deepEqual(lines(marks, edited), [4, 5, null, 6]);
  });

  it('drops the mark of a line that changed, and only that one', () => {
    assert.deepEqual(lines(marks, cell.replace('a + i', 'a * i')), [
      2,
      3,
      null,
      5
    ]);
    assert.deepEqual(lines(marks, cell.replace('b = a', 'bb = a')), [
      2,
      3,
      4,
      null
    ]);
    assert.deepEqual(lines(marks, cell.replace('.sum()', '.sum() + 1')), [
      2,
      3,
      4,
      null
    ]);
  });

  it('accepts another indentation, trailing comments and semicolons', () => {
    const edited = `%%npcompile
a = np.ones(3)  # three
if True:
    for i in range(3):  # header
      a = a + i
    b = a.sum();`;
    assert.deepEqual(lines(marks, edited), [2, 4, 5, 6]);
  });

  it('finds a header whose source has no colon, and one-line bodies', () => {
    assert.deepEqual(
      lines([mark(1, 'if x > 0', 'y = 1')], 'if x > 0: y = 1'),
      [1]
    );
  });

  it('needs every statement of the line', () => {
    const two = [mark(1, 'a = 1', 'b = 2')];
    assert.deepEqual(lines(two, '\na = 1; b = 2'), [2]);
    assert.deepEqual(lines(two, 'a = 1; b = 3'), [null]);
  });

  it('compares all lines of a long statement', () => {
    const long = [mark(1, 'y = f(\n    x,\n    2)')];
    assert.deepEqual(lines(long, '\ny = f(\n  x,\n  2)'), [2]);
    assert.deepEqual(lines(long, 'y = f(\n    x,\n    3)'), [null]);
  });

  it('keeps the order among equal lines', () => {
    const equal = [mark(1, 'x += 1'), mark(2, 'x += 1'), mark(3, 'y = x')];
    assert.deepEqual(lines(equal, 'z = 0\nx += 1\nx += 1\ny = x'), [2, 3, 4]);
    assert.deepEqual(lines(equal, 'x += 1\nx += 1\ny = x\nx += 1'), [1, 2, 3]);
  });

  it('places nothing on an empty document or without text', () => {
    assert.deepEqual(lines(marks, ''), [null, null, null, null]);
    assert.deepEqual(lines([mark(1, '')], 'a = 1'), [null]);
    assert.deepEqual(lines([mark(1)], 'a = 1'), [null]);
  });

  it('copes with line numbers far outside the document', () => {
    assert.deepEqual(lines([mark(1e9, 'a = 1')], 'a = 1'), [1]);
  });
});
