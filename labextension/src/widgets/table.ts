/** A level as a table: what the drawing shows, for those who prefer rows. */
import { duration } from '../duration.js';
import { bytes } from './details.js';
import { html } from './dom.js';
import type { Level } from './view.js';

/** Rows of a table; a larger level says how many there are more. */
const MOST = 2000;

const HEADS = [
  'Line',
  'What',
  'Operation',
  'dtype',
  'Shape',
  'Bytes',
  'FLOPs',
  'Time'
];

/** Of kernels, whose types stand in the operation, what they move. */
const OF_KERNELS = [
  'Line',
  'What',
  'Operation',
  'FLOPs',
  'Time',
  'Moves',
  'Rate'
];

export function table(level: Level, select: (id: string) => void): HTMLElement {
  const isKernels = level.data.key === 'kernels';
  const heads = isKernels ? OF_KERNELS : HEADS;
  const gaps = level.data.groups.filter(group => group.kind === 'break');
  const entries = [...level.data.boxes, ...gaps].sort((a, b) => a.at - b.at);
  const rows = entries.slice(0, MOST).map(entry => {
    const row = html('tr', {
      'data-id': entry.id,
      class: `npcg-${entry.kind}`
    });
    const cells =
      'text' in entry
        ? [
            entry.kind,
            entry.text,
            ...(isKernels
              ? []
              : [
                  entry.dtype,
                  entry.shape,
                  entry.bytes > 0 ? entry.bytes.toLocaleString('en') : ''
                ]),
            entry.flops === null ? '' : entry.flops.toLocaleString('en'),
            entry.us > 0 ? duration(entry.us) : '',
            ...(isKernels
              ? [entry.moves > 0 ? bytes(entry.moves) : '', entry.rate]
              : [])
          ]
        : [
            'break point',
            entry.hint === '' ? entry.title : `${entry.title} → ${entry.hint}`,
            ...heads.slice(3).map(() => '')
          ];
    const lines = 'lines' in entry ? entry.lines : [entry.line];
    row.append(
      html('td', {}, entry.line > 0 ? lines.join(', ') : ''),
      ...cells.map(text => html('td', {}, text))
    );
    row.addEventListener('click', () => {
      select(entry.id);
    });
    return row;
  });
  const more = entries.length - rows.length;
  return html(
    'div',
    { class: 'npcg-table', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    html(
      'table',
      {},
      html(
        'thead',
        {},
        html('tr', {}, ...heads.map(head => html('th', { scope: 'col' }, head)))
      ),
      html('tbody', {}, ...rows)
    ),
    ...(more > 0 ? [html('p', {}, `… ${more} more: export JSON`)] : [])
  );
}
