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
  hoverTooltip,
  type PluginValue,
  ViewPlugin
} from '@codemirror/view';

import { LINE_OF_EDITOR, LINE_OF_NODE, onLines, sendLines } from '../lines.js';
import { anchor, type IAnchor } from './anchors.js';
import type { IMark } from './marks.js';
import { symbol } from './symbols.js';

/** Where an editor gets its marks from. */
export interface IMarkSource {
  /** The marks as they are now, in the order of their lines. */
  read(): readonly IMark[];
  /** The text that the marks were made for; empty when that is not known. */
  source(): string;
  /** Calls `listener` when they may have changed; the result ends that. */
  subscribe(listener: () => void): () => void;
}

interface IDrawn {
  readonly marks: readonly IMark[];
  readonly source: string;
  readonly anchors: readonly IAnchor[];
  /** Whether the text is another than when the cell ran. */
  readonly stale: boolean;
  readonly symbols: RangeSet<SymbolMarker>;
  readonly lines: DecorationSet;
}

const GUTTER = 'jp-npcompile-gutter';

const setMarks = StateEffect.define<{
  readonly marks: readonly IMark[];
  readonly source: string;
}>();

/** What is drawn, kept on the lines its text belongs to. */
const drawn = StateField.define<IDrawn>({
  create: () => ({
    marks: [],
    source: '',
    anchors: [],
    stale: false,
    symbols: RangeSet.of<SymbolMarker>([]),
    lines: Decoration.none
  }),
  update: (value, transaction) => {
    const { newDoc } = transaction;
    const given = transaction.effects.find(effect => effect.is(setMarks));
    if (given !== undefined) {
      return draw(given.value.marks, given.value.source, newDoc);
    }
    return transaction.docChanged && value.marks.length > 0
      ? draw(value.marks, value.source, newDoc)
      : value;
  },
  provide: field => [
    EditorView.decorations.from(field, value => value.lines),
    EditorView.editorAttributes.from(field, ({ stale }) =>
      stale ? { class: 'jp-npcompile-stale' } : {}
    )
  ]
});

/** Looks for fixes of cells, by their text. */
export interface IFixFinder {
  /** Whether that may be: not for what the kernel has not run. */
  areOffered(source: string): Promise<boolean>;
  find(source: string): void;
}

/** An editor extension that draws the marks of `source`. */
export function lineMarks(source: IMarkSource, fixes: IFixFinder): Extension {
  const column = new Compartment();
  return [
    drawn.init(state => draw(source.read(), source.source(), state.doc)),
    hovered,
    explained(fixes),
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

function draw(marks: readonly IMark[], source: string, doc: Text): IDrawn {
  const anchors = anchor(marks, doc.toJSON());
  const stale =
    source === ''
      ? anchors.length < marks.length
      : marks.length > 0 && plain(source.split('\n')) !== plain(doc.toJSON());
  return {
    marks,
    source,
    anchors,
    stale,
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

/** A text without what makes no difference to it; magics run their cell without their own line. */
function plain(lines: readonly string[]): string {
  const body = lines.findIndex(line => !/^(%%.*)?$/.test(line.trim()));
  return lines
    .slice(Math.max(body, 0))
    .map(line => line.trim())
    .join('\n')
    .trim();
}

/** What hovering over a marked line says. */
const explained = (fixes: IFixFinder): Extension =>
  hoverTooltip((view, pos) => {
    const { anchors, stale } = view.state.field(drawn);
    const line = view.state.doc.lineAt(pos);
    const found = anchors.find(
      ({ mark, line: first }) =>
        first <= line.number && line.number < first + mark.height
    );
    if (found === undefined) {
      return null;
    }
    const { mark } = found;
    const said = stale ? ['As it was before the cell was edited'] : [];
    return {
      pos: line.from,
      above: true,
      create: () => {
        const dom = document.createElement('div');
        dom.className = `jp-npcompile-tooltip jp-npcompile-${mark.kind}`;
        dom.setAttribute('role', 'tooltip');
        for (const text of [
          ...mark.label.split('\n'),
          ...mark.facts,
          ...said
        ]) {
          const row = dom.appendChild(document.createElement('div'));
          row.textContent = text;
        }
        if (mark.kind === 'break' && !stale) {
          const source = view.state.doc.toString();
          void fixes.areOffered(source).then(offered => {
            if (offered) {
              dom.append(
                fixButton(() => {
                  fixes.find(source);
                })
              );
            }
          });
        }
        return { dom };
      }
    };
  });

function fixButton(action: () => void): HTMLElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'jp-npcompile-find-fixes';
  button.textContent = 'Look for fixes';
  button.addEventListener('click', action);
  return button;
}

const setLit = StateEffect.define<readonly number[]>();

/** The lines that light up because the pointer is on something of them in a widget. */
const hovered = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (value, transaction) => {
    const given = transaction.effects.find(effect => effect.is(setLit));
    if (given === undefined) {
      return value.map(transaction.changes);
    }
    const { anchors } = transaction.state.field(drawn);
    const { newDoc } = transaction;
    const lit = Decoration.line({ class: 'jp-npcompile-lit' });
    const places = anchors
      .filter(({ mark }) => given.value.includes(mark.line))
      .map(({ line }) => Math.min(line, newDoc.lines))
      .filter(line => line > 0);
    return Decoration.set(
      places.map(line => lit.range(newDoc.line(line).from)),
      true
    );
  },
  provide: field => EditorView.decorations.from(field)
});

/** Joins lines here and in widgets that show the same cell; the result ends that. */
function join(view: EditorView): () => void {
  let sent = 0;
  const send = (line: number): void => {
    const { source } = view.state.field(drawn);
    if (line !== sent && source !== '') {
      sent = line;
      sendLines(LINE_OF_EDITOR, { source, lines: line > 0 ? [line] : [] });
    }
  };
  const move = (event: MouseEvent): void => {
    const { anchors } = view.state.field(drawn);
    if (anchors.length === 0) {
      return;
    }
    const pos = view.posAtCoords({ x: event.clientX, y: event.clientY });
    const line = pos === null ? 0 : view.state.doc.lineAt(pos).number;
    send(anchors.find(place => place.line === line)?.mark.line ?? 0);
  };
  const leave = (): void => {
    send(0);
  };
  view.dom.addEventListener('mousemove', move);
  view.dom.addEventListener('mouseleave', leave);
  const end = onLines(LINE_OF_NODE, ({ source, lines }) => {
    if (source !== '' && source === view.state.field(drawn).source) {
      view.dispatch({ effects: setLit.of(lines) });
    }
  });
  return () => {
    end();
    view.dom.removeEventListener('mousemove', move);
    view.dom.removeEventListener('mouseleave', leave);
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
      view.dispatch({
        effects: setMarks.of({ marks, source: source.source() })
      });
    }
  });
  const part = join(view);
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
      part();
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
