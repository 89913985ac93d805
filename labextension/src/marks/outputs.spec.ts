import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { MIME_TYPE } from '../report.js';
import { OutputMarks } from './outputs.js';

const report = {
  schema: 1,
  lines: [{ line: 2, end_line: 2, source: 'a = b', status: 'compiled' }]
};

type Slot = () => void;

/** Stands in for the outputs of a cell. */
class Outputs {
  constructor(readonly bundles: Record<string, unknown>[]) {}

  readonly slots = new Set<Slot>();

  readonly changed = {
    connect: (slot: Slot): boolean => this.slots.add(slot).has(slot),
    disconnect: (slot: Slot): boolean => this.slots.delete(slot)
  };

  get length(): number {
    return this.bundles.length;
  }

  get(index: number): { data: Record<string, unknown> } {
    return { data: this.bundles[index] ?? {} };
  }
}

function marksIn(outputs: Outputs): OutputMarks {
  return new OutputMarks(
    outputs as unknown as ConstructorParameters<typeof OutputMarks>[0]
  );
}

describe('OutputMarks', () => {
  it('reads the last report among the outputs', () => {
    const newer = { ...report, lines: [] };
    const outputs = new Outputs([
      { 'text/plain': 'printed' },
      { [MIME_TYPE]: report },
      { 'text/plain': 'printed' }
    ]);
    const marks = marksIn(outputs);
    assert.equal(marks.read().length, 1);
    outputs.bundles.push({ [MIME_TYPE]: newer });
    assert.equal(marks.read().length, 0);
  });

  it('is empty without a report, and once outputs are cleared', () => {
    const outputs = new Outputs([{ [MIME_TYPE]: report }]);
    const marks = marksIn(outputs);
    assert.equal(marks.read().length, 1);
    outputs.bundles.length = 0;
    assert.deepEqual(marks.read(), []);
    assert.deepEqual(
      marksIn(new Outputs([{ [MIME_TYPE]: 'nonsense' }])).read(),
      []
    );
  });

  it('gives the same marks while the report is the same', () => {
    const outputs = new Outputs([{ [MIME_TYPE]: report }]);
    const marks = marksIn(outputs);
    const before = marks.read();
    outputs.bundles.push({ 'text/plain': 'printed' });
    assert.equal(marks.read(), before);
  });

  it('tells of changes until it is told to stop', () => {
    const outputs = new Outputs([]);
    let calls = 0;
    const stop = marksIn(outputs).subscribe(() => {
      calls += 1;
    });
    for (const slot of outputs.slots) {
      slot();
    }
    stop();
    assert.equal(calls, 1);
    assert.equal(outputs.slots.size, 0);
  });
});
