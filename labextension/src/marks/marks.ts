/** Marks: what is drawn beside the lines of a cell, from its report. */
import { duration } from '../duration.js';
import type { IReport, IReportLine, IReportRegion, Status } from '../report.js';

/** A break point is drawn in place of the status of its line. */
export type MarkKind = Status | 'break';

/** What is drawn beside one line, and the text that line must have. */
export interface IMark {
  /** 1-based line the mark had when the cell ran. */
  readonly line: number;
  /** Number of lines the mark covers. */
  readonly height: number;
  /** Source of each statement that starts on the line, in order. */
  readonly sources: readonly string[];
  readonly kind: MarkKind;
  /** What is read out and shown on hover. */
  readonly label: string;
  /** What hovering adds: types of what the line binds, tier and times. */
  readonly facts: readonly string[];
}

/** What marks are made from. */
export type Marked = Pick<IReport, 'lines' | 'breaks'> &
  Partial<Pick<IReport, 'regions'>>;

/** One thing there is to say about a line. */
interface INote {
  readonly kind: MarkKind;
  readonly reason: string | null;
  readonly hint: string | null;
}

/** From the one most worth seeing to the least. */
const KINDS: readonly MarkKind[] = ['break', 'python', 'host', 'compiled'];

const NAMES: Readonly<Record<MarkKind, string>> = {
  break: 'Break point',
  python: 'Plain Python',
  host: 'Stays in NumPy',
  compiled: 'Compiled'
};

/** The marks of a report: one for each line on which a statement starts. */
export function marksOf(report: Marked): readonly IMark[] {
  const statementsAt = new Map<number, IReportLine[]>();
  for (const statement of report.lines) {
    const others = statementsAt.get(statement.line);
    if (others === undefined) {
      statementsAt.set(statement.line, [statement]);
    } else {
      others.push(statement);
    }
  }
  return [...statementsAt.values()]
    .map(statements => markOf(statements, report))
    .sort((a, b) => a.line - b.line);
}

function markOf(statements: readonly IReportLine[], report: Marked): IMark {
  const line = Math.min(...statements.map(statement => statement.line));
  const end = Math.max(...statements.map(statement => statement.endLine));
  const breaks = report.breaks.filter(
    place => line <= place.line && place.line <= end
  );
  // What a break point says is not said again of its line.
  const said = new Set(breaks.map(place => place.reason));
  const notes: INote[] = [
    ...breaks.map(place => ({ ...place, kind: 'break' as const })),
    ...statements
      .filter(item => item.reason === null || !said.has(item.reason))
      .map(item => ({ ...item, kind: item.status }))
  ];
  const kinds = new Set(notes.map(note => note.kind));
  const kind = KINDS.find(candidate => kinds.has(candidate)) ?? 'python';
  const labels = notes
    // Where a break point is shown, only what has something to add follows it.
    .filter(note => note.kind === kind || note.reason !== null)
    .map(describe);
  return {
    line,
    height: end - line + 1,
    sources: statements.map(statement => statement.source),
    kind,
    label: [...new Set(labels)].join('\n'),
    facts: factsOf(statements, report.regions ?? [])
  };
}

function factsOf(
  statements: readonly IReportLine[],
  regions: readonly IReportRegion[]
): string[] {
  const own = new Set(statements.map(statement => statement.region));
  const runs = regions.filter(({ id }) => own.has(id)).map(run);
  return [
    ...new Set(statements.flatMap(statement => statement.assigns)),
    ...runs
  ];
}

/** How a region runs, in a line. */
function run({ tier, numpyUs, compiledUs, note }: IReportRegion): string {
  const parts = [`Runs as ${tier === '' ? 'numpy' : tier}`];
  if (numpyUs !== null) {
    parts.push(`NumPy ${duration(numpyUs)}`);
  }
  if (compiledUs !== null) {
    parts.push(`compiled ${duration(compiledUs)}`);
  }
  if (numpyUs !== null && compiledUs !== null) {
    parts.push(`${(numpyUs / compiledUs).toPrecision(2)}x`);
  }
  return [...parts, ...(note === '' ? [] : [note])].join(' · ');
}

function describe({ kind, reason, hint }: INote): string {
  const what = reason === null ? NAMES[kind] : `${NAMES[kind]}: ${reason}`;
  return hint === null ? what : `${what}\nHint: ${hint}`;
}
