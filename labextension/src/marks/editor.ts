/** The marks in a CodeMirror editor: a gutter and a class on each line. */
import {
  Compartment,
  type Extension,
  RangeSet,
  StateEffect,
  StateField,
  type Text
} from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  gutter,
  GutterMarker,
  type PluginValue,
  ViewPlugin
} from '@codemirror/view';

import { anchor } from './anchors.js';
import type { IMark } from './marks.js';
import { symbol } from './symbols.js';

/** Where an editor gets its marks from. */
export interface IMarkSource {
  /** The marks as they are now, in the order of their lines. */
  read(): readonly IMark[];
  /** Calls `listener` when they may have changed; the result ends that. */
  subscribe(listener: () => void): () => void;
}

interface IDrawn {
  readonly marks: readonly IMark[];
  readonly symbols: RangeSet<SymbolMarker>;
  readonly lines: DecorationSet;
}

const GUTTER = 'jp-npcompile-gutter';

const setMarks = StateEffect.define<readonly IMark[]>();

/** What is drawn, kept on the lines its text belongs to. */
const drawn = StateField.define<IDrawn>({
  create: () => ({
    marks: [],
    symbols: RangeSet.of<SymbolMarker>([]),
    lines: Decoration.none
  }),
  update: (value, transaction) => {
    const { newDoc } = transaction;
    const given = transaction.effects.find(effect => effect.is(setMarks));
    if (given !== undefined) {
      return draw(given.value, newDoc);
    }
    return transaction.docChanged && value.marks.length > 0
      ? draw(value.marks, newDoc)
      : value;
  },
  provide: field => EditorView.decorations.from(field, value => value.lines)
});

/** An editor extension that draws the marks of `source`. */
export function lineMarks(source: IMarkSource): Extension {
  const column = new Compartment();
  return [
    drawn.init(state => draw(source.read(), state.doc)),
    column.of(NO_COLUMN),
    ViewPlugin.define(view => follow(view, source, column))
  ];
}

class SymbolMarker extends GutterMarker {
  constructor(readonly mark: IMark) {
    super();
  }

  override eq(other: SymbolMarker): boolean {
    return (
      this.mark.kind === other.mark.kind && this.mark.label === other.mark.label
    );
  }

  override toDOM(): HTMLElement {
    return symbol(this.mark.kind, this.mark.label);
  }
}

// A gutter without symbols would still draw a column, in every cell.
const NO_COLUMN: Extension = [];
const COLUMN: Extension = gutter({
  class: GUTTER,
  markers: view => view.state.field(drawn).symbols
});

function draw(marks: readonly IMark[], doc: Text): IDrawn {
  const anchors = anchor(marks, doc.toJSON());
  return {
    marks,
    symbols: RangeSet.of(
      anchors.map(({ mark, line }) =>
        new SymbolMarker(mark).range(doc.line(line).from)
      )
    ),
    lines: Decoration.set(
      anchors.flatMap(({ mark, line }) => {
        const decoration = Decoration.line({
          class: `jp-npcompile-line jp-npcompile-${mark.kind}`
        });
        const last = Math.min(line + mark.height - 1, doc.lines);
        return Array.from({ length: last - line + 1 }, (_, i) =>
          decoration.range(doc.line(line + i).from)
        );
      }),
      true
    )
  };
}

/** Keeps the marks of one editor up to date for as long as it lives. */
function follow(
  view: EditorView,
  source: IMarkSource,
  column: Compartment
): PluginValue {
  let alive = true;
  const fitColumn = (): void => {
    const { symbols } = view.state.field(drawn);
    const wanted = symbols.size > 0 ? COLUMN : NO_COLUMN;
    if (alive && column.get(view.state) !== wanted) {
      view.dispatch({ effects: column.reconfigure(wanted) });
    }
  };
  const unsubscribe = source.subscribe(() => {
    const marks = source.read();
    if (marks !== view.state.field(drawn).marks) {
      view.dispatch({ effects: setMarks.of(marks) });
    }
  });
  // An editor cannot be changed while it is being made or updated.
  queueMicrotask(fitColumn);
  return {
    update: () => {
      queueMicrotask(fitColumn);
      exposeSymbols(view);
    },
    destroy: () => {
      alive = false;
      unsubscribe();
    }
  };
}

/**
 * Lets a screen reader reach the symbols: CodeMirror hides all gutters from
 * it, because they usually hold line numbers.
 */
function exposeSymbols(view: EditorView): void {
  const own = view.dom.querySelector(`.${GUTTER}`);
  const all = own?.parentElement;
  if (!all?.hasAttribute('aria-hidden')) {
    return;
  }
  all.removeAttribute('aria-hidden');
  for (const other of Array.from(all.children)) {
    if (other !== own) {
      other.setAttribute('aria-hidden', 'true');
    }
  }
}
