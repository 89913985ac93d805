import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readReport } from './report.js';

const line = {
  line: 2,
  end_line: 2,
  source: 'y = np.sin(x)',
  status: 'compiled',
  reason: null,
  hint: null,
  region: 0,
  assigns: [{ name: 'y', dtype: 'float64', shape: [3] }]
};

describe('readReport', () => {
  it('keeps what the editor shows', () => {
    const report = readReport({
      schema: 1,
      lines: [line],
      breaks: [
        { line: 3, column: 4, kind: 'call', reason: 'print', hint: 'move it' }
      ]
    });
    assert.deepEqual(report, {
      lines: [
        {
          line: 2,
          endLine: 2,
          source: 'y = np.sin(x)',
          status: 'compiled',
          reason: null,
          hint: null,
          region: 0,
          assigns: ['y: float64[3]']
        }
      ],
      breaks: [{ line: 3, reason: 'print', hint: 'move it' }],
      regions: [],
      source: '',
      device: ''
    });
  });

  it('accepts a report without lines, breaks or graph', () => {
    assert.deepEqual(readReport({ schema: 1 }), {
      lines: [],
      breaks: [],
      regions: [],
      source: '',
      device: ''
    });
  });

  it('refuses other schemas and other things', () => {
    for (const payload of [
      { schema: 2, lines: [line] },
      { lines: [line] },
      [line],
      'report',
      null,
      undefined
    ]) {
      assert.equal(readReport(payload), null);
    }
  });

  it('leaves out entries of the wrong form', () => {
    const lines = [
      { ...line, line: 0 },
      { ...line, line: 1.5 },
      { ...line, line: '2' },
      { ...line, end_line: 1 },
      { ...line, status: 'fast' },
      { ...line, source: null },
      null,
      [],
      line
    ];
    const report = readReport({ schema: 1, lines, breaks: [{ line: -1 }, 7] });
    assert.equal(report?.lines.length, 1);
    assert.equal(report.breaks.length, 0);
  });

  it('takes reasons and hints only when they are text', () => {
    const report = readReport({
      schema: 1,
      lines: [{ ...line, reason: 3, hint: '' }]
    });
    assert.equal(report?.lines[0]?.reason, null);
    assert.equal(report.lines[0].hint, null);
  });

  it('reads how regions run, and leaves out what is no time', () => {
    const region = { id: 1, tier: 'inductor', timings: { numpy_us: 26 } };
    const odd = { id: 2, timings: { numpy_us: '9', compiled_us: -1 } };
    const report = readReport({
      schema: 1,
      regions: [region, odd, { id: '3' }]
    });
    assert.deepEqual(report?.regions, [
      { id: 1, tier: 'inductor', numpyUs: 26, compiledUs: null, note: '' },
      { id: 2, tier: '', numpyUs: null, compiledUs: null, note: '' }
    ]);
  });
});
