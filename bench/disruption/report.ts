/** The output of the benchmark of disruption: tables, goals, and the comparison of decisions. */
import type { OwnJudgement, OwnPass } from './own-pass.ts';
import type { OwnRest } from './own-rest.ts';
import type { RestNode } from './rest-cluster.ts';
import type { SchedulerRest } from './scheduler-rest.ts';

/** What `bench/karpenter/pass.go` writes. */
export interface UpstreamPass {
  readonly candidates: number;
  readonly judged: readonly OwnJudgement[];
  readonly ms: number;
  readonly cpuMs: number;
  readonly manyJudged: number;
  readonly manyMs: number;
}

/** What `bench/karpenter/rest.go` writes. */
export interface UpstreamRest {
  readonly commands: number;
  readonly podsMoved: number;
  /** Pods for which another node was launched after a command; only where kube-scheduler places them. */
  readonly podsLeftOver: number;
  readonly pricePerHour: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly nodes: readonly RestNode[];
}

/** Of the nodes that both judged alone. */
export interface Comparison {
  /** Both leave the node, delete it, or replace it at the same saving. */
  readonly same: number;
  readonly oursSavesMore: number;
  readonly upstreamSavesMore: number;
}

export interface PassRow {
  readonly cluster: string;
  readonly ours: OwnPass;
  readonly upstream: UpstreamPass | null;
  readonly same: Comparison | null;
}

export interface RestRow {
  /** Of `REST_KINDS`. */
  readonly kind: string;
  readonly ours: OwnRest;
  readonly upstream: UpstreamRest | null;
}

export function compareJudgements(
  ours: readonly OwnJudgement[],
  theirs: readonly OwnJudgement[],
): Comparison {
  let same = 0;
  let oursSavesMore = 0;
  let upstreamSavesMore = 0;
  for (const [index, { node, savingPerHour }] of theirs.entries()) {
    const own = ours[index]!;
    if (own.node !== node) throw new Error(`the nodes ${own.node} and ${node} were judged at the same place`);
    const difference = own.savingPerHour - savingPerHour;
    if (Math.abs(difference) < 1e-6) same++;
    else if (difference > 0) oursSavesMore++;
    else upstreamSavesMore++;
  }
  return { same, oursSavesMore, upstreamSavesMore };
}

export function passTable(rows: readonly PassRow[]): string {
  return tableOf(
    [
      'cluster',
      'nodes',
      'pods',
      'cold ms',
      'ms',
      'CPU ms',
      'judged/s',
      'commands',
      'upstream judged',
      'judged/s, 1 worker',
      '5 workers',
      'ratio',
      'CPU ratio',
      'delete, replace, none',
      'same decision',
      'saves more',
      'upstream saves more',
    ],
    rows.map(({ cluster, ours, upstream, same }) => [
      cluster,
      count(ours.nodes),
      count(ours.pods),
      count(ours.coldMs),
      count(ours.ms),
      count(ours.cpuMs),
      count(ownRate(ours)),
      count(ours.commands),
      upstream === null ? '-' : count(upstream.judged.length),
      upstream === null ? '-' : oneRate(upstream).toFixed(1),
      upstream === null ? '-' : manyRate(upstream).toFixed(1),
      upstream === null ? '-' : ratioOf(ours, upstream).toFixed(1),
      upstream === null ? '-' : cpuRatioOf(ours, upstream).toFixed(1),
      upstream === null ? '-' : decisionsOf(upstream),
      same === null ? '-' : count(same.same),
      same === null ? '-' : count(same.oursSavesMore),
      same === null ? '-' : count(same.upstreamSavesMore),
    ]),
  );
}

export function restTable(rows: readonly RestRow[]): string {
  return tableOf(
    [
      'to rest',
      'pods',
      'bound $/h',
      'start $/h',
      'nodes',
      '$/h',
      'above bound',
      'commands',
      'pods moved',
      'upstream nodes',
      '$/h',
      'above bound',
      'commands',
      'pods moved',
    ],
    rows.map(({ kind, ours, upstream }) => [
      kind,
      count(ours.pods),
      ours.boundPerHour.toFixed(2),
      ours.startPrice.toFixed(2),
      count(ours.nodes),
      ours.pricePerHour.toFixed(2),
      above(ours.pricePerHour, ours.boundPerHour),
      count(ours.commands),
      count(ours.podsMoved),
      ...(upstream === null
        ? ['-', '-', '-', '-', '-']
        : [
            count(upstream.nodes.length),
            upstream.pricePerHour.toFixed(2),
            above(upstream.pricePerHour, ours.boundPerHour),
            count(upstream.commands),
            count(upstream.podsMoved),
          ]),
    ]),
  );
}

/**
 * How a cluster is stable in which kube-scheduler places the pods: ours with any number of replacements and with one, and
 * upstream.
 */
export interface SchedulerRow {
  readonly kind: string;
  /** No plan for these pods can cost less. */
  readonly boundPerHour: number;
  readonly ours: SchedulerRest;
  readonly one: SchedulerRest;
  readonly upstream: UpstreamRest | null;
}

export function schedulerTable(rows: readonly SchedulerRow[]): string {
  return tableOf(
    [
      'placed by kube-scheduler',
      'replacements',
      'start $/h',
      'nodes',
      '$/h',
      'above bound',
      'passes',
      'commands',
      'pods moved',
      'left over',
      'price rises',
    ],
    rows.flatMap(({ kind, boundPerHour, ours, one, upstream }) => [
      ...[ours, one].map((each) => [
        kind,
        each.maxReplacements === null ? 'any' : String(each.maxReplacements),
        each.startPrice.toFixed(2),
        count(each.nodes),
        each.pricePerHour.toFixed(2),
        above(each.pricePerHour, boundPerHour),
        count(each.passes),
        count(each.commands),
        count(each.podsMoved),
        count(each.podsLeftOver),
        count(each.priceRises),
      ]),
      ...(upstream === null
        ? []
        : [
            [
              kind,
              'upstream',
              ours.startPrice.toFixed(2),
              count(upstream.nodes.length),
              upstream.pricePerHour.toFixed(2),
              above(upstream.pricePerHour, boundPerHour),
              '-',
              count(upstream.commands),
              count(upstream.podsMoved),
              count(upstream.podsLeftOver),
              '-',
            ],
          ]),
    ]),
  );
}

/** One line for each goal that the rows can speak to. */
export function goalsOf(
  passes: readonly PassRow[],
  rests: readonly RestRow[],
  scheduled: readonly SchedulerRow[] = [],
): string[] {
  const large = passes.filter(({ ours }) => ours.nodes >= 1000);
  return [
    ...large.map(({ cluster, ours }) =>
      goal(`${cluster}: a pass in 10 s`, ours.ms <= 10_000, `${(ours.ms / 1000).toFixed(1)} s`),
    ),
    ...large.flatMap(({ cluster, ours, upstream }) =>
      upstream === null
        ? []
        : [
            goal(
              `${cluster}: 50 times upstream's rate`,
              ratioOf(ours, upstream) >= 50,
              ratioOf(ours, upstream).toFixed(1),
            ),
          ],
    ),
    ...rests.flatMap(({ kind, ours, upstream }) => priceGoals(kind, ours.boundPerHour, ours, upstream)),
    ...scheduled.flatMap(({ kind, boundPerHour, ours, upstream }) =>
      priceGoals(`${kind}, placed by kube-scheduler`, boundPerHour, ours, upstream),
    ),
  ];
}

interface Priced {
  readonly pricePerHour: number;
}

function priceGoals(name: string, bound: number, ours: Priced, upstream: Priced | null): string[] {
  const price = ours.pricePerHour;
  const within = goal(`${name}: at most 8 % above the bound`, price <= bound * 1.08, above(price, bound));
  if (upstream === null) return [within];
  const figures = `${price.toFixed(4)} and ${upstream.pricePerHour.toFixed(4)} $/h`;
  return [within, goal(`${name}: cheaper than upstream`, price < upstream.pricePerHour, figures)];
}

/** Against the better of upstream's settings. */
export function ratioOf(ours: OwnPass, upstream: UpstreamPass): number {
  return ownRate(ours) / Math.max(oneRate(upstream), manyRate(upstream));
}

/** By the time of all cores together, with one worker: hardly changed by what else the machine does. */
export function cpuRatioOf(ours: OwnPass, upstream: UpstreamPass): number {
  return upstream.cpuMs / upstream.judged.length / (ours.cpuMs / ours.candidates);
}

// ---------------------------------------------------------------------------------------------------

function ownRate({ candidates, ms }: OwnPass): number {
  return (candidates / ms) * 1000;
}

function oneRate({ judged, ms }: UpstreamPass): number {
  return (judged.length / ms) * 1000;
}

function manyRate({ manyJudged, manyMs }: UpstreamPass): number {
  return (manyJudged / manyMs) * 1000;
}

function decisionsOf({ judged }: UpstreamPass): string {
  const of = (decision: string) => judged.filter((each) => each.decision === decision).length;
  return ['delete', 'replace', 'none'].map(of).join(', ');
}

function goal(text: string, met: boolean, figure: string): string {
  return `${met ? 'met' : 'missed'}: ${text} (${figure})`;
}

function above(price: number, bound: number): string {
  return `${((price / bound - 1) * 100).toFixed(1)} %`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)));
  const line = (texts: readonly string[]) =>
    `| ${texts.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join(' | ')} |`;
  const ruler = `| ${widths.map((width, i) => (i === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [line(heads), ruler, ...rows.map(line)].join('\n');
}
