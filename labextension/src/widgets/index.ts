/** Entry of the module that the widgets of the Python package load. */
import { html } from './dom.js';
import { renderGradients } from './gradients.js';
import { renderGraph } from './graph.js';
import type { Render } from './model.js';
import style from './style.css';

const VIEWS: Readonly<Record<string, Render>> = {
  graph: renderGraph,
  gradients: renderGradients
};

/** Draws the view of this name. */
export function show(name: string, context: Parameters<Render>[0]): () => void {
  const render = VIEWS[name];
  if (render === undefined) {
    throw new Error(`jupyter-npcompile has no view ${name}`);
  }
  const sheet = html('style', {}, style);
  context.el.append(sheet);
  const end = render(context);
  return () => {
    end();
    sheet.remove();
  };
}
