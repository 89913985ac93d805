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

  it('finds where something first was not finite', () => {
    const node = (
      line: number,
      value: boolean,
      gradient: boolean
    ): unknown => ({
      op: `op${line}`,
      position: { line, column: 0 },
      norm: 1,
      finite_value: value,
      finite_gradient: gradient
    });
    const backward = [
      node(1, true, false),
      node(2, true, false),
      node(3, true, true)
    ];
    assert.match(
      readGradients({ nodes: backward }).first,
      /gradient of op2, line 2/
    );
    const forward = [...backward, node(4, false, false)];
    assert.match(
      readGradients({ nodes: forward }).first,
      /result of op4, line 4/
    );
    assert.equal(readGradients({ nodes: [node(1, true, true)] }).first, '');
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
