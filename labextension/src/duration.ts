/**
 * A time in microseconds, with two or three digits, as a person says it: what
 * `graph.amounts.duration` writes in Python.
 */
export function duration(us: number): string {
  const [value, unit] =
    us < 999.5 ? [us, 'µs'] : us < 999_500 ? [us / 1e3, 'ms'] : [us / 1e6, 's'];
  return `${value >= 9.95 ? value.toFixed(0) : value.toPrecision(2)} ${unit}`;
}
