import assert from 'node:assert/strict';
import { test } from 'node:test';

import { duration } from './duration.js';

void test('times are written with two or three digits', () => {
  assert.deepEqual([0.31, 4.21, 260, 26_000, 1.5e6].map(duration), [
    '0.31 µs',
    '4.2 µs',
    '260 µs',
    '26 ms',
    '1.5 s'
  ]);
});
