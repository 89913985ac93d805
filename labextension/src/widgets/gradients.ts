/** The gradient widget: a card for each variable, the way of the gradient, its history. */
import { bars, heat, histogram, lines } from './charts.js';
import { button, html } from './dom.js';
import {
  type IGradients,
  type ISample,
  type IVariable,
  readGradients,
  readHistory
} from './gradient_data.js';
import { type IModel, type Render, watch } from './model.js';
import { text } from './outline.js';

/** Operations that are shown in the way of the gradient, the last ones. */
const MOST = 60;

export const renderGradients: Render = ({ model, el }) => {
  const root = html('div', {
    class: 'npcg',
    role: 'group',
    'aria-label': 'Gradients'
  });
  let isTable = false;
  const show = (): void => {
    const data = readGradients(model.get('gradients'));
    const toggle = button('Table', '', () => {
      isTable = !isTable;
      show();
    });
    toggle.setAttribute('aria-pressed', String(isTable));
    root.replaceChildren(
      html(
        'div',
        { class: 'npcg-toolbar' },
        badge(data.check),
        html('span', { class: 'npcg-space' }),
        toggle
      ),
      html(
        'div',
        { class: 'npcg-stage npcg-cards', tabindex: 0 },
        ...(isTable ? [table(data)] : pictures(data, model))
      )
    );
  };
  const end = watch(model, ['gradients', 'history', 'selected'], show);
  el.append(root);
  show();
  return () => {
    end();
    root.remove();
  };
};

/** What the comparison with plain NumPy runs said. */
function badge(check: string): HTMLElement {
  const agrees = check.startsWith('agrees');
  return html(
    'span',
    { class: `npcg-badge${agrees ? ' npcg-agrees' : ''}` },
    `${agrees ? '✓' : '○'} Check against NumPy: ${check}`
  );
}

function pictures(data: IGradients, model: IModel): HTMLElement[] {
  const chosen = text(model.get('selected'));
  const cards = data.variables.map(variable => {
    const card = html('section', {
      class: `npcg-card${variable.key === chosen ? ' npcg-chosen' : ''}`,
      'aria-label': variable.title
    });
    const title = button(variable.title, '', () => {
      model.set('selected', variable.key);
      model.save_changes();
    });
    title.setAttribute('aria-pressed', String(variable.key === chosen));
    card.append(
      title,
      html('span', { class: 'npcg-quiet' }, ` ${type(variable.value)}`),
      html(
        'div',
        { class: 'npcg-pair' },
        figure('Value', variable, variable.value),
        figure('Gradient', variable, variable.gradient)
      )
    );
    return card;
  });
  const parts = [...cards];
  const history = readHistory(model.get('history'));
  if (history.length > 1 && data.variables.length > 0) {
    const series = data.variables.map(({ key, title }) => ({
      title,
      chosen: key === chosen,
      values: history.map(step => step.get(key) ?? NaN)
    }));
    parts.push(
      html(
        'section',
        { class: 'npcg-card', 'aria-label': 'History' },
        html('b', {}, `Norm of each gradient over ${history.length} runs`),
        lines(series, 'Norms over the runs')
      )
    );
  }
  if (data.nodes.length > 0) {
    const shown = data.nodes.slice(-MOST);
    parts.push(
      html(
        'section',
        { class: 'npcg-card', 'aria-label': 'Along the lines' },
        html('b', {}, 'Norm of the gradient along the lines'),
        html('span', { class: 'npcg-quiet' }, ` ${data.first}`),
        bars(
          shown.map(node => ({
            label: `${node.line > 0 ? `${node.line}  ` : ''}${node.op}`,
            times: node.times,
            value: node.norm,
            least: node.least,
            fault: node.fault
          })),
          'Norm of the gradient at each operation'
        )
      )
    );
  }
  for (const note of data.notes) {
    parts.push(html('p', {}, note));
  }
  if (parts.length === 0) {
    parts.push(html('p', {}, 'No gradients.'));
  }
  return parts;
}

function figure(
  name: string,
  variable: IVariable,
  sample: ISample
): HTMLElement {
  const label = `${name} of ${variable.name}`;
  const content =
    sample.shape.length === 0
      ? html(
          'div',
          { class: 'npcg-single' },
          digits(sample.rows[0]?.[0] ?? NaN)
        )
      : sample.rows.length === 1
        ? lines(
            [{ title: label, chosen: true, values: sample.rows[0] ?? [] }],
            label,
            sample.shape.at(-1)
          )
        : heat(sample.rows, matrix(sample.shape), label);
  const counts = sample.histogram;
  return html(
    'figure',
    {},
    html('figcaption', {}, name),
    content,
    html('div', { class: 'npcg-quiet' }, figures(sample)),
    ...(counts.length > 0
      ? [histogram(counts, sample.low, sample.high, `Histogram of ${label}`)]
      : [])
  );
}

/** Rows and columns of an array drawn as a matrix, as the sample was taken. */
function matrix(shape: readonly number[]): [number, number] {
  const rows = shape.slice(0, -1).reduce((product, n) => product * n, 1);
  return [rows, shape.at(-1) ?? 1];
}

function type({ dtype, shape }: ISample): string {
  return `${dtype}${shape.length > 0 ? `[${shape.join(', ')}]` : ''}`;
}

function figures(sample: ISample): string {
  const parts = [`norm ${digits(sample.norm)}`];
  if (sample.shape.length > 0) {
    parts.push(`${digits(sample.low)} to ${digits(sample.high)}`);
  }
  if (sample.zeros > 0) {
    parts.push(`${Math.round(sample.zeros * 100)} % zero`);
  }
  if (sample.nonfinite > 0) {
    parts.push(`✕ ${sample.nonfinite} NaN or infinite`);
  }
  return parts.join(' · ');
}

function table(data: IGradients): HTMLElement {
  const heads = [
    'Gradient',
    'dtype',
    'Norm',
    'Lowest',
    'Highest',
    'Zero',
    'Not finite'
  ];
  return html(
    'div',
    { class: 'npcg-table npcg-figures' },
    html(
      'table',
      {},
      html(
        'thead',
        {},
        html('tr', {}, ...heads.map(head => html('th', { scope: 'col' }, head)))
      ),
      html(
        'tbody',
        {},
        ...data.variables.map(({ title, gradient }) =>
          html(
            'tr',
            {},
            ...[
              title,
              type(gradient),
              digits(gradient.norm),
              digits(gradient.low),
              digits(gradient.high),
              `${Math.round(gradient.zeros * 100)} %`,
              String(gradient.nonfinite)
            ].map(cell => html('td', {}, cell))
          )
        )
      )
    )
  );
}

function digits(value: number): string {
  return Number.isFinite(value)
    ? Number(value.toPrecision(4)).toString()
    : String(value);
}
