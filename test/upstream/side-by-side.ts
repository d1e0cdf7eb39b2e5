/** Both plans of one cluster as text, for a reader who looks into a difference. */
import type { Plan, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { labelIn } from '../scheduling/final-nodes.ts';
import { HOST, TYPE } from '../scheduling/shorthand.ts';
import type { Outcome } from './classify.ts';

export interface Side {
  readonly title: string;
  readonly plan: Plan;
  readonly outcome: Outcome;
  /** By refused pod, why. */
  readonly refusals: ReadonlyMap<string, string>;
}

export function sideBySide(left: Side, right: Side): string {
  const columns = [left, right].map(linesOf);
  const height = Math.max(...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, at) =>
    `${(columns[0]![at] ?? '').slice(0, WIDTH).padEnd(WIDTH)} | ${(columns[1]![at] ?? '').slice(0, WIDTH)}`.trimEnd(),
  ).join('\n');
}

/** Pods, pools and nodes of the cluster, one line each. */
export function clusterText(input: SchedulingInput): string {
  const pods = new Map<string, string[]>();
  for (const { metadata, spec } of input.pods) {
    const text = JSON.stringify({ labels: metadata.labels, ...spec });
    pods.set(text, [...(pods.get(text) ?? []), `${metadata.namespace}/${metadata.name}`]);
  }
  return [
    ...input.pools.map(({ nodePool, instanceTypes }) => {
      const types = typeof instanceTypes === 'string' ? instanceTypes : `${instanceTypes.length} types`;
      return `pool ${nodePool.metadata.name}: ${JSON.stringify(nodePool.spec)} ${types}`;
    }),
    ...(input.nodes ?? []).map(
      ({ name, labels, taints, allocatable }) =>
        `node ${name}: ${JSON.stringify({ labels, taints, allocatable })}`,
    ),
    ...[...pods].map(([text, names]) => `pods ${names.join(' ')}: ${text}`),
    ...(input.boundPods ?? []).map(
      ({ metadata, spec }) =>
        `bound ${metadata.name} on ${spec.nodeName}: ${JSON.stringify(metadata.labels)}`,
    ),
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

const WIDTH = 100;

function linesOf({ title, plan, outcome, refusals }: Side): string[] {
  const { placed, price, broken, mayBreak, preferencesMissed } = outcome;
  return [
    title,
    `${placed} placed, $${price.toFixed(4)}/h, ${plan.claims.length} claims, ${preferencesMissed} preferences missed`,
    ...broken.map((line) => `BROKEN ${line}`),
    ...mayBreak.map((line) => `MAY BREAK ${line}`),
    ...plan.placements.map(({ node, pods }) => `${node}: ${names(pods)}`),
    ...plan.claims.flatMap((claim) => [
      `${claim.nodePool} $${claim.cheapest.price} ${claim.cheapest.instanceType} ${claim.cheapest.zone} ${claim.cheapest.capacityType} of ${claim.instanceTypes.length} types`,
      `  ${names(claim.pods)}`,
      `  ${decided(claim.requirements)}`,
    ]),
    ...[...refusals].map(([pod, why]) => `refused ${names([pod])}: ${why}`),
  ];
}

function names(pods: readonly string[]): string {
  return [...pods]
    .map((pod) => pod.replace(/^default\//, ''))
    .sort()
    .join(' ');
}

/** Requirements that are narrower than "any". */
function decided(requirements: Plan['claims'][number]['requirements']): string {
  return requirements
    .filter(({ key }) => key !== TYPE && key !== HOST)
    .filter((r) => labelIn([r], r.key) !== undefined || r.operator === 'In')
    .map(({ key, values = [] }) => `${key.split('/').at(-1)}=${values.join(',')}`)
    .join(' ');
}
