/** What the widgets use of an anywidget model. */
export interface IModel {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

/** A view of a model in an element; what it returns ends it. */
export type Render = (context: {
  readonly model: IModel;
  readonly el: HTMLElement;
}) => () => void;

/** Calls `action` on every change of these traits until `end` is called. */
export function watch(
  model: IModel,
  names: readonly string[],
  action: () => void
): () => void {
  for (const name of names) {
    model.on(`change:${name}`, action);
  }
  return () => {
    for (const name of names) {
      model.off(`change:${name}`, action);
    }
  };
}
