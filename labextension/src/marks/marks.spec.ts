import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import type { IReportLine } from '../report.js';
import { marksOf } from './marks.js';

function statement(
  line: number,
  source: string,
  rest: Partial<IReportLine> = {}
): IReportLine {
  return {
    line,
    endLine: line,
    source,
    status: 'compiled',
    reason: null,
    hint: null,
    region: null,
    assigns: [],
    ...rest
  };
}

describe('marksOf', () => {
  it('gives one mark a statement, in the order of the lines', () => {
    const marks = marksOf({
      lines: [
        statement(3, 'np.save("f", y)', {
          status: 'host',
          reason: 'writes a file',
          hint: 'move it below'
        }),
        statement(2, 'y = np.sin(x)'),
        statement(4, 'import os', { status: 'python', reason: 'import' })
      ],
      breaks: []
    });
    assert.deepEqual(
      marks.map(mark => [mark.line, mark.kind, mark.label]),
      [
        [2, 'compiled', 'Compiled'],
        [3, 'host', 'Stays in NumPy: writes a file\nHint: move it below'],
        [4, 'python', 'Plain Python: import']
      ]
    );
  });

  it('shows a break point in place of the status', () => {
    const [mark] = marksOf({
      lines: [statement(2, 'print(y)', { status: 'python' })],
      breaks: [{ line: 2, reason: 'print in the loop', hint: null }]
    });
    assert.equal(mark?.kind, 'break');
    assert.equal(mark.label, 'Break point: print in the loop');
  });

  it('says once what a break point and its line have in common', () => {
    const same = { reason: 'the NumPy call stays', hint: 'move it' };
    const [mark] = marksOf({
      lines: [statement(2, 'print(y.max())', { status: 'host', ...same })],
      breaks: [{ line: 2, ...same }]
    });
    assert.equal(mark?.kind, 'break');
    assert.equal(
      mark.label,
      'Break point: the NumPy call stays\nHint: move it'
    );
  });

  it('finds a break point on a later line of a long statement', () => {
    const marks = marksOf({
      lines: [
        statement(2, 'y = f(\n  x,\n  g(x))', { endLine: 4 }),
        statement(5, 'z = y')
      ],
      breaks: [{ line: 4, reason: 'g is unknown', hint: null }]
    });
    assert.deepEqual(
      marks.map(mark => [mark.kind, mark.height]),
      [
        ['break', 3],
        ['compiled', 1]
      ]
    );
  });

  it('shows the least compiled of several statements on a line', () => {
    const marks = marksOf({
      lines: [
        statement(2, 'y = x + 1'),
        statement(2, 'print(y)', { status: 'python', reason: 'print' })
      ],
      breaks: []
    });
    assert.equal(marks.length, 1);
    assert.equal(marks[0]?.kind, 'python');
    assert.equal(marks[0].label, 'Plain Python: print');
    assert.deepEqual(marks[0].sources, ['y = x + 1', 'print(y)']);
  });

  it('says a reason once', () => {
    const host = { status: 'host', reason: 'random' } as const;
    const [mark] = marksOf({
      lines: [statement(2, 'a = r()', host), statement(2, 'b = r()', host)],
      breaks: []
    });
    assert.equal(mark?.label, 'Stays in NumPy: random');
  });

  it('knows types, tier and times of a line', () => {
    const region = { id: 4, tier: 'inductor', note: '' };
    const [mark, other] = marksOf({
      lines: [
        statement(2, 'a = b * 2', { region: 4, assigns: ['a: float64[3]'] }),
        statement(3, 'import os', { status: 'python' })
      ],
      breaks: [],
      regions: [{ ...region, numpyUs: 3100, compiledUs: 955 }]
    });
    assert.deepEqual(mark?.facts, [
      'a: float64[3]',
      'Runs as inductor · NumPy 3.1 ms · compiled 955 µs · 3.2x'
    ]);
    assert.deepEqual(other?.facts, []);
  });
});
