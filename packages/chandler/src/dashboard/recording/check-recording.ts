/** Whether a line of a recording is what the page can show. Pure: undefined, or what is wrong with it. */
import type { Change } from '../wire.ts';
import {
  FREEZE,
  HAPPENED,
  type Kind,
  MISSING,
  NODE,
  POD,
  POOL,
  PRICE,
  type Shape,
  STAYING,
  TOTALS,
} from './shapes.table.ts';

export function headProblem(value: unknown): string | undefined {
  const { recording, program, cluster } = fieldsOf(value);
  if (recording === undefined) return 'this is not the first line of a recording';
  if (recording !== 1)
    return `the recording has version ${JSON.stringify(recording)}; this program reads version 1`;
  return shapeProblem({ program, cluster }, { program: 'text', cluster: 'text' });
}

export function snapshotProblem(value: unknown): string | undefined {
  const { version, nodes, pods, pools, freezes, missing, totals } = fieldsOf(value);
  if (version !== 1)
    return `the snapshot has version ${JSON.stringify(version) ?? 'none'}; this program reads version 1`;
  return (
    shapeProblem(value, { epoch: 'text', sequence: 'number', atMs: 'number', totals: 'object' }) ??
    shapeProblem(totals, TOTALS, 'totals') ??
    listProblem(nodes, 'nodes', nodeProblem) ??
    listProblem(pods, 'pods', podProblem) ??
    listProblem(pools, 'pools', (pool, name) => shapeProblem(pool, POOL, name)) ??
    listProblem(freezes, 'freezes', (freeze, name) => shapeProblem(freeze, FREEZE, name)) ??
    listProblem(missing, 'missing', (kind, name) => shapeProblem(kind, MISSING, name))
  );
}

/** @param afterMs the time of the line before. */
export function changesProblem(value: unknown, afterMs: number): string | undefined {
  const { atMs, changes } = fieldsOf(value);
  if (typeof atMs !== 'number' || !Number.isFinite(atMs)) return 'atMs is not a number';
  if (atMs < afterMs) return `its time ${atMs} is before that of the line before it, ${afterMs}`;
  return listProblem(changes, 'changes', changeProblem);
}

// ---------------------------------------------------------------------------------------------------

type Problem = (value: unknown, name: string) => string | undefined;

const isText = (value: unknown) => typeof value === 'string';

/** By the first element of the change: what the others are. */
const CHANGES: Readonly<Record<Change[0], readonly Problem[]>> = {
  node: [nodeProblem],
  'node-gone': [textProblem],
  pod: [podProblem],
  'pod-gone': [textProblem, textProblem],
  pool: [(pool, name) => shapeProblem(pool, POOL, name)],
  'pool-gone': [textProblem],
  totals: [(totals, name) => shapeProblem(totals, TOTALS, name)],
  freezes: [(list, name) => listProblem(list, name, (each, at) => shapeProblem(each, FREEZE, at))],
  missing: [(list, name) => listProblem(list, name, (each, at) => shapeProblem(each, MISSING, at))],
  happened: [(happened, name) => shapeProblem(happened, HAPPENED, name)],
  'happened-cut': [],
  claims: [],
  price: [(price, name) => shapeProblem(price, PRICE, name)],
};

function changeProblem(change: unknown, name: string): string | undefined {
  if (!Array.isArray(change)) return `${name} is not a list`;
  const [kind, ...values] = change as readonly unknown[];
  const problems =
    typeof kind === 'string' && Object.hasOwn(CHANGES, kind) ? CHANGES[kind as Change[0]] : undefined;
  if (problems === undefined) return `${name} is a change of an unknown kind, ${shortText(kind)}`;
  if (values.length !== problems.length)
    return `${name} (${String(kind)}) has ${values.length} values, not ${problems.length}`;
  return firstOf(problems.map((problem, at) => () => problem(values[at], `${name} (${String(kind)})`)));
}

function nodeProblem(node: unknown, name: string): string | undefined {
  return (
    shapeProblem(node, NODE, name) ??
    listProblem(fieldsOf(node)['staying'], `${name}.staying`, (each, at) => shapeProblem(each, STAYING, at))
  );
}

function podProblem(pod: unknown, name: string): string | undefined {
  if (!Array.isArray(pod) || pod.length !== POD.length)
    return `${name} is not a list of ${POD.length} values`;
  const wrong = POD.findIndex((kind, at) => !isOf(kind, pod[at]));
  return wrong < 0 ? undefined : `${name}[${wrong}] is ${shortText(pod[wrong])}, not a ${POD[wrong]}`;
}

function textProblem(value: unknown, name: string): string | undefined {
  return isText(value) ? undefined : `${name} has ${shortText(value)} where a name belongs`;
}

function listProblem(list: unknown, name: string, problem: Problem): string | undefined {
  if (!Array.isArray(list)) return `${name} is not a list`;
  return firstOf(list.map((each, at) => () => problem(each, `${name}[${at}]`)));
}

function shapeProblem(value: unknown, shape: Shape, name = ''): string | undefined {
  const fields = fieldsOf(value);
  const wrong = Object.keys(shape).find((field) => !isOf(shape[field]!, fields[field]));
  if (wrong === undefined) return undefined;
  return `${name === '' ? '' : `${name}.`}${wrong} is ${shortText(fields[wrong])}, not a ${shape[wrong]!.replace('?', ' or null')}`;
}

function isOf(kind: Kind, value: unknown): boolean {
  if (kind.endsWith('?')) return value === null || isOf(kind.slice(0, -1) as Kind, value);
  if (kind === 'list') return Array.isArray(value);
  if (kind === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (kind === 'text') return isText(value);
  // JSON has no other numbers, but 1e999 is read as infinite.
  return kind === 'number' ? Number.isFinite(value) : typeof value === 'boolean';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function firstOf(problems: readonly (() => string | undefined)[]): string | undefined {
  for (const problem of problems) {
    const found = problem();
    if (found !== undefined) return found;
  }
  return undefined;
}

function shortText(value: unknown): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 40);
}
