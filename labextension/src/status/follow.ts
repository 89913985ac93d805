/** Follows what the kernel of the notebook in front says about its compiler. */
import { type IState, readState, TARGET } from './state.js';

interface IMessage {
  readonly content: { readonly data?: unknown };
}

/** What is used of a comm. */
interface IComm {
  onMsg: (message: IMessage) => void;
  onClose: (message: IMessage) => void;
  send(data: object): unknown;
}

/** What is used of a kernel. */
export interface IStatusKernel {
  createComm(target: string, id: string): IComm;
  hasComm(id: string): boolean;
  requestCommInfo(content: { target_name: string }): Promise<{
    readonly content: object;
  }>;
  interrupt(): Promise<void>;
}

/** What one kernel says, from the moment on when it has something to say. */
export class KernelStatus {
  constructor(readonly kernel: IStatusKernel) {}

  /** Is called with every state; null where there is none. */
  show: (state: IState | null) => void = () => undefined;

  /** What it said last. */
  last: IState | null = null;

  /**
   * Looks for the comm unless it is known: the kernel has one as soon as the
   * extension is loaded there, and does not announce it.
   */
  async look(): Promise<void> {
    if (this.looking || this.known.size > 0) {
      return;
    }
    this.looking = true;
    try {
      const { content } = await this.kernel.requestCommInfo({
        target_name: TARGET
      });
      const { comms } = content as { comms?: Record<string, unknown> };
      for (const id of Object.keys(comms ?? {})) {
        this.join(id);
      }
    } finally {
      this.looking = false;
    }
  }

  /** The kernel is another one: what was known is no longer true. */
  forget(): void {
    this.known.clear();
    this.tell(null);
  }

  private join(id: string): void {
    if (this.known.has(id) || this.kernel.hasComm(id)) {
      return;
    }
    this.known.add(id);
    const comm = this.kernel.createComm(TARGET, id);
    comm.onMsg = ({ content }) => {
      this.tell(readState(content.data));
    };
    comm.onClose = () => {
      this.tell(null);
    };
    comm.send({});
  }

  private tell(state: IState | null): void {
    this.last = state;
    this.show(state);
  }

  private readonly known = new Set<string>();
  private looking = false;
}
