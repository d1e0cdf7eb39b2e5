/** Validates the schedule of a CronJob. When it fires is not decided here. */

/** The error, or undefined for a valid schedule. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const fields = schedule.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== RANGES.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (let index = 0; index < RANGES.length; index++) {
    const problem = fieldProblem(fields[index]!, RANGES[index]!);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

interface Range {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const RANGES: readonly Range[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];

const DESCRIPTORS: ReadonlySet<string> = new Set([
  '@yearly',
  '@annually',
  '@monthly',
  '@weekly',
  '@daily',
  '@midnight',
  '@hourly',
]);

function descriptorProblem(schedule: string): string | undefined {
  if (DESCRIPTORS.has(schedule)) return undefined;
  const every = /^@every (.+)$/.exec(schedule);
  if (every === null) return `unrecognized descriptor: ${schedule}`;
  return /^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(every[1]!)
    ? undefined
    : `failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(every[1])}`;
}

function fieldProblem(field: string, range: Range): string | undefined {
  for (const part of field.split(',')) {
    const problem = partProblem(part, range);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function partProblem(part: string, range: Range): string | undefined {
  const [span, step, ...more] = part.split('/');
  const [from, to, ...rest] = (span ?? '').split('-');
  if (more.length > 0) return `too many slashes: ${part}`;
  let start = range.min;
  let end = range.max;
  if (from !== '*' && from !== '?') {
    const first = numberOf(from ?? '', range);
    if (typeof first === 'string') return first;
    start = first;
    end = step === undefined ? first : range.max;
    if (to !== undefined) {
      const last = numberOf(to, range);
      if (typeof last === 'string') return last;
      end = last;
    }
    if (rest.length > 0) return `too many hyphens: ${part}`;
  }
  if (step !== undefined) {
    const size = numberOf(step, { min: 0, max: 0 });
    if (typeof size === 'string') return size;
    if (size === 0) return `step of range should be a positive number: ${part}`;
  }
  if (start < range.min) return `beginning of range (${start}) below minimum (${range.min}): ${part}`;
  if (end > range.max) return `end of range (${end}) above maximum (${range.max}): ${part}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${part}`;
  return undefined;
}

function numberOf(text: string, range: Range): number | string {
  const named = range.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + (range.min === 1 ? 1 : 0);
  if (/^\d+$/.test(text)) return Number(text);
  if (/^-\d+$/.test(text)) return `negative number (${text}) not allowed: ${text}`;
  return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
}
