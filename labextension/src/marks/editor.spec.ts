import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import { lineMarks } from './editor.js';
import type { IMark, MarkKind } from './marks.js';

function mark(line: number, source: string, kind: MarkKind, height = 1): IMark {
  return { line, height, sources: [source], kind, label: kind, facts: [] };
}

function editor(doc: string, marks: readonly IMark[]): EditorState {
  const source = {
    read: () => marks,
    source: () => '',
    subscribe: () => noop
  };
  return EditorState.create({
    doc,
    extensions: lineMarks(source, {
      areOffered: () => Promise.resolve(false),
      find: noop
    })
  });
}

function noop(): void {
  // Nothing to end.
}

/** Line numbers with the kind of mark drawn there. */
function drawn(state: EditorState): [number, string][] {
  const found: [number, string][] = [];
  for (const set of state.facet(EditorView.decorations)) {
    assert.ok(typeof set !== 'function');
    const cursor = set.iter();
    while (cursor.value !== null) {
      const spec = cursor.value.spec as { class: string };
      const kind = spec.class.replace('jp-npcompile-line jp-npcompile-', '');
      found.push([state.doc.lineAt(cursor.from).number, kind]);
      cursor.next();
    }
  }
  return found;
}

const doc = '%%npcompile\na = 1 + b\nprint(a)\nc = f(\n  a)';
const marks = [
  mark(2, 'a = 1 + b', 'compiled'),
  mark(3, 'print(a)', 'break'),
  mark(4, 'c = f(\n  a)', 'host', 2)
];

describe('lineMarks', () => {
  it('marks every line of every statement', () => {
    assert.deepEqual(drawn(editor(doc, marks)), [
      [2, 'compiled'],
      [3, 'break'],
      [4, 'host'],
      [5, 'host']
    ]);
  });

  it('follows edits, drops what changed, and brings it back on undo', () => {
    const state = editor(doc, marks);
    const at = state.doc.line(3).from;
    const typed = state.update({ changes: { from: at, insert: '\nx' } }).state;
    assert.deepEqual(drawn(typed), [
      [2, 'compiled'],
      [5, 'host'],
      [6, 'host']
    ]);
    const undone = typed.update({ changes: { from: at, to: at + 2 } }).state;
    assert.deepEqual(drawn(undone), drawn(state));
  });

  it('draws nothing for a mark whose text is gone', () => {
    assert.deepEqual(drawn(editor('', marks)), []);
    assert.deepEqual(drawn(editor('x = 2', marks)), []);
  });

  it('keeps to the document when a mark claims more lines', () => {
    const tall = [mark(1, 'a = 1', 'compiled', 1e9)];
    assert.deepEqual(drawn(editor('a = 1\nb', tall)), [
      [1, 'compiled'],
      [2, 'compiled']
    ]);
  });

  it('goes stale with an edit, and fresh again when that is undone', () => {
    const source = {
      read: () => marks,
      source: () => doc,
      subscribe: () => noop
    };
    const state = EditorState.create({
      doc,
      extensions: lineMarks(source, {
        areOffered: () => Promise.resolve(false),
        find: noop
      })
    });
    const isStale = (one: EditorState): boolean =>
      one.facet(EditorView.editorAttributes).some(found => {
        return typeof found === 'object' && 'class' in found;
      });
    assert.ok(!isStale(state));
    const typed = state.update({ changes: { from: 0, insert: '#' } }).state;
    assert.ok(isStale(typed));
    const spaced = state.update({
      changes: { from: doc.length, insert: '\n' }
    });
    assert.ok(!isStale(spaced.state));
    // What runs below another magic knows nothing of the line of that.
    const head = '%%npcompile\n%%time\n\n';
    const below = state.update({ changes: { from: 0, insert: head } });
    assert.ok(!isStale(below.state));
  });
});
