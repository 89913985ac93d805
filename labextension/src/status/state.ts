/** What the kernel says about the compiler, and how the status bar puts it. */

/** The comm's target. */
export const TARGET = 'npcompile.status';

export interface IState {
  readonly device: string;
  /** Compiles in progress. */
  readonly pending: number;
  /** Whether the cell that runs waits for one. */
  readonly waiting: boolean;
  /** Size of the cache; null when it is not known yet. */
  readonly cacheBytes: number | null;
}

/** Reads a message of the comm; null for anything else. */
export function readState(data: unknown): IState | null {
  if (typeof data !== 'object' || data === null) {
    return null;
  }
  const { device, pending, waiting, cache_bytes } = data as Record<
    string,
    unknown
  >;
  if (typeof device !== 'string' || typeof pending !== 'number') {
    return null;
  }
  return {
    device,
    pending,
    waiting: waiting === true,
    cacheBytes: typeof cache_bytes === 'number' ? cache_bytes : null
  };
}

/** The state in a few words. */
export function described(state: IState): string {
  const parts = [`NumPy on ${state.device}`];
  if (state.pending > 0) {
    parts.push(`compiling ${state.pending}`);
  }
  if (state.cacheBytes !== null) {
    parts.push(`cache ${megabytes(state.cacheBytes)}`);
  }
  return parts.join(' · ');
}

function megabytes(bytes: number): string {
  const count = bytes / 2 ** 20;
  return `${count < 10 ? count.toFixed(1) : count.toFixed(0)} MB`;
}
