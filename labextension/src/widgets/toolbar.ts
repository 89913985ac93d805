/** What stands above the drawing: tabs, search, zoom, table, export. */
import { button, html } from './dom.js';

/** What a person does there. */
export interface IActions {
  /** Something else is searched for. */
  type(): void;
  /** On to another hit. */
  find(step: number): void;
  openAll(): void;
  closeAll(): void;
  zoomBy(factor: number): void;
  fit(): void;
  asTable(isTable: boolean): void;
  take(format: string): void;
}

const FORMATS = ['SVG', 'PNG', 'DOT', 'JSON'];

export class Toolbar {
  constructor(actions: IActions) {
    this.search.addEventListener('input', () => {
      actions.type();
    });
    this.search.addEventListener('keydown', event => {
      if (event.key === 'Enter') {
        actions.find(event.shiftKey ? -1 : 1);
      }
    });
    const choice = html(
      'select',
      { 'aria-label': 'Export', title: 'Export' },
      html('option', { value: '' }, 'Export'),
      ...FORMATS.map(name => html('option', { value: name }, name))
    );
    choice.addEventListener('change', () => {
      actions.take(choice.value);
      choice.value = '';
    });
    const table = button('Table', '', () => {
      const isTable = table.getAttribute('aria-pressed') !== 'true';
      table.setAttribute('aria-pressed', String(isTable));
      actions.asTable(isTable);
    });
    table.setAttribute('aria-pressed', 'false');
    this.node = html(
      'div',
      { class: 'npcg-toolbar' },
      this.tabs,
      this.search,
      this.count,
      html('span', { class: 'npcg-space' }),
      button('Open all', 'Open all groups', () => {
        actions.openAll();
      }),
      button('Close all', 'Close all groups', () => {
        actions.closeAll();
      }),
      button('−', 'Zoom out', () => {
        actions.zoomBy(1 / 1.25);
      }),
      button('+', 'Zoom in', () => {
        actions.zoomBy(1.25);
      }),
      button('Fit', 'Fit the width', () => {
        actions.fit();
      }),
      table,
      choice
    );
  }

  /** What is searched for. */
  get query(): string {
    return this.search.value;
  }

  /** Shows the tabs. */
  offer(
    choices: readonly { key: string; title: string }[],
    chosen: string,
    choose: (key: string) => void
  ): void {
    this.tabs.replaceChildren(
      ...choices.map(({ key, title }) => {
        const tab = button(title, '', () => {
          choose(key);
        });
        tab.setAttribute('role', 'tab');
        tab.setAttribute('aria-selected', String(key === chosen));
        return tab;
      })
    );
  }

  /** Tells what came of it. */
  say(text: string): void {
    this.count.textContent = text;
  }

  focus(): void {
    this.search.focus();
  }

  readonly node: HTMLElement;
  private readonly tabs = html('div', {
    role: 'tablist',
    'aria-label': 'Level'
  });
  private readonly search = html('input', {
    type: 'search',
    placeholder: 'Search',
    'aria-label': 'Search operations'
  });
  private readonly count = html('span', {
    class: 'npcg-count',
    'aria-live': 'polite'
  });
}
