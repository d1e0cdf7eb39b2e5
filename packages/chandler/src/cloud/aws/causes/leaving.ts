/** Layer 6 on AWS: instances of drained nodes that EC2 does not terminate. */
import type { Cause, EvidenceSet, Match } from '../../../causes/index.ts';
import { readDenial } from '../errors/index.ts';

export const LEAVING: readonly Cause[] = [
  {
    id: 'aws-leaving.termination-protected',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The instance is protected against termination',
    symptom: 'The NodeClaim has the event FailedTermination with OperationNotPermitted of EC2.',
    summary: 'The instance {instance} of {claim} cannot be terminated: {problem}',
    fix: 'Remove the protection: aws ec2 modify-instance-attribute --region {region} --instance-id {instance} --no-disable-api-termination. The deletion is retried automatically.',
    confirm: [
      'aws ec2 describe-instance-attribute --region {region} --instance-id {instance} --attribute disableApiTermination',
    ],
    explains: ['leaving.machine-stays'],
    recognise: (evidence) => failedTermination(evidence, /disableApiTermination|termination protection/i),
  },
  {
    id: 'aws-leaving.not-allowed',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The controller may not terminate the instance',
    symptom: 'The NodeClaim has the event FailedTermination with UnauthorizedOperation of EC2.',
    summary: '{claim} cannot be deleted: {who} may not call {action} on {resource}.',
    fix: 'Allow ec2:TerminateInstances in the policy of the controller: the statement AllowScopedDeletion of KarpenterControllerNodeLifecyclePolicy-{cluster}. It demands the tags kubernetes.io/cluster/{cluster}=owned and karpenter.sh/nodepool on the instance: somebody may have removed them.',
    confirm: ['aws ec2 describe-tags --region {region} --filters Name=resource-id,Values={instance}'],
    explains: ['leaving.machine-stays'],
    recognise: (evidence) =>
      failedTermination(evidence, /is not authorized to perform|UnauthorizedOperation/),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function failedTermination(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const event = evidence.events('NodeClaim/', 'FailedTermination').at(-1);
  const claim = evidence
    .all('nodeClaim')
    .find(
      ({ name, deletingSinceMs }) => event?.object === `NodeClaim/${name}` && deletingSinceMs !== undefined,
    );
  if (event === undefined || claim === undefined || !says.test(event.message)) return undefined;
  const denial = readDenial(event.message);
  const { principal: who = 'the controller', action = 'ec2:TerminateInstances', resource } = denial;
  return {
    facts: {
      claim: claim.name,
      problem: event.message,
      who,
      action,
      resource: resource ?? 'the instance',
    },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}
