/** What would be launched for manifests on top of the cluster: `chandler simulate --live` for the page. Nothing is changed. */
import type { wire } from '../../dashboard/index.ts';
import type { LiveOptions } from '../simulate/live.ts';
import type { Report } from '../simulate/report.ts';
import { runSimulation } from '../simulate/run-simulation.ts';
import { STANDARD_INPUT } from '../simulate/sources.ts';
import { Failure } from '../verb.ts';

/** @param live through which the cluster is read. */
export async function whatIfAnswer(
  manifests: string,
  live: LiveOptions,
  catalogue: string | undefined,
): Promise<wire.WhatIfAnswer> {
  const problems: string[] = [];
  try {
    const report = await runSimulation({
      files: [STANDARD_INPUT],
      readStandardInput: async () => manifests,
      live,
      catalogue,
      zones: [],
      pools: [],
      bound: false,
      scheduling: { improveEffort: 0 },
      validator: async () => {
        const { offlineValidator } = await import('../../playground/offline-validation.ts');
        return offlineValidator(live.world);
      },
      complain: (line) => problems.push(line),
    });
    return { ...answerOf(report), problems, notes: report.notes };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const lines = error.message
      .split('\n')
      .map((line) => line.trim().replace(/^standard input(?=[:( ])/, 'manifests'));
    return { nodes: [], onExisting: 0, pricePerHour: null, refused: [], problems: [...problems, ...lines] };
  }
}

// ---------------------------------------------------------------------------------------------------

function answerOf({ summary, nodes, refusals }: Report): Omit<wire.WhatIfAnswer, 'problems'> {
  const rows = nodes.map((node) => ({
    pool: node.nodePool ?? '',
    type: node.instanceType ?? '',
    zone: node.zone ?? '',
    capacity: node.capacityType ?? '',
    pricePerHour: node.pricePerHour,
    pods: node.pods.length,
  }));
  const groups = Map.groupBy(rows, (row) => JSON.stringify(row));
  return {
    nodes: [...groups.values()].map((own) => ({ ...own[0]!, count: own.length })),
    onExisting: summary.placedOnExisting,
    pricePerHour: summary.pricePerHour,
    refused: refusals.map(({ pods, text }) => ({
      workload: workloadOf(pods[0] ?? ''),
      count: pods.length,
      text,
    })),
  };
}

/** Pods of a workload are numbered. */
function workloadOf(pod: string): string {
  return pod.replace(/-\d+$/, '');
}
