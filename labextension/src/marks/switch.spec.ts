import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Switch } from './switch.js';

describe('Switch', () => {
  it('shows marks while it is on, and tells when that changes', () => {
    const mark = { line: 1, height: 1, sources: ['a'], kind: 'host' } as const;
    const marks = [{ ...mark, label: 'a', facts: [] }];
    const all = new Switch(true);
    const gate = all.gate({
      read: () => marks,
      source: () => 'a',
      subscribe: () => () => undefined
    });
    let calls = 0;
    const end = gate.subscribe(() => {
      calls += 1;
    });
    assert.equal(gate.read(), marks);
    all.set(false);
    all.set(false);
    assert.deepEqual(gate.read(), []);
    end();
    all.set(true);
    assert.equal(calls, 1);
    assert.equal(gate.read(), marks);
  });
});
