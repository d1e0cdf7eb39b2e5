/** What would be launched for manifests on top of the cluster: `chandler simulate --live` for the page. Nothing is changed. */
import { turnsOf } from '@chandler/kube';
import { poolNames } from '../../causes/index.ts';
import { QuestionError, rounded, type wire } from '../../dashboard/index.ts';
import {
  type PodRefusal,
  problemText,
  type Refusal,
  refusalText,
  taintText,
} from '../../scheduling/index.ts';
import { LimitFailure, type SimulationLimits } from '../simulate/limits.ts';
import type { LiveOptions } from '../simulate/live.ts';
import type { Report, ReportedNode } from '../simulate/report.ts';
import { runSimulation } from '../simulate/run-simulation.ts';
import { STANDARD_INPUT } from '../simulate/sources.ts';
import { Failure } from '../verb.ts';

/** What is simulated in a process that has other things to do. */
export interface WhatIfLimits extends SimulationLimits {
  readonly maxBytes: number;
}

export interface WhatIfOptions {
  /** Through which the cluster is read. */
  readonly live: LiveOptions;
  readonly catalogue: string | undefined;
  /** Default: those of `chandler simulate`. */
  readonly limits?: WhatIfLimits;
}

/** @throws {QuestionError} for more than is simulated here. */
export async function whatIfAnswer(
  manifests: string,
  { live, catalogue, limits }: WhatIfOptions,
): Promise<wire.WhatIfAnswer> {
  if (limits !== undefined && Buffer.byteLength(manifests) > limits.maxBytes)
    throw tooMuch(`here are at most ${limits.maxBytes / 1024} KiB of manifests simulated at once`);
  const turns = turnsOf(live.world.clock);
  const problems: string[] = [];
  let ofCluster: ReadonlySet<string> = new Set();
  try {
    const report = await runSimulation({
      files: [STANDARD_INPUT],
      readStandardInput: async () => manifests,
      live,
      catalogue,
      zones: [],
      pools: [],
      bound: false,
      ...(limits === undefined ? {} : { limits }),
      pause: () => turns.pass(),
      scheduling: { improveEffort: 0 },
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(live.world);
      },
      complain: (line) => problems.push(line),
      notePodsOfCluster: (pods) => {
        ofCluster = pods;
      },
    });
    return { ...whatIfOf(report, ofCluster), problems, notes: report.notes.map(withoutFlags) };
  } catch (error) {
    if (error instanceof LimitFailure) throw tooMuch(error.message);
    if (!(error instanceof Failure)) throw error;
    const lines = error.message
      .split('\n')
      .map((line) => line.trim().replace(/^standard input(?=[:( ])/, 'manifests'))
      .filter((line) => line !== 'the input is invalid:');
    return { ...NOTHING, problems: [...problems, ...lines] };
  }
}

/** @param ofCluster `namespace/name` of pods that are no part of the manifests. */
export function whatIfOf(
  { nodes, existingNodes, refusals }: Pick<Report, 'nodes' | 'existingNodes' | 'refusals'>,
  ofCluster: ReadonlySet<string>,
): Omit<wire.WhatIfAnswer, 'problems'> {
  const isOwn = (pod: string) => !ofCluster.has(pod);
  const ownPods = ({ pods }: ReportedNode) => pods.filter(({ name }) => isOwn(name)).length;
  const own = nodes.filter((node) => ownPods(node) > 0);
  const others = nodes.filter((node) => ownPods(node) === 0);
  const rows = own.map((node) => ({
    pool: node.nodePool ?? '',
    type: node.instanceType ?? '',
    zone: node.zone ?? '',
    capacity: node.capacityType ?? '',
    pricePerHour: node.pricePerHour,
    pods: ownPods(node),
  }));
  const groups = Map.groupBy(rows, (row) => JSON.stringify(row));
  const planned = [...nodes, ...existingNodes].flatMap(({ pods }) => pods.map(({ name }) => name));
  const refused = refusals.flatMap(({ pods }) => pods);
  return {
    nodes: [...groups.values()].map((same) => ({ ...same[0]!, count: same.length })),
    onExisting: existingNodes.reduce((sum, node) => sum + ownPods(node), 0),
    pricePerHour: priceOf(own),
    refused: refusals.flatMap((refusal) => {
      const pods = refusal.pods.filter(isOwn);
      const workload = workloadOf(pods[0] ?? '');
      return pods.length === 0 ? [] : [{ workload, count: pods.length, text: whyRefused(refusal) }];
    }),
    pendingBefore: {
      pods: [...planned, ...refused].filter((pod) => !isOwn(pod)).length,
      refused: refused.filter((pod) => !isOwn(pod)).length,
      nodes: others.length,
      pricePerHour: priceOf(others),
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const NOTHING = {
  nodes: [],
  onExisting: 0,
  pricePerHour: null,
  refused: [],
  pendingBefore: { pods: 0, refused: 0, nodes: 0, pricePerHour: 0 },
};

function tooMuch(message: string): QuestionError {
  return new QuestionError(
    413,
    message,
    'use `chandler simulate --live -f`, or `chandler page` with your kubeconfig',
  );
}

function priceOf(nodes: readonly ReportedNode[]): number {
  return rounded(nodes.reduce((sum, { pricePerHour }) => sum + (pricePerHour ?? 0), 0)) ?? 0;
}

/** In the words of `chandler why`: NodePools that refuse for the same reason share one. */
function whyRefused({ problem, pools }: PodRefusal): string {
  if (problem !== null) return problemText(problem);
  if (pools.length === 0) return 'there is no NodePool that could take the pods';
  const byReason = Map.groupBy(pools, ({ refusal }) => reasonOf(refusal));
  return [...byReason]
    .map(([reason, same]) => `${poolNames(same.map(({ nodePool }) => nodePool))}: ${reason}`)
    .join('; ');
}

function reasonOf(refusal: Refusal): string {
  switch (refusal.code) {
    case 'TaintNotTolerated':
      return `taint ${taintText(refusal.taint)} is not tolerated`;
    case 'ResourceInsufficient':
      return `a pod needs ${refusal.requested} ${refusal.resource} with its daemons; the largest instance type offers ${refusal.available}`;
    default:
      return refusalText(refusal);
  }
}

/** The page has no flags. */
function withoutFlags(note: string): string {
  return note.replace(/[;.]? *[^;.]*--[a-z][^;.]*\.?$/i, '.');
}

/** Pods of a workload are numbered. */
function workloadOf(pod: string): string {
  return pod.replace(/-\d+$/, '');
}
