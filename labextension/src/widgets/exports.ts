/** What a person can take away: SVG, PNG, DOT, JSON. */
import type { ILevel } from './outline.js';
import type { IView } from './view.js';

const STYLES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'opacity'
];

/** The drawing as a file of its own, with the colours it has on the page. */
function toSvg(drawn: SVGSVGElement): string {
  const copy = drawn.cloneNode(true) as SVGSVGElement;
  const before = [drawn, ...drawn.querySelectorAll('*')];
  const after = [copy, ...copy.querySelectorAll('*')];
  before.forEach((element, i) => {
    const style = getComputedStyle(element);
    const target = after[i];
    for (const name of STYLES) {
      target?.setAttribute(name, style.getPropertyValue(name));
    }
    target?.removeAttribute('tabindex');
    target?.removeAttribute('style');
  });
  const { width, height } = drawn.viewBox.baseVal;
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.setAttribute('role', 'img');
  return new XMLSerializer().serializeToString(copy);
}

/** The drawing as a picture, twice as large as on the page. */
async function toPng(drawn: SVGSVGElement): Promise<Blob> {
  const image = new Image();
  const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvg(drawn))}`;
  await new Promise<void>((done, failed) => {
    image.onload = () => {
      done();
    };
    image.onerror = () => {
      failed(new Error('the drawing is too large for a picture'));
    };
    image.src = url;
  });
  const canvas = document.createElement('canvas');
  // Browsers refuse canvases with more than some 16 000 pixels a side.
  const scale = Math.min(2, 16000 / Math.max(image.width, image.height));
  canvas.width = image.width * scale;
  canvas.height = image.height * scale;
  const context = canvas.getContext('2d');
  const back = getComputedStyle(drawn).getPropertyValue('--npcg-back').trim();
  if (context === null) {
    throw new Error('this browser draws no pictures');
  }
  context.fillStyle = back === '' ? '#fff' : back;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => {
    canvas.toBlob(blob => {
      if (blob === null) {
        failed(new Error('the drawing is too large for a picture'));
      } else {
        done(blob);
      }
    });
  });
}

/** What is visible, as DOT. */
function toDot(view: IView): string {
  const lines = ['digraph captured {', '  node [shape=box, fontname=Courier]'];
  let depth = 1;
  const write = (text: string): void => {
    lines.push('  '.repeat(depth) + text);
  };
  for (const step of view.steps) {
    if (step.kind === 'open') {
      write(`subgraph ${quoted(`cluster ${step.frame.group.id}`)} {`);
      depth += 1;
      write(`label=${quoted(step.frame.group.title)}`);
    } else if (step.kind === 'close') {
      depth -= 1;
      write('}');
    } else {
      const { id, title, detail } = step.item;
      write(
        `${quoted(id)} [label=${quoted(detail === '' ? title : `${title}\n${detail}`)}]`
      );
    }
  }
  for (const { tail, head, kind } of view.arrows) {
    const style = kind === 'data' ? '' : ' [style=dashed]';
    lines.push(`  ${quoted(tail)} -> ${quoted(head)}${style}`);
  }
  return [...lines, '}', ''].join('\n');
}

function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n');
  return `"${escaped}"`;
}

/** A whole level, as JSON. */
function toJson(level: ILevel): string {
  return JSON.stringify(level, null, 1);
}

/** Hands a file to the person. */
function download(name: string, content: string | Blob): void {
  const blob = typeof content === 'string' ? new Blob([content]) : content;
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 1000);
}

/** Hands out a level in a format, or says what is wrong. */
export function exportAs(
  format: string,
  level: ILevel,
  view: IView,
  drawing: SVGSVGElement | null,
  say: (problem: string) => void
): void {
  const name = `graph-${level.key}.${format.toLowerCase()}`;
  if (format === 'JSON') {
    download(name, toJson(level));
  } else if (format === 'DOT') {
    download(name, toDot(view));
  } else if (drawing === null) {
    say('leave the table to export a picture');
  } else if (format === 'SVG') {
    download(name, toSvg(drawing));
  } else {
    toPng(drawing).then(
      blob => {
        download(name, blob);
      },
      (error: unknown) => {
        say(String(error));
      }
    );
  }
}
