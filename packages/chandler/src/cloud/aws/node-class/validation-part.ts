/**
 * Whether nodes of the class can be launched, in the order of Karpenter: the cluster's address range, the kubelet's settings,
 * what the other parts found, tags, networks, user data, and at last what EC2 says to dry runs. The first problem is the
 * condition's reason. Warnings stand beside True.
 */
import type { EC2NodeClass } from '../../../api/index.ts';
import { type AmiFamily, UserDataError } from '../../../bootstrap/index.ts';
import { CloudError } from '../../index.ts';
import {
  type AwsClusterFacts,
  type AwsClusterReader,
  type FindingProblem,
  isTransient,
} from '../cluster/index.ts';
import { imageFamily } from '../images/index.ts';
import { restrictedTags } from '../launch/index.ts';
import type { ClassPool } from './class-pools.ts';
import { classWarnings, vpcProblem } from './class-warnings.ts';
import type { DryRunOutcome, DryRuns } from './dry-runs.ts';
import { kubeletProblems } from './kubelet-validation.ts';
import {
  Condition,
  type Draft,
  isCurrent,
  MINUTE_MS,
  type Part,
  type PartResult,
  RESOLUTION_FAILED,
  unresolved,
} from './part.ts';
import { checkUserData, userDataProblem } from './user-data-check.ts';

export interface ValidationDeps {
  readonly cluster: AwsClusterReader;
  readonly dryRuns: Pick<DryRuns, 'about'>;
  /** The option `disable-dry-run`. */
  readonly dryRunDisabled: () => boolean;
  readonly kubeletExpressions: {
    /** Whether the gate NodeClassCEL is open. */
    readonly isOpen: () => boolean;
    /** Of the first type for which one has no value. @throws {CloudError} while types are not known. */
    readonly problem: (nodeClass: EC2NodeClass) => string | undefined;
  };
  /** NodePools that name the class. */
  readonly poolsOf: (className: string) => readonly ClassPool[];
}

/** While nothing changes, so often; the answers of dry runs are kept for longer. */
export const VALIDATION_REQUEUE_MS = 10 * MINUTE_MS;
/** EC2 learns of a new instance profile within seconds. */
export const PROPAGATION_REQUEUE_MS = 5_000;

export function validationPart(deps: ValidationDeps): Part {
  return {
    name: 'validation',
    condition: Condition.validation,
    async reconcile(draft, signal) {
      const family = familyOf(draft);
      const facts = readFacts(deps.cluster);
      const unknownCidr = 'cluster' in facts && family === 'AL2023' ? cidrProblem(facts.cluster) : undefined;
      if (unknownCidr !== undefined) return refuseCidr(draft, unknownCidr);
      const problem = specProblem(draft.nodeClass, family, deps.kubeletExpressions.isOpen());
      if (problem !== undefined) return refuse(draft, problem);
      if ('error' in facts) {
        undecided(draft, RESOLUTION_FAILED, facts.error.message);
        return { error: facts.error };
      }
      const waiting = dependencies(draft);
      if (waiting !== undefined) return waiting;
      const unevaluated = evaluateExpressions(draft, deps);
      if (unevaluated !== undefined) return unevaluated;
      const found = launchProblem(draft, family, facts.cluster, deps);
      if ('reason' in found) return refuse(draft, found);
      if ('unread' in found) {
        // The part that could not read it reports the error.
        undecided(draft, 'DependenciesNotReady', awaiting(found.unread));
        return {};
      }
      if (deps.dryRunDisabled()) return succeed(draft, found.warnings);
      return dryRun(draft, found.warnings, deps, signal);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Problem {
  readonly reason: string;
  readonly message: string;
  /** When to look again, where something outside of the spec may cure it. */
  readonly requeueAfterMs?: number;
}

/** An alias that is no alias is a problem of the images; the kubelet's settings can be checked nevertheless. */
function familyOf({ nodeClass }: Draft): AmiFamily {
  const found = imageFamily(nodeClass.spec);
  return 'family' in found ? found.family : 'Custom';
}

function readFacts(
  reader: AwsClusterReader,
): { readonly cluster: AwsClusterFacts } | { readonly error: CloudError } {
  try {
    return { cluster: reader.current() };
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown;
    return { error: thrown };
  }
}

/** Only AL2023 cannot do without it. */
function cidrProblem({ serviceCidr, serviceCidrProblem }: AwsClusterFacts): FindingProblem | undefined {
  if (serviceCidr.value !== '') return undefined;
  return serviceCidrProblem ?? { code: 'NotReadYet', message: 'it has not been read yet' };
}

/** Nobody answers: a class that was validated stays so, since what was valid for it still is. */
function refuseCidr(draft: Draft, { code, message }: FindingProblem): PartResult {
  const { conditions, nodeClass } = draft;
  const validated = isCurrent(conditions.get(Condition.validation), nodeClass.metadata.generation);
  const text = `Failed to detect the cluster CIDR, without which nodes of AL2023 cannot start: ${message}`;
  const error = new CloudError('Unreachable', text, { reason: CIDR_FAILED });
  if (!validated || !isTransient(code)) refuse(draft, { reason: CIDR_FAILED, message: text });
  return isTransient(code) ? { error } : { requeueAfterMs: MINUTE_MS };
}

const CIDR_FAILED = 'ClusterCIDRResolutionFailed';

/** What can be said of the spec alone. */
function specProblem(
  { spec }: EC2NodeClass,
  family: AmiFamily,
  withExpressions: boolean,
): Problem | undefined {
  const kubelet = kubeletProblems(spec.kubelet, family, {
    withExpressions,
    hasOwnSettings:
      spec.userData !== undefined || !spec.amiSelectorTerms.some(({ alias }) => alias !== undefined),
  });
  const [first] = kubelet;
  if (first === undefined) return undefined;
  const same = kubelet.filter(({ reason }) => reason === first.reason);
  return {
    reason: first.reason,
    message: same.map(({ field, message }) => `${field}: ${message}`).join('; '),
  };
}

/** Undefined: every expression in `kubelet` has a value for every type. */
function evaluateExpressions(draft: Draft, { kubeletExpressions }: ValidationDeps): PartResult | undefined {
  let message: string | undefined;
  try {
    message = kubeletExpressions.problem({ ...draft.nodeClass, status: draft.status });
  } catch (thrown) {
    if (!(thrown instanceof CloudError)) throw thrown;
    undecided(draft, 'DependenciesNotReady', thrown.message);
    return { requeueAfterMs: PROPAGATION_REQUEUE_MS };
  }
  if (message === undefined) return undefined;
  return refuse(draft, { reason: 'KubeletExpressionEvaluationFailed', message });
}

const DEPENDENCIES = [
  Condition.images,
  Condition.instanceProfile,
  Condition.securityGroups,
  Condition.subnets,
] as const;

/** Dry runs without an image or a subnet say nothing. */
function dependencies({ conditions, nodeClass }: Draft): PartResult | undefined {
  const { generation } = nodeClass.metadata;
  const missing = DEPENDENCIES.filter((type) => !isCurrent(conditions.get(type), generation));
  if (missing.length === 0) return undefined;
  const message = awaiting(missing);
  if (missing.some((type) => conditions.get(type)?.status === 'False'))
    conditions.setFalse(Condition.validation, 'DependenciesNotReady', message);
  else conditions.setUnknown(Condition.validation, 'DependenciesNotReady', message);
  return { requeueAfterMs: VALIDATION_REQUEUE_MS };
}

function awaiting(missing: readonly string[]): string {
  return `Awaiting AMI, Instance Profile, Security Group, and Subnet resolution: ${missing.join(', ')}`;
}

/** What could not be read says nothing: what was found for this generation stays. */
function undecided({ conditions, nodeClass }: Draft, reason: string, message: string): void {
  const was = conditions.get(Condition.validation);
  const isDecided = was !== undefined && was.status !== 'Unknown';
  if (isDecided && (was.observedGeneration ?? 0) === (nodeClass.metadata.generation ?? 0)) return;
  conditions.setUnknown(Condition.validation, reason, message);
}

/** What would make every launch fail, from what is known already; else what has no effect. */
function launchProblem(
  { nodeClass, status, found }: Draft,
  family: AmiFamily,
  cluster: AwsClusterFacts,
  { poolsOf }: ValidationDeps,
): Problem | { readonly unread: readonly string[] } | { readonly warnings: readonly string[] } {
  const { spec, metadata } = nodeClass;
  const restricted = restrictedTags(spec.tags ?? {});
  if (restricted.length > 0) {
    const message = `remove ${restricted.join(', ')} from spec.tags; the controller sets these tags`;
    return { reason: 'TagValidationFailed', message };
  }
  const { subnets, securityGroups } = found;
  // The conditions of both may be True from an earlier time.
  if (subnets === undefined || securityGroups === undefined) {
    const unread = subnets === undefined ? Condition.subnets : Condition.securityGroups;
    return { unread: [unread] };
  }
  const vpc = vpcProblem(subnets, securityGroups);
  if (vpc !== undefined)
    return { reason: 'SecurityGroupSubnetVPCMismatch', message: vpc, requeueAfterMs: MINUTE_MS };
  const seen = { spec, status };
  const warnings = classWarnings({
    nodeClass: seen,
    family,
    subnets,
    securityGroups,
    pools: poolsOf(metadata.name),
  });
  const userData = checkUserData(seen, family, cluster);
  if ('problem' in userData) return userData.problem;
  return { warnings: [...warnings, ...userData.warnings] };
}

async function dryRun(
  draft: Draft,
  warnings: readonly string[],
  deps: ValidationDeps,
  signal: AbortSignal,
): Promise<PartResult> {
  let outcome: DryRunOutcome;
  try {
    const nodeClass = { ...draft.nodeClass, status: draft.status };
    outcome = await deps.dryRuns.about(nodeClass, deps.poolsOf(nodeClass.metadata.name), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof UserDataError) return refuse(draft, userDataProblem(thrown));
    return unresolved(draft, Condition.validation, thrown, 'DryRunFailed');
  }
  if (outcome === 'allowed') return succeed(draft, warnings);
  if (outcome === 'profilePropagating') return propagating(draft);
  const { reason, message, cacheable } = outcome.failure;
  return refuse(draft, {
    reason,
    message,
    requeueAfterMs: cacheable ? VALIDATION_REQUEUE_MS : MINUTE_MS,
  });
}

/** It does not become False: a profile is known within seconds, and launches wait for the condition meanwhile. */
function propagating({ conditions, nodeClass, status }: Draft): PartResult {
  if (!isCurrent(conditions.get(Condition.validation), nodeClass.metadata.generation))
    conditions.setUnknown(
      Condition.validation,
      'DependenciesNotReady',
      `EC2 does not know the instance profile ${status.instanceProfile ?? ''} yet, which was created a moment ago`,
    );
  return { requeueAfterMs: PROPAGATION_REQUEUE_MS };
}

function refuse({ conditions }: Draft, { reason, message, requeueAfterMs }: Problem): PartResult {
  conditions.setFalse(Condition.validation, reason, message);
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

function succeed({ conditions }: Draft, warnings: readonly string[]): PartResult {
  conditions.setTrue(Condition.validation, undefined, warnings.join('; '));
  return { requeueAfterMs: VALIDATION_REQUEUE_MS };
}
