/** A plan of a takeover as text. */
import type { PlannedFinding, TakeoverPlan } from './takeover-plan.ts';
import { toAccept } from './takeover-plan.ts';

export function renderPlan(plan: TakeoverPlan): string {
  const { karpenter, chandler, lease, nodePools, nodeClaims, findings } = plan;
  return [
    `Karpenter  ${karpenter === undefined ? 'not found' : deploymentText(karpenter)}`,
    `Chandler   ${chandler === undefined ? 'not found' : `${deploymentText(chandler)}${chandler.observes ? ', --observe' : ''}`}`,
    `Lease      ${lease === undefined ? 'not known' : `${lease.name}, ${lease.holder === '' ? 'held by nobody' : `held by ${lease.holder}`}`}`,
    `Nodes      ${nodePools} NodePools, ${nodeClaims.total} NodeClaims (${nodeClaims.inFlight} in flight, ${nodeClaims.drifted} drifted)`,
    '',
    ...findings.flatMap(findingLines),
    ...(findings.length > 0 ? [''] : []),
    ...endLines(plan),
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

function deploymentText({ deployment, replicas, version }: NonNullable<TakeoverPlan['karpenter']>): string {
  const count = `${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`;
  return `Deployment ${deployment}, ${version === undefined ? 'version not known' : version}, ${count}`;
}

function findingLines({ severity, code, message, fix, accepted }: PlannedFinding): readonly string[] {
  const title = `${(accepted ? 'accepted' : severity).padEnd(8)} ${code}: ${message}`;
  return fix === '' || accepted ? [title] : [title, `         fix: ${fix}`];
}

function endLines(plan: TakeoverPlan): readonly string[] {
  const { record, ready } = plan;
  if (record?.phase === 'takenOver') return ['Chandler has taken over. To hand back: chandler takeover back'];
  if (record !== undefined)
    return [
      `A takeover has begun and is not finished (${record.phase}).`,
      'To finish it: chandler takeover start. To undo it: chandler takeover back',
    ];
  const accept = toAccept(plan);
  const blockers = plan.findings.filter(({ severity }) => severity === 'blocker').length;
  if (ready) return ['Ready. To take over: chandler takeover start'];
  if (blockers > 0)
    return [`Not ready: ${blockers} ${blockers === 1 ? 'blocker' : 'blockers'} must be fixed first.`];
  return [`Not ready: fix the warnings, or accept them with --accept ${accept.join(',')}`];
}
