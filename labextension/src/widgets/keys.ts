/** The way of the keyboard through a drawing. */

/** What a person walks through, and what keys do in it. */
export interface IWalker {
  here(): string;
  /** Everything that can be gone to, in reading order. */
  reading(): readonly string[];
  /** What reads this first. */
  reader(id: string): string | undefined;
  /** The open group around this. */
  parent(id: string): string | undefined;
  isOpen(id: string): boolean;
  isGroup(id: string): boolean;
  go(id: string): void;
  toggle(id: string): void;
  select(id: string): void;
  zoomBy(factor: number): void;
  fit(): void;
  search(): void;
}

const ACTIONS: Readonly<Record<string, (walker: IWalker) => void>> = {
  ArrowDown: walker => {
    step(walker, 1);
  },
  ArrowUp: walker => {
    step(walker, -1);
  },
  Home: walker => {
    goTo(walker, walker.reading()[0]);
  },
  End: walker => {
    goTo(walker, walker.reading().at(-1));
  },
  // As in every tree: right opens, and then goes on; left closes, or goes out.
  ArrowRight: walker => {
    const here = walker.here();
    if (walker.isGroup(here) && !walker.isOpen(here)) {
      walker.toggle(here);
    } else if (walker.isOpen(here)) {
      step(walker, 1);
    } else {
      goTo(walker, walker.reader(here));
    }
  },
  ArrowLeft: walker => {
    const here = walker.here();
    if (walker.isOpen(here)) {
      walker.toggle(here);
    } else {
      goTo(walker, walker.parent(here));
    }
  },
  Enter: act,
  ' ': act,
  Escape: walker => {
    walker.select('');
  },
  '+': walker => {
    walker.zoomBy(1.25);
  },
  '=': walker => {
    walker.zoomBy(1.25);
  },
  '-': walker => {
    walker.zoomBy(1 / 1.25);
  },
  '0': walker => {
    walker.fit();
  },
  '/': walker => {
    walker.search();
  }
};

/** Does what a key means; false when it means nothing here. */
export function pressed(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>,
  walker: IWalker
): boolean {
  const action = ACTIONS[event.key];
  if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) {
    return false;
  }
  action(walker);
  return true;
}

function step(walker: IWalker, by: number): void {
  const ids = walker.reading();
  const at = ids.indexOf(walker.here()) + by;
  goTo(walker, ids[Math.max(0, Math.min(ids.length - 1, at))]);
}

function goTo(walker: IWalker, id: string | undefined): void {
  if (id !== undefined) {
    walker.go(id);
  }
}

function act(walker: IWalker): void {
  const here = walker.here();
  if (walker.isGroup(here)) {
    walker.toggle(here);
  } else {
    walker.select(here);
  }
}
