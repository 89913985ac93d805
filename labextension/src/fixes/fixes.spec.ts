import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { changes, readFixes, replacement } from './fixes.js';

/** The text after a replacement. */
function applied(present: string, source: string, next: string): string | null {
  const found = replacement(present, source, next);
  return found === null
    ? null
    : present.slice(0, found.start) + found.text + present.slice(found.end);
}

describe('replacement', () => {
  it('replaces what differs and nothing else', () => {
    const found = replacement('a\nb\nc', 'a\nb\nc', 'a\nB\nc');
    assert.deepEqual(found, { start: 2, end: 3, text: 'B' });
  });

  it('gives the new text for texts of few letters', () => {
    const texts = ['', 'a', 'b', 'aa', 'ab', 'ba', 'aab', 'aba', 'abab', 'bbb'];
    for (const source of texts) {
      for (const next of texts) {
        assert.equal(applied(source, source, next), next);
      }
    }
  });

  it('leaves what stands after the text', () => {
    assert.equal(applied('x = 1\n', 'x = 1', 'x = 2'), 'x = 2\n');
  });

  it('is refused for another text', () => {
    assert.equal(applied('x = 3', 'x = 1', 'x = 2'), null);
  });
});

describe('changes', () => {
  it('shows what is written, with two lines around it', () => {
    const lines = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const next = ['a', 'b', 'c', 'd', 'E', 'f', 'g', 'h'];
    assert.deepEqual(changes(lines.join('\n'), next.join('\n')), [
      ...[' c', ' d', '-e', '+E', ' f', ' g']
    ]);
  });

  it('tells two places apart', () => {
    const lines = 'a b c d e f g h i j k l'.split(' ');
    const next = 'A b c d e f g h i j k L'.split(' ');
    const found = changes(lines.join('\n'), next.join('\n'));
    assert.deepEqual(found, [
      ...['-a', '+A', ' b', ' c', '…', ' j', ' k', '-l', '+L']
    ]);
  });

  it('shows nothing for the same text', () => {
    assert.deepEqual(changes('a\n', 'a'), []);
  });
});

describe('readFixes', () => {
  it('leaves out what does not have the form', () => {
    const good = { line: 2, title: 't', new: 'b', gain: 'g', notes: ['n', 3] };
    const read = readFixes({
      schema: 1,
      source: 'a',
      fixes: [good, null, { line: '2', new: 'b' }, { line: 2 }],
      declined: [{ line: 3, title: 't', reason: 'r' }, 'x']
    });
    assert.ok(read);
    assert.deepEqual(read.fixes, [
      { line: 2, title: 't', next: 'b', gain: 'g', notes: ['n'] }
    ]);
    assert.equal(read.declined.length, 1);
  });

  it('reads nothing of another schema', () => {
    assert.equal(readFixes({ schema: 2, source: '' }), null);
    assert.equal(readFixes('x'), null);
    assert.equal(readFixes({ schema: 1 }), null);
  });
});
