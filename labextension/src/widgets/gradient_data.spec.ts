import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { placeOf } from './charts.js';
import { readGradients, readHistory } from './gradient_data.js';

const sample = {
  dtype: 'float64',
  shape: [2],
  rows: [[1, 'nan']],
  low: '-inf',
  high: 2.5,
  norm: 'inf',
  zeros: 0.5,
  nonfinite: 1,
  histogram: [1, 0]
};

describe('readGradients', () => {
  it('reads numbers that JSON has not', () => {
    const { variables } = readGradients({
      variables: [{ output: 's', name: 'w', value: sample, gradient: sample }]
    });
    const [variable] = variables;
    assert.equal(variable?.key, 's/w');
    assert.equal(variable.value.low, -Infinity);
    assert.equal(variable.value.norm, Infinity);
    assert.ok(Number.isNaN(variable.value.rows[0]?.[1]));
  });

  it('says where something first was not finite', () => {
    const first = { op: 'numpy.log', position: { line: 3, column: 1 } };
    const said = (more: object): string =>
      readGradients({ nonfinite: { ...first, ...more } }).first;
    assert.match(said({ in_value: true, run: 0 }), /result of .*log, line 3$/);
    assert.match(
      said({ in_value: false, run: 12 }),
      /gradient of .*, line 3, run 12$/
    );
    assert.equal(readGradients({ nonfinite: null }).first, '');
  });

  it('reads the runs of an operation', () => {
    const node = {
      op: 'getitem',
      position: { line: 2, column: 4 },
      norm: 'inf'
    };
    const several = { ...node, least: 0.5, times: 7, finite_gradient: false };
    const { nodes } = readGradients({ nodes: [node, several] });
    assert.deepEqual(
      nodes.map(({ times, norm, least }) => [times, norm, least]),
      [
        [1, Infinity, Infinity],
        [7, Infinity, 0.5]
      ]
    );
    assert.deepEqual(
      nodes.map(({ fault }) => fault),
      [false, true]
    );
  });

  it('says how they were computed', () => {
    const data = { note: 'computed once more', device: 'cuda', notes: [] };
    assert.deepEqual(readGradients(data).notes, [
      'Computed once more.',
      'Computed on cuda.'
    ]);
    assert.deepEqual(readGradients({ note: '', device: 'cpu' }).notes, []);
  });

  it('takes anything', () => {
    for (const payload of [null, 3, 'x', [], { variables: 7, nodes: [null] }]) {
      assert.deepEqual(readGradients(payload).variables, []);
    }
    assert.deepEqual(readHistory('x'), []);
    assert.ok(Number.isNaN(readHistory([{ a: null }])[0]?.get('a')));
  });
});

describe('placeOf', () => {
  it('is the place that Python took the element from', () => {
    // np.linspace(0, 99, 24).astype(int)
    assert.deepEqual(
      [0, 1, 2, 22, 23].map(at => placeOf(at, 24, 100)),
      [0, 4, 8, 94, 99]
    );
    assert.equal(placeOf(5, 10, 10), 5);
    assert.equal(placeOf(0, 1, 1), 0);
  });
});
