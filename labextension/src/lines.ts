/**
 * Lines that light up together in the editor and in the widgets.
 *
 * Both sides are in one page but know nothing of each other: they agree on the
 * text of the cell that ran, and on the number of the line in it.
 */

/** Sent by a widget when the pointer is on something of a line; 0 for none. */
export const LINE_OF_NODE = 'npcompile:line-of-node';

/** Sent by an editor when the pointer is on a line; 0 for none. */
export const LINE_OF_EDITOR = 'npcompile:line-of-editor';

export interface ILine {
  readonly source: string;
  readonly line: number;
}

export function sendLine(name: string, place: ILine): void {
  window.dispatchEvent(new CustomEvent<ILine>(name, { detail: place }));
}

/** Calls `action` with every line that is sent; what it returns ends that. */
export function onLine(
  name: string,
  action: (place: ILine) => void
): () => void {
  const listen = (event: Event): void => {
    action((event as CustomEvent<ILine>).detail);
  };
  window.addEventListener(name, listen);
  return () => {
    window.removeEventListener(name, listen);
  };
}
