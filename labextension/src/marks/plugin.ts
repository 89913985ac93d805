import type { JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ICodeCellModel } from '@jupyterlab/cells';
import type { CodeEditor } from '@jupyterlab/codeeditor';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';

import { lineMarks } from './editor.js';
import { OutputMarks } from './outputs.js';

const ID = 'jupyter-npcompile:line-marks';

/** Marks the lines of each code cell with what compilation did to them. */
export const lineMarksPlugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description:
    'Marks lines of NumPy cells as compiled, host, Python or break point.',
  autoStart: true,
  requires: [IEditorExtensionRegistry],
  activate: (_app, extensions: IEditorExtensionRegistry) => {
    extensions.addExtension({
      name: ID,
      // The model of a cell's editor is the model of the cell.
      factory: ({ model }) =>
        isCodeCell(model)
          ? EditorExtensionRegistry.createImmutableExtension(
              lineMarks(new OutputMarks(model.outputs))
            )
          : null
    });
  }
};

function isCodeCell(model: CodeEditor.IModel): model is ICodeCellModel {
  return 'outputs' in model && 'type' in model && model.type === 'code';
}
