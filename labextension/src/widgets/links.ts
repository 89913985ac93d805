/** Lines of the cell and what was made of them light each other up. */
import { LINE_OF_EDITOR, LINE_OF_NODE, onLines, sendLines } from '../lines.js';
import type { Stage } from './stage.js';

export class Links {
  constructor(
    private readonly stage: Stage,
    private readonly source: () => string
  ) {}

  /** Lights up what belongs to the lines under the pointer in the editor. */
  follow(): () => void {
    return onLines(LINE_OF_EDITOR, ({ source, lines }) => {
      if (source === this.source()) {
        this.light(lines);
      }
    });
  }

  /** Tells the editor which lines the element under the pointer belongs to. */
  tell(target: EventTarget | null): void {
    const element =
      target instanceof Element ? target.closest('[data-line]') : null;
    const told = element?.getAttribute('data-line') ?? '';
    if (told !== this.told) {
      this.told = told;
      const lines = told.split(' ').map(Number);
      sendLines(LINE_OF_NODE, {
        source: this.source(),
        lines: lines.filter(line => line > 0)
      });
    }
  }

  private light(lines: readonly number[]): void {
    for (const element of this.stage.all('[data-line]')) {
      const own = (element.getAttribute('data-line') ?? '').split(' ');
      element.classList.toggle(
        'npcg-lit',
        lines.some(line => own.includes(String(line)))
      );
    }
  }

  private told = '';
}
