/** Turns marks on and off, in all editors at once. */
import type { IMarkSource } from './editor.js';

const NONE: readonly never[] = [];

export class Switch {
  constructor(private on: boolean) {}

  set(on: boolean): void {
    if (on !== this.on) {
      this.on = on;
      for (const listener of this.listeners) {
        listener();
      }
    }
  }

  /** The same marks while this is on, and none while it is off. */
  gate(source: IMarkSource): IMarkSource {
    return {
      read: () => (this.on ? source.read() : NONE),
      source: () => source.source(),
      subscribe: listener => {
        this.listeners.add(listener);
        const end = source.subscribe(listener);
        return () => {
          this.listeners.delete(listener);
          end();
        };
      }
    };
  }

  private readonly listeners = new Set<() => void>();
}
