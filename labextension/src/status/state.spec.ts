import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { described, readState } from './state.js';

const STATE = {
  device: 'cpu',
  pending: 2,
  waiting: true,
  cache_bytes: 3 << 20
};

describe('the state of the compiler', () => {
  it('is said in a few words', () => {
    const state = readState(STATE);
    assert.ok(state);
    assert.equal(described(state), 'NumPy on cpu · compiling 2 · cache 3.0 MB');
    const quiet = readState({ device: 'cuda', pending: 0, cache_bytes: null });
    assert.ok(quiet);
    assert.equal(described(quiet), 'NumPy on cuda');
    assert.equal(quiet.waiting, false);
  });

  it('is nothing where the message has another form', () => {
    for (const data of [null, 'x', {}, { ...STATE, pending: '2' }]) {
      assert.equal(readState(data), null);
    }
  });
});
