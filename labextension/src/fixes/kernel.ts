/** Asks the kernel of a notebook to look for fixes of a cell. */
import { FIXES_TYPE, type IFixes, readFixes } from './fixes.js';

/** What is used of a message from the kernel. */
interface IMessage {
  readonly header: { readonly msg_type: string };
  readonly content: unknown;
}

/** What is used of a kernel. */
export interface IKernel {
  requestExecute(content: {
    code: string;
    store_history: boolean;
    allow_stdin: boolean;
    silent?: boolean;
    user_expressions?: Record<string, string>;
  }): {
    onIOPub: (message: IMessage) => void;
    readonly done: Promise<{ readonly content: unknown }>;
  };
  interrupt(): Promise<void>;
}

/** A function of the extension's Python part, called with a text. */
function called(name: string, text: string): string {
  const module = '__import__("jupyter_npcompile.magic.fixing", fromlist=["*"])';
  return `${module}.${name}(${JSON.stringify(text)})`;
}

/** Whether the kernel has run a cell with this text since it was started. */
export async function hasRun(
  kernel: IKernel,
  source: string
): Promise<boolean> {
  const { content } = await kernel.requestExecute({
    code: '',
    silent: true,
    store_history: false,
    allow_stdin: false,
    user_expressions: { ran: called('has_run', source) }
  }).done;
  const { user_expressions: found } = content as {
    user_expressions?: { ran?: { data?: Record<string, unknown> } };
  };
  return found?.ran?.data?.['text/plain'] === 'True';
}

/**
 * Fixes of a cell with this text; the words of the kernel where it has none.
 *
 * A kernel without the extension's Python part says what is missing.
 */
export async function askForFixes(
  kernel: IKernel,
  source: string
): Promise<IFixes | string> {
  const future = kernel.requestExecute({
    code: called('show_fixes', source),
    store_history: false,
    allow_stdin: false
  });
  const found: IFixes[] = [];
  let said = '';
  future.onIOPub = ({ header, content }) => {
    const parts = content as Record<string, unknown>;
    if (header.msg_type === 'display_data') {
      const data = (parts['data'] ?? {}) as Record<string, unknown>;
      const fixes = readFixes(data[FIXES_TYPE]);
      if (fixes !== null) {
        found.push(fixes);
      }
    } else if (header.msg_type === 'error') {
      said = `${String(parts['ename'])}: ${String(parts['evalue'])}`;
    } else if (header.msg_type === 'stream') {
      said += String(parts['text']);
    }
  };
  await future.done;
  const [fixes] = found;
  return fixes ?? (said === '' ? 'The kernel did not answer.' : said);
}
