/** The output: the JSON document, the table, and the goals. */
import { atLeast, atMost } from '../result.ts';

/** The figures both engines are compared by. */
export interface Figures {
  readonly ms: number;
  readonly podsPerSecond: number;
  readonly placed: number;
  readonly nodes: number;
  readonly pricePerHour: number;
  /** No plan can cost less; the same for both engines. Null when it was not computed. */
  readonly boundPerHour: number | null;
}

export interface OwnRun extends Figures {
  readonly pods: number;
  /** The first plan of the process, of other pods: nothing is compiled or kept yet. */
  readonly coldMs: number;
  /** Of all cores together, the threads for garbage collection and compilation included. */
  readonly cpuMs: number;
  /** The most memory the process ever held, input included. */
  readonly peakMiB: number;
}

export interface UpstreamRun extends Omit<Figures, 'boundPerHour'> {
  /** Topology and scheduler, which upstream makes anew for each plan. `ms` is its Solve alone. */
  readonly setupMs: number;
  /** Of all cores together. */
  readonly cpuMs: number;
  /** It was stopped; `placed` counts the pods placed by then. */
  readonly timedOut: boolean;
}

/** Upstream with one worker, its default, and with five, as in its own benchmark. */
export interface UpstreamRuns {
  readonly one: UpstreamRun;
  readonly five: UpstreamRun;
}

export interface Row {
  readonly workload: string;
  readonly pods: number;
  readonly ours: OwnRun | null;
  readonly upstream: UpstreamRuns | null;
}

/** Against the better of upstream's runs. */
export function ratioOf({ ours, upstream }: Row): number | null {
  return ours === null || upstream === null ? null : ours.podsPerSecond / best(upstream).podsPerSecond;
}

export function documentOf(rows: readonly Row[]) {
  return {
    rows: rows.map((row) => {
      const bound = row.ours?.boundPerHour ?? null;
      return {
        workload: row.workload,
        pods: row.pods,
        ours: figures(row.ours, bound),
        upstream: row.upstream === null ? null : figures(wholeOf(best(row.upstream)), bound),
        upstreamOneWorker: row.upstream === null ? null : figures(wholeOf(row.upstream.one), bound),
        upstreamFiveWorkers: row.upstream === null ? null : figures(wholeOf(row.upstream.five), bound),
        ratio: rounded(ratioOf(row), 1),
      };
    }),
  };
}

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => COLUMNS.map(([, cell]) => cell(row)));
  const heads = COLUMNS.map(([head]) => head);
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((line) => line[i]!.length)));
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join(' | ')} |`;
  const ruler = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(heads), ruler, ...cells.map(line)].join('\n');
}

/** One line per goal that the rows can speak to: the figure, the goal, and by how much it is met (1 or more). */
export function goalsOf(rows: readonly Row[]): string[] {
  return GOALS.flatMap(({ says, workload, pods, figure, goal, most }) => {
    const row = rows.find((each) => each.workload === workload && placeable(each) === pods);
    const value = row === undefined ? null : figure(row, rows);
    if (value === null) return [];
    const { ratio } = most ? atMost(value, goal) : atLeast(value, goal);
    const met = most ? value <= goal : value >= goal;
    const margin = value > 0 ? ` (${ratio})` : '';
    return [
      `${met ? 'met   ' : 'MISSED'} ${workload} ${pods}: ${says} ${Number(value.toPrecision(4))}, goal ${most ? 'at most' : 'at least'} ${goal}${margin}`,
    ];
  });
}

// ---------------------------------------------------------------------------------------------------

function best({ one, five }: UpstreamRuns): UpstreamRun {
  return one.podsPerSecond >= five.podsPerSecond ? one : five;
}

/** With the preparation of the plan. */
function wholeOf(run: UpstreamRun): UpstreamRun {
  return { ...run, ms: run.ms + run.setupMs };
}

function upstreamMs(run: UpstreamRun | undefined): string {
  if (run === undefined) return '-';
  const { ms } = wholeOf(run);
  return `${run.timedOut ? 'cut at ' : ''}${text(ms, ms < 100 ? 1 : 0)}`;
}

function figures(run: Omit<Figures, 'boundPerHour'> | null, boundPerHour: number | null): Figures | null {
  if (run === null) return null;
  return {
    ms: rounded(run.ms, 2)!,
    podsPerSecond: rounded(run.podsPerSecond, 1)!,
    placed: run.placed,
    nodes: run.nodes,
    pricePerHour: rounded(run.pricePerHour, 4)!,
    boundPerHour: rounded(boundPerHour, 4),
  };
}

function rounded(value: number | null, digits: number): number | null {
  return value === null ? null : Number(value.toFixed(digits));
}

/** The number of pods of a row, without those that cannot fit. */
function placeable(row: Row): number {
  return row.workload === 'field' ? Math.round(row.pods / 1.05) : row.pods;
}

function text(value: number | null | undefined, digits = 0): string {
  return value === null || value === undefined
    ? '-'
    : value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))/g, digits > 0 ? '' : ',');
}

function bestOf({ upstream }: Row): UpstreamRun | null {
  return upstream === null ? null : best(upstream);
}

function overBound(row: Row, run: { readonly pricePerHour: number } | null): number | null {
  const bound = row.ours?.boundPerHour ?? null;
  return run === null || bound === null || bound === 0 ? null : (run.pricePerHour / bound - 1) * 100;
}

function percent(value: number | null): string {
  return value === null ? '-' : `${value.toFixed(1)} %`;
}

const COLUMNS: readonly [head: string, cell: (row: Row) => string][] = [
  ['workload', (row) => row.workload],
  ['pods', (row) => text(row.pods)],
  ['ms', (row) => text(row.ours?.ms, (row.ours?.ms ?? 100) < 100 ? 2 : 0)],
  ['cold ms', (row) => text(row.ours?.coldMs)],
  ['pods/s', (row) => text(row.ours?.podsPerSecond)],
  ['placed', (row) => text(row.ours?.placed)],
  ['nodes', (row) => text(row.ours?.nodes)],
  ['$/h', (row) => text(row.ours?.pricePerHour, 2)],
  ['over bound', (row) => percent(overBound(row, row.ours))],
  ['cpu ms', (row) => text(row.ours?.cpuMs)],
  ['peak MiB', (row) => text(row.ours?.peakMiB)],
  ['upstream ms, 1 worker', (row) => upstreamMs(row.upstream?.one)],
  ['5 workers', (row) => upstreamMs(row.upstream?.five)],
  ['placed', (row) => text(bestOf(row)?.placed)],
  ['nodes', (row) => text(bestOf(row)?.nodes)],
  ['$/h', (row) => text(bestOf(row)?.pricePerHour, 2)],
  ['over bound', (row) => percent(bestOf(row)?.timedOut ? null : overBound(row, bestOf(row)))],
  ['cpu ms', (row) => text(bestOf(row)?.cpuMs)],
  ['times', (row) => text(ratioOf(row), 1)],
];

interface Goal {
  readonly says: string;
  readonly workload: string;
  readonly pods: number;
  readonly figure: (row: Row, rows: readonly Row[]) => number | null;
  readonly goal: number;
  readonly most?: boolean;
}

function priceOver({ ours, upstream }: Row): number | null {
  if (ours === null || upstream === null || best(upstream).timedOut) return null;
  return (ours.pricePerHour / best(upstream).pricePerHour - 1) * 100;
}

function growth(row: Row, rows: readonly Row[]): number | null {
  const tenth = rows.find((each) => each.workload === 'field' && placeable(each) * 10 === placeable(row));
  return row.ours && tenth?.ours ? row.ours.ms / tenth.ours.ms : null;
}

const FASTER: readonly [workload: string, pods: number, times: number][] = [
  ['batch', 1, 10],
  ['batch', 30, 40],
  ['batch', 300, 100],
  ['diverse', 1_000, 60],
  ['diverse', 5_000, 60],
  ['diverse', 10_000, 100],
  ['diverse', 20_000, 100],
  ['preferences', 4_000, 40],
];

const GOALS: readonly Goal[] = [
  ...FASTER.flatMap(([workload, pods, times]): Goal[] => [
    { says: "times upstream's pods/s", workload, pods, figure: ratioOf, goal: times },
    { says: "% above upstream's price", workload, pods, figure: priceOver, goal: 0.5, most: true },
  ]),
  {
    says: '% above the lower bound',
    workload: 'price',
    pods: 5_000,
    figure: (row) => overBound(row, row.ours),
    goal: 3,
    most: true,
  },
  {
    says: 'ms',
    workload: 'field',
    pods: 40_000,
    figure: (row) => row.ours?.ms ?? null,
    goal: 1_000,
    most: true,
  },
  {
    says: 'peak MiB',
    workload: 'field',
    pods: 40_000,
    figure: (row) => row.ours?.peakMiB ?? null,
    goal: 400,
    most: true,
  },
  {
    says: 'times the time of a tenth of the pods',
    workload: 'field',
    pods: 40_000,
    figure: growth,
    goal: 12,
    most: true,
  },
];
