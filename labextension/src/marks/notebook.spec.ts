import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { neighbour } from './notebook.js';

const all = [
  { cell: 1, line: 2 },
  { cell: 1, line: 6 },
  { cell: 4, line: 0 }
];

describe('neighbour', () => {
  it('finds the next and the one before, in cells and across them', () => {
    assert.equal(neighbour(all, { cell: 0, line: 3 }, 1), all[0]);
    assert.equal(neighbour(all, { cell: 1, line: -1 }, 1), all[0]);
    assert.equal(neighbour(all, { cell: 1, line: 2 }, 1), all[1]);
    assert.equal(neighbour(all, { cell: 2, line: -1 }, 1), all[2]);
    assert.equal(neighbour(all, { cell: 2, line: -1 }, -1), all[1]);
    assert.equal(neighbour(all, { cell: 1, line: 6 }, -1), all[0]);
  });

  it('goes round the ends', () => {
    assert.equal(neighbour(all, { cell: 4, line: 0 }, 1), all[0]);
    assert.equal(neighbour(all, { cell: 1, line: 2 }, -1), all[2]);
    assert.equal(neighbour([], { cell: 0, line: 0 }, 1), undefined);
  });
});
