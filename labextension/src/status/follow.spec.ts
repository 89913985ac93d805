import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { KernelStatus } from './follow.js';
import type { IState } from './state.js';

const STATE = { device: 'cpu', pending: 1, waiting: false, cache_bytes: null };

/** A kernel that counts what it is asked. */
function kernel(ids: readonly string[]) {
  const comm = {
    onMsg: (message: { content: { data?: unknown } }): void => {
      assert.ok(message);
    },
    onClose: (): void => undefined,
    asked: 0,
    send: (): void => {
      comm.asked += 1;
    }
  };
  const made = {
    comm,
    looked: 0,
    ids: [...ids],
    createComm: () => comm,
    hasComm: () => false,
    requestCommInfo: () => {
      made.looked += 1;
      const comms = Object.fromEntries(made.ids.map(id => [id, {}]));
      return Promise.resolve({ content: { comms } });
    },
    interrupt: () => Promise.resolve()
  };
  return made;
}

describe('KernelStatus', () => {
  it('asks once, as soon as there is somebody to ask', async () => {
    const fake = kernel([]);
    const status = new KernelStatus(fake);
    const states: (IState | null)[] = [];
    status.show = state => {
      states.push(state);
    };
    await status.look();
    assert.equal(fake.comm.asked, 0);
    fake.ids.push('a');
    await status.look();
    await status.look();
    assert.deepEqual([fake.looked, fake.comm.asked], [2, 1]);
    fake.comm.onMsg({ content: { data: STATE } });
    assert.equal(states.at(-1)?.pending, 1);
    assert.equal(status.last?.device, 'cpu');
  });

  it('begins anew with another kernel', async () => {
    const fake = kernel(['a']);
    const status = new KernelStatus(fake);
    await status.look();
    fake.comm.onMsg({ content: { data: STATE } });
    status.forget();
    assert.equal(status.last, null);
    await status.look();
    assert.equal(fake.comm.asked, 2);
  });
});
