/** Small charts as SVG; every value can be read by pointing at it. */
import { svg } from './dom.js';

const WIDTH = 240;
const HEIGHT = 96;
const STROKES = ['', '6 3', '2 3', '8 3 2 3'];

/**
 * The place in an array of element `at` of a sample.
 *
 * Large arrays come thinned out: evenly, with the first and the last element.
 */
export function placeOf(at: number, shown: number, all: number): number {
  return all <= shown || shown < 2
    ? at
    : Math.floor((at * (all - 1)) / (shown - 1));
}

/**
 * A matrix of values, of an array with `all` rows and columns: more is
 * stronger, below zero is another colour.
 */
export function heat(
  rows: readonly (readonly number[])[],
  all: readonly [number, number],
  label: string
): SVGSVGElement {
  const across = Math.max(1, ...rows.map(row => row.length));
  const size = Math.max(
    ...rows.flat().filter(Number.isFinite).map(Math.abs),
    Number.MIN_VALUE
  );
  const wide = WIDTH / across;
  const high = Math.min(wide, 168 / rows.length);
  const cells = rows.flatMap((row, r) =>
    row.map((value, c) => {
      const place = [
        placeOf(r, rows.length, all[0]),
        placeOf(c, row.length, all[1])
      ];
      const finite = Number.isFinite(value);
      return svg(
        'rect',
        {
          x: c * wide,
          y: r * high,
          width: wide,
          height: high,
          class: finite
            ? value < 0
              ? 'npcg-below'
              : 'npcg-above'
            : 'npcg-fault',
          ...(finite
            ? { 'fill-opacity': (Math.abs(value) / size).toFixed(3) }
            : {})
        },
        svg('title', {}, `[${place.join(', ')}]: ${value}`)
      );
    })
  );
  const height = rows.length * high;
  // Elements near zero are as pale as the page.
  const frame = { x: 0, y: 0, width: across * wide, height };
  return chart(label, height, [
    ...cells,
    svg('rect', { class: 'npcg-frame', ...frame })
  ]);
}

/** How many values lie in each part from `low` to `high`. */
export function histogram(
  counts: readonly number[],
  low: number,
  high: number,
  label: string
): SVGSVGElement {
  const most = Math.max(1, ...counts);
  const wide = WIDTH / counts.length;
  const step = (high - low) / counts.length;
  const columns = counts.map((count, i) => {
    const tall = Math.max((44 * count) / most, 0.5);
    const from = (low + i * step).toPrecision(4);
    const to = (low + (i + 1) * step).toPrecision(4);
    return svg(
      'rect',
      {
        class: 'npcg-bar',
        x: i * wide,
        y: 44 - tall,
        width: wide,
        height: tall
      },
      svg('title', {}, `${count} from ${from} to ${to}`)
    );
  });
  return chart(label, 44, columns);
}

/**
 * Lines over a common axis, from the lowest to the highest finite value. Of
 * more than `length` values all are there, else they are thinned out.
 */
export function lines(
  series: readonly {
    readonly title: string;
    readonly chosen: boolean;
    readonly values: readonly number[];
  }[],
  label: string,
  length = 0
): SVGSVGElement {
  const all = series.flatMap(one => one.values).filter(Number.isFinite);
  const low = Math.min(0, ...all);
  const high = Math.max(0, ...all);
  const scale = (HEIGHT - 12) / (high - low || 1);
  const y = (value: number): number => HEIGHT - 6 - (value - low) * scale;
  const parts: SVGElement[] = [
    svg('line', { class: 'npcg-zero', x1: 0, x2: WIDTH, y1: y(0), y2: y(0) })
  ];
  series.forEach(({ title, chosen, values }, i) => {
    const step = WIDTH / Math.max(values.length, 1);
    let path = '';
    values.forEach((value, at) => {
      const x = (at + 0.5) * step;
      if (Number.isFinite(value)) {
        const before = Number.isFinite(values[at - 1] ?? NaN);
        path += `${before ? 'L' : 'M'}${x.toFixed(1)},${y(value).toFixed(1)}`;
      }
      const dot = Number.isFinite(value)
        ? svg('circle', { cx: x, cy: y(value), r: Math.min(2.2, step / 2) })
        : svg('text', { class: 'npcg-fault', x: x - 3, y: HEIGHT - 8 }, '✕');
      dot.append(
        svg(
          'title',
          {},
          `${title}, ${placeOf(at, values.length, length)}: ${value}`
        )
      );
      parts.push(dot);
    });
    parts.push(
      svg('path', {
        class: `npcg-series${chosen ? ' npcg-selected' : ''}`,
        d: path,
        'stroke-dasharray': chosen ? '' : (STROKES[i % STROKES.length] ?? '')
      })
    );
  });
  return chart(label, HEIGHT, parts);
}

/** Named values as bars from left to right, on a logarithmic scale. */
export function bars(
  entries: readonly {
    readonly label: string;
    readonly times: number;
    readonly value: number;
    readonly least: number;
    readonly fault: boolean;
  }[],
  label: string
): SVGSVGElement {
  const [row, name, room] = [15, 200, 240];
  // Gradients vanish and explode by orders of magnitude.
  const sizes = entries
    .flatMap(({ value, least }) => [value, least])
    .filter(v => v > 0 && v < Infinity);
  const top = Math.log10(Math.max(...sizes, Number.MIN_VALUE));
  const bottom =
    Math.min(Math.log10(Math.min(...sizes, Infinity)), top - 1) - 0.5;
  const width = (value: number): number => {
    const share = value > 0 ? (Math.log10(value) - bottom) / (top - bottom) : 0;
    const wide = Number.isFinite(share) ? Math.max(0, share) * room : room;
    return Math.max(wide, 1);
  };
  const parts = entries.flatMap((entry, i) => {
    const { value, least, times, fault } = entry;
    const runs = times > 1 ? ` ×${times}` : '';
    const bar = (size: number, kind: string): SVGElement =>
      svg('rect', {
        class: `${fault ? 'npcg-fault' : 'npcg-bar'} ${kind}`,
        x: name,
        y: i * row + 2,
        width: width(size),
        height: row - 5
      });
    const [low, high] = [least, value].map(short);
    const said = `${fault ? '✕ ' : ''}${low === high ? '' : `${low} to `}${high}`;
    return [
      svg(
        'text',
        { x: 0, y: i * row + 11 },
        entry.label.slice(0, 32 - runs.length) + runs
      ),
      bar(value, times > 1 ? 'npcg-most' : ''),
      ...(times > 1 ? [bar(least, '')] : []),
      svg('text', { x: name + width(value) + 5, y: i * row + 11 }, said)
    ];
  });
  return chart(label, entries.length * row, parts, name + room + 130);
}

/** Three digits; small numbers by their power of ten. */
function short(value: number): string {
  const small = value !== 0 && Math.abs(value) < 1e-3;
  return small ? value.toExponential(2) : `${Number(value.toPrecision(3))}`;
}

function chart(
  label: string,
  height: number,
  parts: readonly SVGElement[],
  width = WIDTH
): SVGSVGElement {
  return svg(
    'svg',
    {
      class: 'npcg-chart',
      viewBox: `0 0 ${width} ${Math.max(height, 1)}`,
      width,
      height: Math.max(height, 1),
      role: 'img',
      'aria-label': label
    },
    ...parts
  );
}
