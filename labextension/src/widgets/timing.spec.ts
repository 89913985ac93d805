import assert from 'node:assert/strict';
import { test } from 'node:test';

import { readOutline } from './outline.js';
import { scales } from './timing.js';

void test('rows of another form are made harmless', () => {
  const { timing } = readOutline({
    timing: {
      bandwidth: 'much',
      rows: [{ kind: 'kernel', lines: [2, 'x'], title: 3, numpy: NaN }, null]
    }
  });
  assert.equal(timing.bandwidth, 0);
  assert.deepEqual(timing.rows[0], {
    kind: 'kernel',
    lines: [2, 0],
    title: '',
    numpy: 0,
    compiled: 0,
    bound: 0,
    moves: 0
  });
  assert.equal(timing.rows.length, 2);
  assert.deepEqual(readOutline({}).timing.rows, []);
});

void test('each region has a scale of its own', () => {
  const { timing } = readOutline({
    timing: {
      rows: [
        { kind: 'region', numpy: 8, compiled: 2 },
        { kind: 'line', numpy: 9 },
        { kind: 'region', numpy: 0.5 },
        { kind: 'kernel', bound: 0.1 },
        { kind: 'region' }
      ]
    }
  });
  assert.deepEqual(scales(timing.rows), [9, 9, 0.5, 0.5, 1]);
});
