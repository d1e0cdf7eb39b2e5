/** The options of `chandler check --smoke`. */
import { isQuantity } from '@chandler/kube';
import type { OptionProblem, OptionValues } from '../../settings/index.ts';
import { isInteractive } from '../confirm.ts';
import { CLUSTER_OPTIONS, UsageError } from '../verb.ts';

export const SMOKE_OPTIONS = {
  smoke: {
    flag: 'smoke',
    type: 'boolean',
    default: false,
    doc: 'Create pods that need nodes, report how long each phase takes until they run, and delete everything again. Asks first',
  },
  yes: {
    flag: 'yes',
    short: 'y',
    type: 'boolean',
    default: false,
    doc: 'With --smoke: do not ask for confirmation',
  },
  smokeReplicas: {
    flag: 'smoke-replicas',
    type: 'integer',
    default: 10,
    minimum: 1,
    maximum: 1000,
    doc: 'Number of pods of the smoke test',
  },
  smokeCpu: {
    flag: 'smoke-cpu',
    type: 'string',
    default: '1',
    placeholder: 'QUANTITY',
    doc: 'CPU that each of its pods requests',
  },
  smokeMemory: {
    flag: 'smoke-memory',
    type: 'string',
    default: '1Gi',
    placeholder: 'QUANTITY',
    doc: 'Memory that each of its pods requests',
  },
  smokeImage: {
    flag: 'smoke-image',
    type: 'string',
    default: 'registry.k8s.io/pause:3.10',
    placeholder: 'IMAGE',
    doc: 'Image of its pods: one that waits, and that new nodes can pull',
  },
  smokeNamespace: {
    flag: 'smoke-namespace',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'An existing namespace for its pods. Default: one of its own, which is deleted at the end',
  },
  smokeNodePool: {
    flag: 'smoke-node-pool',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Its pods run on nodes of this NodePool only, and tolerate its taints. Default: any NodePool',
  },
  smokeTimeout: {
    flag: 'smoke-timeout',
    type: 'duration',
    default: 15 * 60_000,
    minimum: 1_000,
    doc: 'Time for all pods to run. A NodePool whose consolidateAfter is longer is not waited for',
  },
  smokeNoWait: {
    flag: 'smoke-no-wait',
    type: 'boolean',
    default: false,
    doc: 'Do not wait until the nodes of the smoke test are removed',
  },
  ...CLUSTER_OPTIONS,
} as const;

export type SmokeValues = OptionValues<typeof SMOKE_OPTIONS>;

/** @throws {UsageError} where nobody can be asked, and for values that no cluster accepts. */
export function refuseSmoke({ yes, smokeCpu, smokeMemory }: SmokeValues): void {
  const problems: OptionProblem[] = [];
  if (!yes.value && !isInteractive())
    problems.push({ where: '--smoke', message: 'creates pods and nodes; confirm with --yes' });
  for (const [where, { value }] of [
    ['--smoke-cpu', smokeCpu],
    ['--smoke-memory', smokeMemory],
  ] as const)
    if (!isQuantity(value))
      problems.push({ where, message: `expected a quantity, got ${JSON.stringify(value)}` });
  if (problems.length > 0) throw new UsageError(problems);
}
