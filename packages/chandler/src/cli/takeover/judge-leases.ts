/** Findings about leader election: both must use the same lease, and nobody else may hold it. */
import { nameOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import { isChandler } from './lease-watch.ts';
import type { Picture } from './picture.ts';
import type { Side } from './side.ts';

export function judgeLeases(picture: Picture): readonly Finding[] {
  const { karpenterSide, chandlerSide, leases } = picture;
  const findings: Finding[] = [];
  for (const [side, title] of [
    [karpenterSide, 'Karpenter'],
    [chandlerSide, 'Chandler'],
  ] as const)
    if (side?.settings.resolved.values['disableLeaderElection']?.value === true)
      findings.push({
        code: 'LeaderElectionDisabled',
        message: `${title} runs without leader election, so nothing keeps both from acting at the same time.`,
        fix: 'remove DISABLE_LEADER_ELECTION and --disable-leader-election from its Deployment',
      });
  const { karpenter, chandler } = leases;
  if (karpenter !== undefined && chandler !== undefined && nameOf(karpenter) !== nameOf(chandler))
    findings.push({
      code: 'LeaseDiffers',
      message: `Karpenter uses Lease ${nameOf(karpenter)}, Chandler ${nameOf(chandler)}, so both could lead at once.`,
      fix: `set LEADER_ELECTION_NAMESPACE=${karpenter.namespace} and LEADER_ELECTION_NAME=${karpenter.name} for Chandler, or install it in namespace ${karpenter.namespace}`,
    });
  return [...findings, ...judgeHolder(picture)];
}

// ---------------------------------------------------------------------------------------------------

function judgeHolder({ lease, leases, karpenterSide }: Picture): readonly Finding[] {
  const key = leases.karpenter;
  if (key === undefined || karpenterSide === undefined) return [];
  const holder = lease?.spec?.holderIdentity ?? '';
  if (holder === '')
    return [
      {
        code: karpenterSide.pods.length > 0 ? 'NobodyLeads' : 'KarpenterNotRunning',
        message: `Nobody holds Lease ${nameOf(key)}${karpenterSide.pods.length > 0 ? '' : '; Karpenter has no pods'}.`,
        fix: '',
      },
    ];
  if (isChandler(holder) || ofSide(holder, karpenterSide)) return [];
  return [
    {
      code: 'LeaseHeldByAnother',
      message: `${holder} holds Lease ${nameOf(key)}, and is neither a pod of Karpenter's Deployment nor Chandler.`,
      fix: 'stop this controller first: the takeover would wait for it',
    },
  ];
}

/** The name of the pod, or of its node where it uses the network of the node. */
function ofSide(holder: string, { pods }: Side): boolean {
  const host = holder.slice(0, Math.max(0, holder.lastIndexOf('_')));
  // A pod that has just been replaced leaves its name in the lease until it expires.
  return (
    pods.length === 0 || pods.some(({ metadata, spec }) => host === metadata.name || host === spec?.nodeName)
  );
}
