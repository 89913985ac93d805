/**
 * Where the boxes of each row stand: so that few arrows cross (barycentres), and
 * each as close to its neighbours as the room between them allows (isotonic
 * regression, row by row).
 */

const COLUMN_GAP = 18;
const SWEEPS = 4;

/** What is narrower is no box, but the place of an arrow. */
const NARROW = 24;

export function order(
  rows: string[][],
  above: ReadonlyMap<string, string[]>,
  below: ReadonlyMap<string, string[]>
): void {
  const sort = (
    row: string[],
    beside: readonly string[],
    neighbours: ReadonlyMap<string, string[]>
  ): void => {
    const place = positions(beside);
    const own = positions(row);
    const centre = new Map(
      row.map(key => {
        const found = (neighbours.get(key) ?? []).flatMap(
          one => place.get(one) ?? []
        );
        const sum = found.reduce((a, b) => a + b, 0);
        const mean = found.length > 0 ? sum / found.length : own.get(key);
        return [key, mean ?? 0] as const;
      })
    );
    row.sort((a, b) => (centre.get(a) ?? 0) - (centre.get(b) ?? 0));
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let i = 1; i < rows.length; i += 1) {
      sort(rows[i] ?? [], rows[i - 1] ?? [], above);
    }
    for (let i = rows.length - 2; i >= 0; i -= 1) {
      sort(rows[i] ?? [], rows[i + 1] ?? [], below);
    }
  }
}

function positions(row: readonly string[]): Map<string, number> {
  const last = Math.max(row.length - 1, 1);
  return new Map(row.map((key, i) => [key, i / last]));
}

export function columns(
  rows: readonly string[][],
  above: ReadonlyMap<string, string[]>,
  below: ReadonlyMap<string, string[]>,
  sizes: ReadonlyMap<string, [number, number]>
): Map<string, number> {
  const x = new Map<string, number>();
  const width = (key: string): number => sizes.get(key)?.[0] ?? 0;
  const gaps = rows.map(row => {
    const offsets: number[] = [];
    let at = 0;
    row.forEach((key, i) => {
      if (i > 0) {
        at += (width(row[i - 1] ?? '') + width(key)) / 2 + COLUMN_GAP;
      }
      offsets.push(at);
    });
    return offsets;
  });
  rows.forEach((row, r) => {
    const offsets = gaps[r] ?? [];
    const middle = (offsets.at(-1) ?? 0) / 2;
    row.forEach((key, i) => x.set(key, (offsets[i] ?? 0) - middle));
  });
  const pull = (
    r: number,
    neighbours: (key: string) => readonly string[]
  ): void => {
    const row = rows[r] ?? [];
    const offsets = gaps[r] ?? [];
    const wanted: number[] = [];
    const weights: number[] = [];
    row.forEach((key, i) => {
      const beside = neighbours(key);
      const sum = beside.reduce((all, one) => all + (x.get(one) ?? 0), 0);
      const mean = beside.length > 0 ? sum / beside.length : (x.get(key) ?? 0);
      wanted.push(mean - (offsets[i] ?? 0));
      // Marks weigh more: arrows that pass many rows become straight.
      weights.push((beside.length || 0.1) * (width(key) < NARROW ? 4 : 1));
    });
    isotonic(wanted, weights).forEach((moved, i) =>
      x.set(row[i] ?? '', moved + (offsets[i] ?? 0))
    );
  };
  const up = (key: string): readonly string[] => above.get(key) ?? [];
  const down = (key: string): readonly string[] => below.get(key) ?? [];
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (let r = 0; r < rows.length; r += 1) {
      pull(r, up);
    }
    for (let r = rows.length - 1; r >= 0; r -= 1) {
      pull(r, down);
    }
    for (let r = 0; r < rows.length; r += 1) {
      pull(r, key => [...up(key), ...down(key)]);
    }
  }
  return x;
}

/** The rising sequence closest to the values, in least squares. */
function isotonic(
  values: readonly number[],
  weights: readonly number[]
): number[] {
  const blocks: [number, number, number][] = [];
  values.forEach((value, i) => {
    let mean = value;
    let total = weights[i] ?? 1;
    let count = 1;
    for (
      let last = blocks.at(-1);
      last !== undefined && last[0] > mean;
      last = blocks.at(-1)
    ) {
      mean = (mean * total + last[0] * last[1]) / (total + last[1]);
      total += last[1];
      count += last[2];
      blocks.pop();
    }
    blocks.push([mean, total, count]);
  });
  return blocks.flatMap(([mean, , count]) => Array<number>(count).fill(mean));
}
