/** The part of the widget that scrolls: holds the drawing, zooms and pans it. */
import { html } from './dom.js';

const LEAST = 0.05;
const MOST = 4;

export class Stage {
  readonly node = html('div', { class: 'npcg-stage' });

  /** Whether the last press of the pointer moved the drawing. */
  dragged = false;

  /** The drawing, unless something else is shown. */
  get drawing(): SVGSVGElement | null {
    return this.drawn;
  }

  /** Shows a drawing where the one before it was. */
  draw(drawn: SVGSVGElement): void {
    const { scrollLeft, scrollTop } = this.node;
    this.drawn = drawn;
    this.node.replaceChildren(drawn);
    drawn.addEventListener('wheel', this.onWheel, { passive: false });
    drawn.addEventListener('pointerdown', event => {
      this.onPress(event);
    });
    this.zoom(this.scale);
    this.node.scrollTo(scrollLeft, scrollTop);
  }

  /** Shows something else. */
  put(content: Node): void {
    this.drawn = null;
    this.node.replaceChildren(content);
  }

  /** Everything in it that stands for a group or box. */
  all(selector: string): Element[] {
    return [...this.node.querySelectorAll(selector)];
  }

  element(id: string): Element | null {
    return this.node.querySelector(`[data-id="${CSS.escape(id)}"]`);
  }

  /** Makes one element the only stop of the tab key. */
  reach(element: Element): void {
    for (const other of this.all('[data-id][tabindex="0"]')) {
      other.setAttribute('tabindex', '-1');
    }
    element.setAttribute('tabindex', '0');
  }

  zoomBy(factor: number): void {
    const { clientWidth, clientHeight } = this.node;
    const [x, y] = [clientWidth / 2, clientHeight / 2];
    const before = this.scale;
    const left = this.node.scrollLeft + x;
    const top = this.node.scrollTop + y;
    this.zoom(Math.max(LEAST, Math.min(MOST, this.scale * factor)));
    const grown = this.scale / before;
    this.node.scrollTo(left * grown - x, top * grown - y);
  }

  /** Makes the drawing as wide as there is room, but not larger than life. */
  fit(): void {
    const width = this.drawn?.viewBox.baseVal.width ?? 0;
    if (width > 0 && this.node.clientWidth > 0) {
      this.zoom(Math.max(LEAST, Math.min(1, this.node.clientWidth / width)));
    }
  }

  private zoom(scale: number): void {
    this.scale = scale;
    if (this.drawn !== null) {
      const { width, height } = this.drawn.viewBox.baseVal;
      this.drawn.style.width = `${width * scale}px`;
      this.drawn.style.height = `${height * scale}px`;
    }
  }

  private readonly onWheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY / 300));
    }
  };

  private onPress(event: PointerEvent): void {
    this.dragged = false;
    if (event.button !== 0 || event.pointerType === 'touch') {
      return; // a finger scrolls by itself
    }
    const { clientX, clientY } = event;
    const { scrollLeft, scrollTop } = this.node;
    const move = (next: PointerEvent): void => {
      const [x, y] = [next.clientX - clientX, next.clientY - clientY];
      this.dragged ||= Math.hypot(x, y) > 4;
      if (this.dragged) {
        this.node.scrollTo(scrollLeft - x, scrollTop - y);
      }
    };
    const stop = (): void => {
      window.removeEventListener('pointermove', move);
      window.removeEventListener('pointerup', stop);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', stop);
  }

  private drawn: SVGSVGElement | null = null;
  private scale = 1;
}
