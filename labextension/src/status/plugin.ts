import type {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { IStatusBar } from '@jupyterlab/statusbar';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { type IStatusKernel, KernelStatus } from './follow.js';
import { described, type IState } from './state.js';

/** Shows device, compiles in progress and cache in the status bar. */
export const statusPlugin: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-npcompile:status',
  description:
    'Shows what the NumPy compiler does, and cancels what is waited for.',
  autoStart: true,
  optional: [IStatusBar],
  activate: (app, bar: IStatusBar | null) => {
    const { shell } = app;
    if (bar === null || shell.currentChanged === undefined) {
      return; // Notebook 7 has no status bar
    }
    const item = new StatusItem();
    bar.registerStatusItem('jupyter-npcompile:status', {
      item,
      align: 'left',
      rank: 100,
      isActive: () => item.hasState,
      activeStateChanged: item.hasStateChanged
    });
    const front = new Front(item);
    shell.currentChanged.connect(() => {
      front.set(contextOf(shell));
    });
    front.set(contextOf(shell));
  }
};

/** What is used of the connection between a notebook and its kernel. */
interface IContext {
  readonly session: { readonly kernel: IStatusKernel | null } | null;
  readonly kernelDisplayStatus: string;
  readonly kernelChanged: ISource<unknown>;
  readonly statusChanged: ISource<unknown>;
  readonly iopubMessage: ISource<IMessage>;
}

interface ISource<T> {
  connect(slot: (sender: unknown, argument: T) => void): boolean;
  disconnect(slot: (sender: unknown, argument: T) => void): boolean;
}

/** A message of the kernel to all. */
interface IMessage {
  readonly header: { readonly msg_type: string };
  readonly parent_header: { readonly msg_type?: string };
  readonly content: { readonly execution_state?: unknown };
}

/** Follows the kernel of the notebook in front, whichever that is. */
class Front {
  constructor(private readonly item: StatusItem) {}

  set(context: IContext | null): void {
    if (context === this.context) {
      return;
    }
    this.context?.kernelChanged.disconnect(this.follow);
    this.context?.statusChanged.disconnect(this.check);
    this.context?.iopubMessage.disconnect(this.hear);
    this.context = context;
    context?.kernelChanged.connect(this.follow);
    context?.statusChanged.connect(this.check);
    context?.iopubMessage.connect(this.hear);
    this.follow();
  }

  private readonly follow = (): void => {
    if (this.status !== null) {
      this.status.show = () => undefined;
    }
    const kernel = this.context?.session?.kernel ?? null;
    if (kernel === null) {
      this.status = null;
      this.item.tell(null, null);
      return;
    }
    const status = this.known.get(kernel) ?? new KernelStatus(kernel);
    this.known.set(kernel, status);
    status.show = state => {
      this.item.tell(state, kernel);
    };
    this.item.tell(status.last, kernel);
    this.status = status;
    void status.look();
  };

  private readonly check = (): void => {
    if (GONE.includes(this.context?.kernelDisplayStatus ?? '')) {
      this.status?.forget();
    }
  };

  /** A cell has run: it may have loaded the extension. */
  private readonly hear = (_: unknown, message: IMessage): void => {
    if (
      message.header.msg_type === 'status' &&
      message.content.execution_state === 'idle' &&
      message.parent_header.msg_type === 'execute_request'
    ) {
      void this.status?.look();
    }
  };

  private context: IContext | null = null;
  private status: KernelStatus | null = null;
  private readonly known = new WeakMap<IStatusKernel, KernelStatus>();
}

/** What a kernel is called that knows nothing any more. */
const GONE = ['restarting', 'autorestarting', 'dead', 'terminating'];

class StatusItem extends Widget {
  constructor() {
    super();
    this.addClass('jp-npcompile-status');
    this.text.setAttribute('role', 'status');
    this.button.type = 'button';
    this.button.textContent = 'Cancel';
    this.button.title = 'Interrupt the kernel, which waits for the compiler';
    this.button.addEventListener('click', () => {
      void this.kernel?.interrupt();
    });
    this.node.append(this.text, this.button);
  }

  /** Whether there is something to show; the status bar shows and hides the item. */
  hasState = false;
  readonly hasStateChanged = new Signal<this, void>(this);

  tell(state: IState | null, kernel: IStatusKernel | null): void {
    this.kernel = kernel;
    if (state !== null) {
      this.text.textContent = described(state);
      this.button.hidden = !state.waiting;
    }
    this.hasState = state !== null;
    this.hasStateChanged.emit();
  }

  private readonly text = document.createElement('span');
  private readonly button = document.createElement('button');
  private kernel: IStatusKernel | null = null;
}

/** The connection of the notebook in front. */
function contextOf(shell: JupyterFrontEnd.IShell): IContext | null {
  const panel = shell.currentWidget as {
    sessionContext?: IContext;
  } | null;
  return panel?.sessionContext ?? null;
}
