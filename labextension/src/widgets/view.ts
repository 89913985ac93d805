/** What is visible of a level when some of its groups are open. */
import type { ArrowKind, IArrow, IBox, IGroup, ILevel } from './outline.js';

/** Something drawn as one box: an operation, a closed group, a break point. */
export interface IItem {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly detail: string;
  readonly line: number;
  readonly lines: readonly number[];
  readonly depth: number;
  /** The open group around it, `''` for none. */
  readonly parent: string;
  /** The closed group, if it is one. */
  readonly group: IGroup | null;
  readonly box: IBox | null;
}

/** An open group. */
export interface IFrame {
  readonly group: IGroup;
  readonly depth: number;
}

/** In reading order: a frame begins, an item stands, a frame ends. */
export type Step =
  | { readonly kind: 'open'; readonly frame: IFrame }
  | { readonly kind: 'item'; readonly item: IItem }
  | { readonly kind: 'close'; readonly frame: IFrame };

export interface IView {
  readonly steps: readonly Step[];
  readonly items: readonly IItem[];
  readonly arrows: readonly IArrow[];
}

/** A level with what is looked up in it again and again. */
export class Level {
  constructor(readonly data: ILevel) {
    this.boxes = new Map(data.boxes.map(box => [box.id, box]));
    this.groups = new Map(data.groups.map(group => [group.id, group]));
    const entries: (IBox | IGroup)[] = [...data.groups, ...data.boxes];
    for (const entry of entries.sort((a, b) => a.at - b.at)) {
      const parent = 'parent' in entry ? entry.parent : entry.group;
      const beside = this.children.get(parent);
      if (beside === undefined) {
        this.children.set(parent, [entry]);
      } else {
        beside.push(entry);
      }
    }
  }

  readonly boxes: ReadonlyMap<string, IBox>;
  readonly groups: ReadonlyMap<string, IGroup>;

  /** The groups around a box or group, the innermost first. */
  around(id: string): string[] {
    const found: string[] = [];
    let at = this.boxes.get(id)?.group ?? this.groups.get(id)?.parent ?? '';
    while (at !== '') {
      found.push(at);
      at = this.groups.get(at)?.parent ?? '';
    }
    return found;
  }

  /** What is drawn when these groups are open. */
  view(open: ReadonlySet<string>): IView {
    const steps: Step[] = [];
    const items: IItem[] = [];
    const shownAs = new Map<string, string>();
    const add = (item: IItem): void => {
      items.push(item);
      steps.push({ kind: 'item', item });
    };
    const hide = (group: string, as: string): void => {
      for (const child of this.children.get(group) ?? []) {
        if ('parent' in child) {
          hide(child.id, as);
        } else {
          shownAs.set(child.id, as);
        }
      }
    };
    const visit = (parent: string, depth: number): void => {
      for (const child of this.children.get(parent) ?? []) {
        const { line, title } = child;
        const lines = 'parent' in child ? [line] : child.lines;
        const place = { depth, parent, line, lines, title };
        if (!('parent' in child)) {
          shownAs.set(child.id, child.id);
          const { id, kind, detail } = child;
          add({ ...place, id, kind, detail, group: null, box: child });
        } else if (child.kind !== 'break' && open.has(child.id)) {
          const frame = { group: child, depth };
          steps.push({ kind: 'open', frame });
          visit(child.id, depth + 1);
          steps.push({ kind: 'close', frame });
        } else {
          const { id, kind, detail } = child;
          add({ ...place, id, kind, detail, group: child, box: null });
          hide(id, id);
        }
      }
    };
    visit('', 0);
    return { steps, items, arrows: joined(this.data.arrows, shownAs) };
  }

  private readonly children = new Map<string, (IBox | IGroup)[]>();
}

/** Arrows between what is drawn; several between the same two become one. */
function joined(
  arrows: readonly IArrow[],
  shownAs: ReadonlyMap<string, string>
): IArrow[] {
  const found = new Map<string, IArrow>();
  const rank: Record<ArrowKind, number> = { data: 0, across: 1, memory: 2 };
  for (const arrow of arrows) {
    const tail = shownAs.get(arrow.tail);
    const head = shownAs.get(arrow.head);
    if (tail === undefined || head === undefined || tail === head) {
      continue;
    }
    const key = `${tail}\n${head}`;
    const before = found.get(key);
    if (before === undefined || rank[arrow.kind] < rank[before.kind]) {
      found.set(key, { tail, head, kind: arrow.kind });
    }
  }
  return [...found.values()];
}
