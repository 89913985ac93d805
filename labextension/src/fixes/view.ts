/** Fixes with their diffs, and a button for each. */
import { changes, type IFix, type IFixes } from './fixes.js';

/** Applies a fix; what it returns is said beside the button. */
export type Apply = (fixes: IFixes, fix: IFix) => Promise<string>;

const KINDS: Readonly<Record<string, string>> = {
  '+': 'added',
  '-': 'removed',
  '…': 'gap'
};

/** Builds the view; text goes in as text, never as markup. */
export function fixesView(fixes: IFixes, apply: Apply): HTMLElement {
  const root = element('div', 'jp-npcompile-fixes');
  root.append(element('p', 'jp-npcompile-fixes-summary', fixes.summary));
  for (const fix of fixes.fixes) {
    root.append(section(fixes, fix, apply));
  }
  for (const text of fixes.declined) {
    root.append(element('p', 'jp-npcompile-fixes-more', text));
  }
  return root;
}

function section(fixes: IFixes, fix: IFix, apply: Apply): HTMLElement {
  const title = `Line ${fix.line}: ${fix.title}`;
  const root = element('section', 'jp-npcompile-fix');
  root.setAttribute('aria-label', title);
  const head = element('div', 'jp-npcompile-fix-head');
  const button = element('button', 'jp-mod-styled jp-mod-accept', 'Apply');
  button.setAttribute('type', 'button');
  button.setAttribute('aria-label', `Apply: ${title}`);
  const status = element('span', 'jp-npcompile-fix-status');
  status.setAttribute('role', 'status');
  button.addEventListener('click', () => {
    void apply(fixes, fix).then(said => {
      status.textContent = said;
    });
  });
  head.append(element('strong', '', title), button, status);
  const diff = element('pre', 'jp-npcompile-diff');
  diff.tabIndex = 0; // so that it can be scrolled without a mouse
  diff.setAttribute('aria-label', `Changes: ${title}`);
  diff.setAttribute('role', 'group');
  for (const line of changes(fixes.source, fix.next)) {
    const kind = KINDS[line.charAt(0)] ?? 'kept';
    diff.append(element('span', `jp-npcompile-diff-${kind}`, `${line}\n`));
  }
  root.append(head);
  for (const note of [fix.gain, ...fix.notes]) {
    root.append(element('p', 'jp-npcompile-fixes-more', note));
  }
  root.append(diff);
  return root;
}

function element(tag: string, name: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (name !== '') {
    made.className = name;
  }
  made.textContent = text;
  return made;
}
