import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Dialog, ICommandPalette } from '@jupyterlab/apputils';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import { Widget } from '@lumino/widgets';

import {
  currentNotebook,
  type INotebook,
  isCodeCell,
  moveTo
} from '../marks/notebook.js';
import { FIXES_TYPE, readFixes, replacement } from './fixes.js';
import { askForFixes, type IKernel } from './kernel.js';
import { type Apply, fixesView } from './view.js';

/** Looks for fixes of a cell: the argument `source`, or the active cell. */
export const FIND_FIXES = 'npcompile:find-fixes';

/** Shows fixes as diffs with a button each, and asks the kernel for them. */
export const fixesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-npcompile:fixes',
  description: 'Offers rewrites of NumPy cells that have fewer break points.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [ICommandPalette],
  activate: (
    app,
    rendermime: IRenderMimeRegistry,
    palette: ICommandPalette | null
  ) => {
    const apply: Apply = async (fixes, fix) => {
      const notebook = currentNotebook(app.shell);
      return notebook === null
        ? 'No notebook is in front.'
        : change(notebook, fixes.source, fix.next, fix.line);
    };
    rendermime.addFactory({
      // An untrusted notebook shows the HTML form, without buttons.
      safe: false,
      mimeTypes: [FIXES_TYPE],
      defaultRank: 40,
      createRenderer: () => new FixesOutput(apply)
    });
    app.commands.addCommand(FIND_FIXES, {
      label: 'Look for Fixes of Break Points',
      caption: 'Try rewrites of the cell on copies of its values',
      describedBy: {
        args: {
          type: 'object',
          properties: {
            source: { type: 'string', description: 'Text of the cell' }
          }
        }
      },
      isEnabled: () => kernelOf(app.shell) !== null,
      execute: async args => {
        const given = args['source'];
        const source = typeof given === 'string' ? given : activeText(app);
        const kernel = kernelOf(app.shell);
        if (source !== null && kernel !== null) {
          await openFixes(kernel, source, apply);
        }
      }
    });
    palette?.addItem({ command: FIND_FIXES, category: 'NumPy compiler' });
  }
};

/** Fixes among the outputs of a cell. */
class FixesOutput extends Widget {
  constructor(private readonly apply: Apply) {
    super();
    this.addClass('jp-npcompile-fixes-output');
  }

  async renderModel(model: {
    readonly data: Record<string, unknown>;
  }): Promise<void> {
    const fixes = readFixes(model.data[FIXES_TYPE]);
    this.node.replaceChildren(
      fixes === null
        ? 'These fixes were written by another version.'
        : fixesView(fixes, this.apply)
    );
    return Promise.resolve();
  }
}

/** Opens a dialog that waits for the kernel and shows what it has found. */
async function openFixes(
  kernel: IKernel,
  source: string,
  apply: Apply
): Promise<void> {
  const body = new Widget();
  body.addClass('jp-npcompile-fixes-dialog');
  const waiting = document.createElement('p');
  waiting.setAttribute('role', 'status');
  waiting.textContent = 'Trying rewrites on copies of the present values …';
  body.node.append(waiting);
  const dialog = new Dialog({
    title: 'Fixes of break points',
    body,
    buttons: [Dialog.cancelButton({ label: 'Close' })]
  });
  const waits = { on: true };
  const answer = askForFixes(kernel, source).then(found => {
    waits.on = false;
    if (body.isDisposed) {
      return;
    }
    if (typeof found === 'string') {
      waiting.textContent = found;
      return;
    }
    const once: Apply = async (fixes, fix) => {
      const said = await apply(fixes, fix);
      if (said === APPLIED) {
        dialog.reject();
      }
      return said;
    };
    body.node.replaceChildren(fixesView(found, once));
  });
  await dialog.launch();
  if (waits.on) {
    await kernel.interrupt();
  }
  await answer;
}

const APPLIED = 'Applied. Ctrl+Z in the cell takes it back.';

/** Changes the cell that has a text, and puts the cursor there. */
async function change(
  notebook: INotebook,
  source: string,
  next: string,
  line: number
): Promise<string> {
  for (const [cell, { model }] of notebook.widgets.entries()) {
    if (!isCodeCell(model)) {
      continue;
    }
    const { sharedModel } = model;
    const found = replacement(sharedModel.getSource(), source, next);
    if (found === null) {
      continue;
    }
    if (model.getMetadata('editable') === false) {
      return 'The cell is read-only.';
    }
    sharedModel.updateSource(found.start, found.end, found.text);
    await moveTo(notebook, { cell, line: line - 1 });
    return APPLIED;
  }
  return 'The cell has changed since: look for fixes again.';
}

/** The text of the active cell, if it is a code cell. */
function activeText(app: JupyterFrontEnd): string | null {
  const notebook = currentNotebook(app.shell);
  const model = notebook?.widgets[notebook.activeCellIndex]?.model;
  return model !== undefined && isCodeCell(model)
    ? model.sharedModel.getSource()
    : null;
}

/** The kernel of the notebook in front, if it has one. */
export function kernelOf(shell: JupyterFrontEnd.IShell): IKernel | null {
  const panel = shell.currentWidget as {
    sessionContext?: { session?: { kernel?: IKernel | null } | null };
  } | null;
  return panel?.sessionContext?.session?.kernel ?? null;
}
