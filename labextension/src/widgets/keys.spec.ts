import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type IWalker, pressed } from './keys.js';

/** Something to walk through: group g holds a, which b reads. */
function walk(open: boolean): { walker: IWalker; done: string[] } {
  let here = 'g';
  const done: string[] = [];
  const walker: IWalker = {
    here: () => here,
    reading: () => (open ? ['g', 'a', 'b'] : ['g', 'b']),
    reader: id => (id === 'a' ? 'b' : undefined),
    parent: id => (id === 'a' ? 'g' : undefined),
    isOpen: id => id === 'g' && open,
    isGroup: id => id === 'g',
    go: id => {
      here = id;
    },
    toggle: id => done.push(`toggle ${id}`),
    select: id => done.push(`select ${id}`),
    zoomBy: factor => done.push(factor > 1 ? 'in' : 'out'),
    fit: () => done.push('fit'),
    search: () => done.push('search')
  };
  return { walker, done };
}

function press(walker: IWalker, ...keys: string[]): void {
  for (const key of keys) {
    const none = { ctrlKey: false, metaKey: false, altKey: false };
    assert.ok(pressed({ key, ...none }, walker));
  }
}

describe('pressed', () => {
  it('goes through everything, and stops at the ends', () => {
    const { walker } = walk(true);
    press(walker, 'ArrowDown');
    assert.equal(walker.here(), 'a');
    press(walker, 'ArrowDown', 'ArrowDown', 'ArrowDown');
    assert.equal(walker.here(), 'b');
    press(walker, 'Home');
    assert.equal(walker.here(), 'g');
  });

  it('opens, follows arrows, goes out and closes', () => {
    const closed = walk(false);
    press(closed.walker, 'ArrowRight');
    assert.deepEqual(closed.done, ['toggle g']);
    const { walker, done } = walk(true);
    press(walker, 'ArrowRight');
    assert.equal(walker.here(), 'a');
    press(walker, 'ArrowRight');
    assert.equal(walker.here(), 'b');
    press(walker, 'ArrowUp', 'ArrowLeft');
    assert.equal(walker.here(), 'g');
    press(walker, 'ArrowLeft');
    assert.deepEqual(done, ['toggle g']);
  });

  it('selects, zooms, searches, and leaves other keys alone', () => {
    const { walker, done } = walk(true);
    press(walker, 'Enter', 'ArrowDown', ' ', '+', '-', '0', '/', 'Escape');
    assert.deepEqual(done, [
      'toggle g',
      'select a',
      'in',
      'out',
      'fit',
      'search',
      'select '
    ]);
    const none = { ctrlKey: false, metaKey: false, altKey: false };
    assert.ok(!pressed({ key: 'q', ...none }, walker));
    assert.ok(!pressed({ key: '0', ...none, ctrlKey: true }, walker));
  });
});
