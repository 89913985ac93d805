/** Search in a level. */
import type { Level } from './view.js';

/** Ids of operations and break points that hold a text, in reading order. */
export function hits(level: Level, text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') {
    return [];
  }
  const gaps = level.data.groups.filter(group => group.kind === 'break');
  return [...level.data.boxes, ...gaps]
    .filter(entry => {
      const all = 'text' in entry ? entry.text : entry.hint;
      return `${entry.title}\n${all}`.toLowerCase().includes(wanted);
    })
    .sort((a, b) => a.at - b.at)
    .map(entry => entry.id);
}
