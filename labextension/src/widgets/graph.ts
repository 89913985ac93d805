/** The graph widget: tabs for levels, drawing or table, search, details. */
import { html } from './dom.js';
import { details } from './details.js';
import { draw } from './drawing.js';
import { exportAs } from './exports.js';
import { type IWalker, pressed } from './keys.js';
import { arrange } from './layout.js';
import { Links } from './links.js';
import { type IModel, type Render, watch } from './model.js';
import { type IOutline, list, readOutline, text } from './outline.js';
import { hits } from './search.js';
import { Stage } from './stage.js';
import { table } from './table.js';
import { TIMING, timing } from './timing.js';
import { Toolbar } from './toolbar.js';
import { type IView, Level } from './view.js';

/** Boxes that "open all" draws at most. */
const MOST_OPEN = 1500;

export const renderGraph: Render = ({ model, el }) => {
  const began = performance.now();
  const view = new GraphView(model, el);
  // What it took shows in the browser's own tools.
  performance.measure('npcompile:graph', { start: began });
  return () => {
    view.end();
  };
};

class GraphView {
  constructor(
    private readonly model: IModel,
    el: HTMLElement
  ) {
    this.outline = readOutline(model.get('graph'));
    this.detail = html('div', { class: 'npcg-detail', 'aria-live': 'polite' });
    this.root = html(
      'div',
      { class: 'npcg', role: 'group', 'aria-label': 'Captured graph' },
      this.toolbar.node,
      this.stage.node,
      this.detail
    );
    el.append(this.root);
    this.ends = [
      watch(model, ['graph'], () => {
        this.outline = readOutline(model.get('graph'));
        this.levels.clear();
        this.show();
      }),
      watch(model, ['level', 'expanded'], () => {
        this.show();
      }),
      watch(model, ['selected'], () => {
        this.mark();
      }),
      this.links.follow()
    ];
    this.show();
    // The width is known when the element is in the page.
    requestAnimationFrame(() => {
      this.stage.fit();
    });
  }

  end(): void {
    for (const end of this.ends) {
      end();
    }
    this.root.remove();
  }

  // -- the parts

  /** The tabs: levels, and where the time went. */
  private choices(): readonly { key: string; title: string }[] {
    const { levels, timing } = this.outline;
    return timing.rows.length > 0
      ? [...levels, { key: TIMING, title: 'Timing' }]
      : levels;
  }

  private level(): Level | null {
    const key = text(this.model.get('level'));
    const data =
      this.outline.levels.find(level => level.key === key) ??
      this.outline.levels[0];
    if (data === undefined) {
      return null;
    }
    const known = this.levels.get(data.key) ?? new Level(data);
    this.levels.set(data.key, known);
    return known;
  }

  private open(): Set<string> {
    return new Set(list(this.model.get('expanded')).map(text));
  }

  private show(): void {
    const level = this.level();
    const isTiming = text(this.model.get('level')) === TIMING;
    this.root.classList.toggle('npcg-times', isTiming);
    const chosen = isTiming ? TIMING : (level?.data.key ?? '');
    this.toolbar.offer(this.choices(), chosen, key => {
      this.model.set('level', key);
      this.model.save_changes();
    });
    if (isTiming) {
      const shown = timing(this.outline.timing);
      shown.addEventListener('mouseover', event => {
        this.links.tell(event.target);
      });
      shown.addEventListener('mouseleave', () => {
        this.links.tell(null);
      });
      this.stage.put(shown);
      this.describe('');
      return;
    }
    if (level === null) {
      this.stage.put(html('p', {}, 'Nothing was captured.'));
      return;
    }
    if (this.isTable) {
      this.stage.put(
        table(level, id => {
          this.select(id);
        })
      );
      this.mark();
      return;
    }
    const focused = this.stage.node.contains(document.activeElement);
    this.view = level.view(this.open());
    const layout = arrange(this.view);
    const label = `Captured graph, ${level.data.title} level, ${level.data.boxes.length} operations, inputs and outputs`;
    const drawn = draw(this.view, layout, label);
    this.listen(drawn);
    this.stage.draw(drawn);
    if (level.data.key !== this.fitted) {
      this.fitted = level.data.key;
      this.stage.fit();
    }
    this.mark();
    if (focused) {
      this.focusOn(this.current);
    }
  }

  private listen(drawn: SVGSVGElement): void {
    drawn.addEventListener('click', event => {
      const target = (event.target as Element).closest('[data-id]');
      if (target === null || this.stage.dragged) {
        return;
      }
      const id = target.getAttribute('data-id') ?? '';
      this.current = id;
      const heading = (event.target as Element).closest('text') !== null;
      if (
        target.classList.contains('npcg-frame') ? heading : this.isGroup(id)
      ) {
        this.toggle(id);
      } else if (!target.classList.contains('npcg-frame')) {
        this.select(id);
      }
    });
    drawn.addEventListener('keydown', event => {
      if (pressed(event, this.walker)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
    drawn.addEventListener('mouseover', event => {
      this.links.tell(event.target);
    });
    drawn.addEventListener('mouseleave', () => {
      this.links.tell(null);
    });
    drawn.addEventListener('focusin', event => {
      this.links.tell(event.target);
    });
  }

  // -- what a person does

  private isGroup(id: string): boolean {
    const group = this.level()?.groups.get(id);
    return group !== undefined && group.kind !== 'break';
  }

  private toggle(id: string): void {
    const open = this.open();
    if (!open.delete(id)) {
      open.add(id);
    }
    this.current = id;
    this.setOpen([...open]);
  }

  private setOpen(groups: readonly string[]): void {
    this.model.set('expanded', [...groups]);
    this.model.save_changes();
  }

  private openAll(): void {
    const level = this.level();
    if (level === null) {
      return;
    }
    const open = new Set<string>();
    for (const group of level.data.groups) {
      if (level.around(group.id).every(id => open.has(id))) {
        open.add(group.id);
        if (level.view(open).items.length > MOST_OPEN) {
          open.delete(group.id);
          break;
        }
      }
    }
    this.setOpen([...open]);
  }

  private select(id: string): void {
    this.current = id;
    this.model.set('selected', id);
    this.model.save_changes();
  }

  private find(step: number): void {
    const level = this.level();
    const found = level === null ? [] : hits(level, this.toolbar.query);
    if (level === null || found.length === 0) {
      const asked = this.toolbar.query.trim() !== '';
      this.toolbar.say(asked ? 'not found' : '');
      return;
    }
    this.found = (this.found + step + found.length) % found.length;
    this.toolbar.say(`${this.found + 1} of ${found.length}`);
    const id = found[this.found] ?? '';
    this.setOpen([...new Set([...this.open(), ...level.around(id)])]);
    this.select(id);
    this.stage.element(id)?.scrollIntoView({ block: 'nearest' });
  }

  private take(format: string): void {
    const level = this.level();
    if (level === null || format === '') {
      return;
    }
    const { drawing } = this.stage;
    exportAs(format, level.data, level.view(this.open()), drawing, problem => {
      this.toolbar.say(problem);
    });
  }

  // -- what is marked

  private focusOn(id: string): void {
    this.current = id;
    const element = this.stage.element(id);
    if (element instanceof SVGElement) {
      this.stage.reach(element);
      element.focus();
      element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
  }

  private mark(): void {
    const id = text(this.model.get('selected'));
    for (const element of this.stage.all('.npcg-selected')) {
      element.classList.remove('npcg-selected');
      if (element.hasAttribute('role')) {
        element.setAttribute('aria-selected', 'false');
      }
    }
    const element = id === '' ? null : this.stage.element(id);
    element?.classList.add('npcg-selected');
    if (element?.hasAttribute('role')) {
      element.setAttribute('aria-selected', 'true');
    }
    for (const arrow of this.stage.all('.npcg-arrow')) {
      const ends = [
        arrow.getAttribute('data-tail'),
        arrow.getAttribute('data-head')
      ];
      arrow.classList.toggle('npcg-selected', id !== '' && ends.includes(id));
    }
    if (this.stage.drawing !== null) {
      const stop = element ?? this.stage.drawing.querySelector('[data-id]');
      if (stop !== null) {
        this.stage.reach(stop);
        this.current ||= stop.getAttribute('data-id') ?? '';
      }
    }
    this.describe(id);
  }

  private describe(id: string): void {
    const level = this.level();
    const shown =
      level === null
        ? null
        : details(level, id, other => {
            this.setOpen([
              ...new Set([...this.open(), ...level.around(other)])
            ]);
            this.select(other);
            this.stage.element(other)?.scrollIntoView({ block: 'nearest' });
          });
    this.detail.replaceChildren(
      ...(shown ?? [
        html('span', { class: 'npcg-quiet' }, this.outline.summary)
      ])
    );
  }

  private readonly walker: IWalker = {
    here: () => this.current,
    /** Frames and items in reading order. */
    reading: () =>
      (this.view?.steps ?? []).flatMap(step =>
        step.kind === 'open'
          ? [step.frame.group.id]
          : step.kind === 'item'
            ? [step.item.id]
            : []
      ),
    reader: id => this.view?.arrows.find(arrow => arrow.tail === id)?.head,
    parent: id => this.level()?.around(id)[0],
    isOpen: id => this.open().has(id),
    isGroup: id => this.isGroup(id),
    go: id => {
      this.focusOn(id);
    },
    toggle: id => {
      this.toggle(id);
    },
    select: id => {
      this.select(id);
    },
    zoomBy: factor => {
      this.stage.zoomBy(factor);
    },
    fit: () => {
      this.stage.fit();
    },
    search: () => {
      this.toolbar.focus();
    }
  };
  private outline: IOutline;
  private readonly levels = new Map<string, Level>();
  private readonly root: HTMLElement;
  private readonly stage = new Stage();
  private readonly links = new Links(this.stage, () => this.outline.source);
  private readonly detail: HTMLElement;
  private readonly ends: readonly (() => void)[];
  private readonly toolbar = new Toolbar({
    type: () => {
      this.found = 0;
      this.find(0);
    },
    find: step => {
      this.find(step);
    },
    openAll: () => {
      this.openAll();
    },
    closeAll: () => {
      this.setOpen([]);
    },
    zoomBy: factor => {
      this.stage.zoomBy(factor);
    },
    fit: () => {
      this.stage.fit();
    },
    asTable: isTable => {
      this.isTable = isTable;
      this.show();
    },
    take: format => {
      this.take(format);
    }
  });
  private view: IView | null = null;
  private current = '';
  private found = 0;
  private fitted = '';
  private isTable = false;
}
