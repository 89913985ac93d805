/** The notebook in front: its cells, their reports, the place of the cursor. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { Cell, ICodeCellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';

import { anchor } from './anchors.js';
import { OutputMarks } from './outputs.js';

/** What is used of a notebook; JupyterLab's and Notebook's have it. */
export interface INotebook {
  readonly widgets: readonly Cell[];
  activeCellIndex: number;
  mode: 'command' | 'edit';
  scrollToItem(index: number): Promise<void>;
}

/** A break point: the cell, and the 0-based line in its present text. */
export interface IPlace {
  readonly cell: number;
  readonly line: number;
}

/** The notebook in front, if there is one. */
export function currentNotebook(
  shell: JupyterFrontEnd.IShell
): INotebook | null {
  const panel = shell.currentWidget as { content?: unknown } | null;
  const content = panel?.content;
  const isNotebook =
    typeof content === 'object' &&
    content !== null &&
    'activeCellIndex' in content &&
    'widgets' in content &&
    'scrollToItem' in content;
  return isNotebook ? (content as INotebook) : null;
}

/** All break points of a notebook, from the first cell to the last. */
export function breakPoints(notebook: INotebook): IPlace[] {
  return notebook.widgets.flatMap(({ model }, cell) => {
    if (!isCodeCell(model)) {
      return [];
    }
    const marks = new OutputMarks(model.outputs).read();
    const text = model.sharedModel.getSource().split('\n');
    return anchor(marks, text)
      .filter(place => place.mark.kind === 'break')
      .map(place => ({ cell, line: place.line - 1 }));
  });
}

/** The break point after a place, or before it; round the end if need be. */
export function neighbour(
  all: readonly IPlace[],
  { cell, line }: IPlace,
  direction: 1 | -1
): IPlace | undefined {
  const isAfter = (place: IPlace): boolean =>
    place.cell === cell ? place.line > line : place.cell > cell;
  const isBefore = (place: IPlace): boolean =>
    place.cell === cell ? place.line < line : place.cell < cell;
  return direction === 1
    ? (all.find(isAfter) ?? all[0])
    : ([...all].reverse().find(isBefore) ?? all.at(-1));
}

/** Where the cursor is. */
export function cursor(notebook: INotebook): IPlace {
  const cell = notebook.activeCellIndex;
  const editor = notebook.widgets[cell]?.editor ?? null;
  const line = editor?.getCursorPosition().line ?? 0;
  // A cell that nobody has edited counts as a whole: its own break points come next. Focus
  // alone does not tell: it is in the palette when the command comes from there.
  return { cell, line: line > 0 || editor?.hasFocus() ? line : -1 };
}

/** Frames after which a notebook has come to rest. */
const FRAMES = 20;

/** Moves the cursor to a place, wherever that is in the notebook. */
export async function moveTo(
  notebook: INotebook,
  { cell, line }: IPlace
): Promise<void> {
  notebook.activeCellIndex = cell;
  // With windowing, a cell far away has no editor before it is scrolled to.
  await notebook.scrollToItem(cell);
  const target = notebook.widgets[cell];
  await target?.ready;
  const editor = target?.editor;
  if (!editor) {
    return;
  }
  const before = editor.hasFocus() ? null : document.activeElement;
  notebook.mode = 'edit';
  editor.focus();
  editor.setCursorPosition({ line, column: 0 });
  editor.revealPosition({ line, column: 0 });
  // The cell may be put into the page once more, and the palette closes: both take the
  // focus away. What a person has gone to since keeps it.
  for (let frame = 0; frame < FRAMES; frame += 1) {
    await new Promise(requestAnimationFrame);
    const focused = document.activeElement;
    if (focused === document.body || focused === before) {
      editor.focus();
    }
  }
}

export function isCodeCell(model: CodeEditor.IModel): model is ICodeCellModel {
  return 'outputs' in model && 'type' in model && model.type === 'code';
}
