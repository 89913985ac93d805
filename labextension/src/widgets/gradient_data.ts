/** Gradients, read from the state of a widget; nothing in it is trusted. */
import { list, number, record, text } from './outline.js';

export interface ISample {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly rows: readonly (readonly number[])[];
  readonly low: number;
  readonly high: number;
  readonly norm: number;
  readonly zeros: number;
  readonly nonfinite: number;
  readonly histogram: readonly number[];
}

export interface IVariable {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly value: ISample;
  readonly gradient: ISample;
}

export interface IGradients {
  readonly variables: readonly IVariable[];
  readonly nodes: readonly {
    readonly op: string;
    readonly line: number;
    /** The largest of all its runs, and the smallest. */
    readonly norm: number;
    readonly least: number;
    readonly times: number;
    /** Whether its result, or the gradient there, is not finite. */
    readonly fault: boolean;
  }[];
  readonly notes: readonly string[];
  readonly check: string;
  /** Where something first is not finite; empty when nothing is. */
  readonly first: string;
}

export function readGradients(payload: unknown): IGradients {
  const data = record(payload);
  const nodes = list(data['nodes']).map(item => {
    const node = record(item);
    const norm = float(node['norm']);
    return {
      op: text(node['op']),
      line: number(record(node['position'])['line']),
      norm,
      least: typeof node['least'] === 'number' ? node['least'] : norm,
      times: Math.max(number(node['times']), 1),
      fault: node['finite_value'] === false || node['finite_gradient'] === false
    };
  });
  return {
    variables: list(data['variables']).map(readVariable),
    nodes,
    notes: [
      ...how(data),
      ...list(data['notes']).map(item => {
        const [position, note] = list(item);
        return `Line ${number(record(position)['line'])}: ${text(note)}`;
      })
    ],
    check: text(data['check']),
    first: firstFault(data['nonfinite'])
  };
}

function firstFault(payload: unknown): string {
  const first = record(payload);
  const run = number(first['run']);
  return text(first['op']) === ''
    ? ''
    : `✕ NaN or infinity first in the ${first['in_value'] === true ? 'result' : 'gradient'} of ` +
        `${text(first['op'])}, line ${number(record(first['position'])['line'])}` +
        (run > 0 ? `, run ${run}` : '');
}

/** How and where they were computed, unless that goes without saying. */
function how(data: Record<string, unknown>): string[] {
  const note = text(data['note']);
  const device = text(data['device']);
  return [
    ...(note === ''
      ? []
      : [`${note.charAt(0).toUpperCase()}${note.slice(1)}.`]),
    ...(device === '' || device === 'cpu' ? [] : [`Computed on ${device}.`])
  ];
}

/** The norm of each gradient, run by run. */
export function readHistory(payload: unknown): Map<string, number>[] {
  return list(payload).map(
    step =>
      new Map(
        Object.entries(record(step)).map(([key, value]) => [key, float(value)])
      )
  );
}

function readVariable(item: unknown): IVariable {
  const data = record(item);
  const output = text(data['output']);
  const name = text(data['name']);
  return {
    key: `${output}/${name}`,
    name,
    title: `d ${output} / d ${name}`,
    value: readSample(data['value']),
    gradient: readSample(data['gradient'])
  };
}

function readSample(item: unknown): ISample {
  const data = record(item);
  return {
    dtype: text(data['dtype']),
    shape: list(data['shape']).map(number),
    rows: list(data['rows']).map(row => list(row).map(float)),
    low: float(data['low']),
    high: float(data['high']),
    norm: float(data['norm']),
    zeros: number(data['zeros']),
    nonfinite: number(data['nonfinite']),
    histogram: list(data['histogram']).map(number)
  };
}

/** A number; JSON has no NaN and no infinity, they come as Python writes them. */
function float(value: unknown): number {
  if (value === 'inf') {
    return Infinity;
  }
  if (value === '-inf') {
    return -Infinity;
  }
  return typeof value === 'number' ? value : NaN;
}
