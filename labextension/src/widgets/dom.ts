/** Elements. Text goes in as text, never as markup. */

const SVG = 'http://www.w3.org/2000/svg';

type Attributes = Readonly<Record<string, string | number | boolean>>;

/** An HTML element with attributes and content; false leaves an attribute out. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  element.append(...content);
  return element;
}

/** The same for SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...content: (Node | string)[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  set(element, attributes);
  element.append(...content);
  return element;
}

function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/** A button that does one thing. */
export function button(
  label: string,
  title: string,
  action: () => void
): HTMLButtonElement {
  const element = html('button', { type: 'button', title }, label);
  if (title !== '') {
    element.setAttribute('aria-label', title);
  }
  element.addEventListener('click', action);
  return element;
}
