/** The plan of a takeover: what there is, what was found, and whether it may start. */
import { observes } from '../../settings/index.ts';
import { keyOfDeployment, nameOf, replicasOf } from './deployments.ts';
import { FINDINGS, type Finding, type FindingCode, type Severity } from './findings.table.ts';
import { judgeDeployments, versionOf } from './judge-deployments.ts';
import { judgeKinds } from './judge-kinds.ts';
import { judgeLeases } from './judge-leases.ts';
import { countClaims, judgeNodes } from './judge-nodes.ts';
import { judgePermissions } from './judge-permissions.ts';
import { currentRecord, judgeRecord } from './judge-record.ts';
import { judgeSettings } from './judge-settings.ts';
import type { Picture } from './picture.ts';
import type { TakeoverRecord } from './record.ts';
import type { Side } from './side.ts';

export interface PlannedFinding extends Finding {
  readonly severity: Severity;
  readonly accepted: boolean;
}

export interface TakeoverPlan {
  /** No blocker, and every warning is accepted. */
  readonly ready: boolean;
  readonly cloud: string;
  readonly karpenter: DeploymentFacts | undefined;
  readonly chandler: (DeploymentFacts & { readonly observes: boolean }) | undefined;
  readonly lease: { readonly name: string; readonly holder: string } | undefined;
  readonly nodePools: number;
  readonly nodeClaims: { readonly total: number; readonly inFlight: number; readonly drifted: number };
  /** Of a takeover that has begun, if the cluster still is as it says. */
  readonly record: TakeoverRecord | undefined;
  readonly findings: readonly PlannedFinding[];
}

export interface DeploymentFacts {
  readonly deployment: string;
  readonly replicas: number;
  readonly version: string | undefined;
}

export function planOf(picture: Picture, accepted: readonly string[]): TakeoverPlan {
  const found = [
    ...judgeDeployments(picture),
    ...judgeRecord(picture),
    ...judgeLeases(picture),
    ...judgeKinds(picture),
    ...judgeNodes(picture),
    ...judgeSettings(picture),
    ...judgePermissions(picture),
    ...picture.unread.map(
      ({ what, why }): Finding => ({
        code: 'NotRead',
        message: `${what} could not be read, and were not checked: ${why}.`,
        fix: 'use an account that may read them, or accept this',
      }),
    ),
  ];
  const findings = found
    .map((finding): PlannedFinding => {
      const severity = FINDINGS[finding.code];
      return { ...finding, severity, accepted: severity === 'warning' && accepted.includes(finding.code) };
    })
    .sort((one, other) => ORDER.indexOf(one.severity) - ORDER.indexOf(other.severity));
  const { karpenterSide, chandlerSide, lease, leases, claims } = picture;
  const counts = countClaims(claims);
  const leaseKey = leases.karpenter ?? leases.chandler;
  return {
    ready: findings.every(({ severity, accepted: isAccepted }) => severity === 'note' || isAccepted),
    cloud: picture.cloud.name,
    karpenter: karpenterSide && factsOf(karpenterSide),
    chandler: chandlerSide && {
      ...factsOf(chandlerSide),
      observes: observes(chandlerSide.deployment.spec.template.spec.containers),
    },
    lease: leaseKey && { name: nameOf(leaseKey), holder: lease?.spec?.holderIdentity ?? '' },
    nodePools: picture.pools.length,
    nodeClaims: {
      total: claims.length,
      inFlight: counts.inFlight.length,
      drifted: counts.drifted.length,
    },
    record: currentRecord(picture),
    findings,
  };
}

/** Codes of warnings that keep it from starting. */
export function toAccept({ findings }: TakeoverPlan): readonly FindingCode[] {
  const open = findings.filter(({ severity, accepted }) => severity === 'warning' && !accepted);
  return [...new Set(open.map(({ code }) => code))];
}

// ---------------------------------------------------------------------------------------------------

const ORDER: readonly Severity[] = ['blocker', 'warning', 'note'];

function factsOf({ deployment }: Side): DeploymentFacts {
  return {
    deployment: nameOf(keyOfDeployment(deployment)),
    replicas: replicasOf(deployment),
    version: versionOf(deployment),
  };
}
