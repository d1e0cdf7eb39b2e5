/** Shapes and predicates that the tables of causes of AWS share. */
import {
  type CloudErrorEvidence,
  type CloudResourceEvidence,
  type EvidenceSet,
  isTrue,
  type NodeClaimEvidence,
  type NodeClassEvidence,
} from '../../../causes/index.ts';

export const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';
export const SHOW_CLASS = 'kubectl describe ec2nodeclass {nodeClass}';
export const SHOW_INSTANCE =
  'aws ec2 describe-instances --region {region} --instance-ids {instance} --query "Reservations[].Instances[].[State.Name,StateReason.Message,SubnetId,ImageId]"';
export const SHOW_CONSOLE =
  'aws ec2 get-console-output --region {region} --instance-id {instance} --latest --output text';
export const SHOW_IDENTITY =
  'kubectl -n {namespace} get serviceaccount -o custom-columns=NAME:.metadata.name,ROLE:.metadata.annotations';

/** With the objects themselves: without them an example is rendered, which is always right. */
export const RENDER_INPUT = 'chandler bootstrap render --cloud aws --cluster-name {cluster} -f -';

/** Conditions of a node class that are not True and say why; those that only sum up others are left out. */
export function classProblems(
  evidence: EvidenceSet,
): readonly { readonly nodeClass: NodeClassEvidence; readonly condition: ClassCondition }[] {
  return evidence
    .all('nodeClass')
    .flatMap((nodeClass) =>
      nodeClass.conditions
        .filter(({ type, status, reason = '' }) => type !== 'Ready' && status !== 'True' && !IDLE.has(reason))
        .map((condition) => ({ nodeClass, condition })),
    );
}

export type ClassCondition = NodeClassEvidence['conditions'][number];

/** Claims with an instance that has not registered. */
export function joiningClaims(evidence: EvidenceSet): readonly NodeClaimEvidence[] {
  return evidence.liveClaims.filter((claim) => isTrue(claim, 'Launched') && !isTrue(claim, 'Registered'));
}

/** Of this claim, or of every claim. */
export function resourcesOf(
  evidence: EvidenceSet,
  type: string,
  claim: string,
): readonly CloudResourceEvidence[] {
  return evidence
    .all('cloudResource')
    .filter((each) => each.type === type && (each.claim ?? claim) === claim);
}

/** `{namespace}` and `{deployment}` of the controller. */
export function controllerFacts(evidence: EvidenceSet): Record<string, string> {
  const [namespace, deployment] = evidence.first('controller')?.deployment?.split('/') ?? [];
  return namespace === undefined || deployment === undefined ? {} : { namespace, deployment };
}

/** `InsufficientInstanceCapacity` as AWS writes it before its message, or as a whole. */
export function hasCode(text: string, code: string): boolean {
  const escaped = code.replaceAll('.', '\\.');
  return new RegExp(`(?<![\\w.])${escaped}(?=:|\\)|,|;|$)`).test(text);
}

export function errorText({ reason, code, message }: CloudErrorEvidence): string {
  return `${reason}${code === undefined ? '' : ` (${code})`}: ${message}`;
}

// ---------------------------------------------------------------------------------------------------------------

const IDLE: ReadonlySet<string> = new Set([
  'AwaitingReconciliation',
  'UnhealthyDependents',
  'ReconcilingDependents',
  'DependenciesNotReady',
]);
