/**
 * Lines that light up together in the editor and in the widgets.
 *
 * Both sides are in one page but know nothing of each other: they agree on the
 * text of the cell that ran, and on the numbers of lines in it.
 */

/** Sent by a widget when the pointer is on something of these lines. */
export const LINE_OF_NODE = 'npcompile:line-of-node';

/** Sent by an editor when the pointer is on a line. */
export const LINE_OF_EDITOR = 'npcompile:line-of-editor';

export interface ILines {
  readonly source: string;
  /** None when the pointer has left. A kernel belongs to several. */
  readonly lines: readonly number[];
}

export function sendLines(name: string, place: ILines): void {
  window.dispatchEvent(new CustomEvent<ILines>(name, { detail: place }));
}

/** Calls `action` with all lines that are sent; what it returns ends that. */
export function onLines(
  name: string,
  action: (place: ILines) => void
): () => void {
  const listen = (event: Event): void => {
    action((event as CustomEvent<ILines>).detail);
  };
  window.addEventListener(name, listen);
  return () => {
    window.removeEventListener(name, listen);
  };
}
