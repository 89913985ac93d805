import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { hasRun } from '../fixes/kernel.js';
import { FIND_FIXES, kernelOf } from '../fixes/plugin.js';
import { type IFixFinder, lineMarks } from './editor.js';
import {
  breakPoints,
  currentNotebook,
  cursor,
  isCodeCell,
  moveTo,
  neighbour
} from './notebook.js';
import { OutputMarks } from './outputs.js';
import { Switch } from './switch.js';

const ID = 'jupyter-npcompile:line-marks';

/** Marks the lines of each code cell with what compilation did to them. */
export const lineMarksPlugin: JupyterFrontEndPlugin<void> = {
  id: ID,
  description:
    'Marks lines of NumPy cells as compiled, host, Python or break point.',
  autoStart: true,
  requires: [IEditorExtensionRegistry],
  optional: [ISettingRegistry, ICommandPalette],
  activate: (
    app,
    extensions: IEditorExtensionRegistry,
    settings: ISettingRegistry | null,
    palette: ICommandPalette | null
  ) => {
    const shown = new Switch(true);
    extensions.addExtension({
      name: ID,
      // The model of a cell's editor is the model of the cell.
      factory: ({ model }) => {
        if (!isCodeCell(model)) {
          return null;
        }
        const marks = shown.gate(new OutputMarks(model.outputs));
        const fixes: IFixFinder = {
          areOffered: async source => {
            const kernel = model.trusted ? kernelOf(app.shell) : null;
            return kernel !== null && (await hasRun(kernel, source));
          },
          find: source => {
            void app.commands.execute(FIND_FIXES, { source });
          }
        };
        return EditorExtensionRegistry.createImmutableExtension(
          lineMarks(marks, fixes)
        );
      }
    });
    addJumps(app, palette);
    if (settings !== null) {
      void follow(settings, shown);
    }
  }
};

async function follow(
  settings: ISettingRegistry,
  shown: Switch
): Promise<void> {
  const loaded = await settings.load(ID);
  const read = (): void => {
    shown.set(loaded.composite['marks'] !== false);
  };
  loaded.changed.connect(read);
  read();
}

function addJumps(app: JupyterFrontEnd, palette: ICommandPalette | null): void {
  const add = (
    command: string,
    label: string,
    keys: string,
    direction: 1 | -1
  ): void => {
    app.commands.addCommand(command, {
      label,
      describedBy: { args: { type: 'object', properties: {} } },
      isEnabled: () => currentNotebook(app.shell) !== null,
      execute: async () => {
        const notebook = currentNotebook(app.shell);
        if (notebook === null) {
          return;
        }
        const places = breakPoints(notebook);
        const place = neighbour(places, cursor(notebook), direction);
        if (place !== undefined) {
          await moveTo(notebook, place);
        }
      }
    });
    app.commands.addKeyBinding({
      command,
      keys: [keys],
      selector: '.jp-Notebook'
    });
    palette?.addItem({ command, category: 'NumPy compiler' });
  };
  add('npcompile:next-break', 'Next Break Point', 'F8', 1);
  add('npcompile:previous-break', 'Previous Break Point', 'Shift F8', -1);
}
