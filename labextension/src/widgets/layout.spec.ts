import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { arrange, type IRectangle } from './layout.js';
import { readOutline } from './outline.js';
import { type IView, Level } from './view.js';

interface IPart {
  id: string;
  parent: string;
  kind: string;
}

/** A level with groups and boxes in this order, and arrows between boxes. */
function level(parts: readonly IPart[], arrows: readonly string[][]): Level {
  const entries = parts.map((part, at) => ({ ...part, title: part.id, at }));
  const isGroup = (part: IPart): boolean =>
    ['segment', 'loop', 'line', 'break'].includes(part.kind);
  const data = readOutline({
    levels: [
      {
        key: 'numpy',
        groups: entries.filter(isGroup),
        boxes: entries
          .filter(part => !isGroup(part))
          .map(part => ({ ...part, group: part.parent })),
        arrows: arrows.map(([tail, head]) => [tail, head, 0])
      }
    ]
  }).levels[0];
  assert.ok(data !== undefined);
  return new Level(data);
}

/** Two lines in a segment, a break point, and a segment in a loop. */
function example(): Level {
  return level(
    [
      { id: 's0', parent: '', kind: 'segment' },
      { id: 'x', parent: 's0', kind: 'input' },
      { id: 's0/2', parent: 's0', kind: 'line' },
      { id: 'a', parent: 's0/2', kind: 'operation' },
      { id: 'b', parent: 's0/2', kind: 'operation' },
      { id: 's0/3', parent: 's0', kind: 'line' },
      { id: 'c', parent: 's0/3', kind: 'operation' },
      { id: 'y', parent: 's0', kind: 'output' },
      { id: 'gap', parent: '', kind: 'break' },
      { id: 'loop', parent: '', kind: 'loop' },
      { id: 's1', parent: 'loop', kind: 'segment' },
      { id: 'd', parent: 's1', kind: 'operation' }
    ],
    [
      ['x', 'a'],
      ['x', 'c'],
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'y'],
      ['y', 'd']
    ]
  );
}

const ALL = new Set(['s0', 's0/2', 's0/3', 'loop', 's1']);

function ids(view: IView): string[] {
  return view.items.map(item => item.id);
}

function overlap(a: IRectangle, b: IRectangle): boolean {
  return (
    a.x < b.x + b.width &&
    b.x < a.x + a.width &&
    a.y < b.y + b.height &&
    b.y < a.y + a.height
  );
}

function holds(outer: IRectangle, inner: IRectangle): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

describe('Level.view', () => {
  it('shows closed groups as boxes and joins their arrows', () => {
    const closed = example().view(new Set(['s0']));
    assert.deepEqual(ids(closed), ['x', 's0/2', 's0/3', 'y', 'gap', 'loop']);
    assert.deepEqual(
      closed.arrows.map(({ tail, head }) => `${tail}>${head}`).sort(),
      ['s0/2>s0/3', 's0/3>y', 'x>s0/2', 'x>s0/3', 'y>loop'].sort()
    );
  });

  it('never opens a break point, and knows what is around a box', () => {
    const open = example().view(new Set([...ALL, 'gap']));
    assert.ok(ids(open).includes('gap'));
    assert.deepEqual(example().around('d'), ['s1', 'loop']);
  });

  it('leaves out groups that hold themselves or are not there', () => {
    const odd = level(
      [
        { id: 'p', parent: 'q', kind: 'line' },
        { id: 'q', parent: 'p', kind: 'line' },
        { id: 'r', parent: 'r', kind: 'line' },
        { id: 'a', parent: 'p', kind: 'operation' },
        { id: 'b', parent: '', kind: 'operation' }
      ],
      [['a', 'b']]
    );
    const shown = odd.view(new Set(['p', 'q', 'r']));
    assert.deepEqual(ids(shown), ['b']);
    assert.deepEqual(shown.arrows, []);
  });
});

describe('arrange', () => {
  it('keeps boxes apart, frames nested, and arrows downwards', () => {
    const view = example().view(ALL);
    const { boxes, frames, routes, width, height } = arrange(view);
    const places = [...boxes.values()];
    places.forEach((a, i) => {
      places.slice(i + 1).forEach(b => {
        assert.ok(!overlap(a, b));
      });
      assert.ok(holds({ x: 0, y: 0, width, height }, a));
    });
    for (const { frame, place } of frames) {
      for (const item of view.items) {
        const inside =
          item.parent === frame.group.id ||
          example().around(item.id).includes(frame.group.id);
        const box = boxes.get(item.id);
        assert.ok(box !== undefined);
        assert.equal(holds(place, box), inside, `${frame.group.id} ${item.id}`);
        assert.equal(overlap(place, box), inside);
      }
    }
    for (const { points } of routes) {
      assert.ok((points.at(-1)?.[1] ?? 0) > (points[0]?.[1] ?? 0));
    }
  });

  it('gives a place to every box of a large graph, and soon', () => {
    const count = 1500;
    const parts = Array.from({ length: count }, (_, i) => ({
      id: `n${i}`,
      parent: '',
      kind: 'operation'
    }));
    const arrows = parts.slice(1).flatMap((_, i) => [
      [`n${i}`, `n${i + 1}`],
      [`n${Math.floor(i / 7)}`, `n${i + 1}`]
    ]);
    const layout = arrange(level(parts, arrows).view(new Set()));
    assert.equal(layout.boxes.size, count);
    assert.ok([...layout.boxes.values()].every(({ x }) => Number.isFinite(x)));
  });

  it('draws nothing of nothing', () => {
    assert.equal(arrange(level([], []).view(new Set())).boxes.size, 0);
  });
});
