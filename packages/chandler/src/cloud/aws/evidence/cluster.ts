/** The cluster as EKS shows it: where nodes have to go, who may join, and what reaches its API server. */
import { isFound, type LookupFailure } from '../../../causes/index.ts';
import type { ControllerDeployment } from '../../index.ts';

import { type AwsContext, type AwsReader, OTHER_ACCOUNT } from './aws-evidence.ts';
import { known } from './launch-settings.ts';

export async function readClusterNamed(
  { recorder, aws }: AwsContext & { readonly aws: AwsReader },
  name: string,
  controller: ControllerDeployment | undefined,
): Promise<void> {
  const what = `cluster ${name}`;
  // Once more with the options of the controller, to compare them.
  if (controller === undefined && recorder.has('cloudResource', what)) return;
  const looked = await aws.cluster(name);
  if (!isFound(looked) && (looked.why !== 'notFound' || !isOwnAccount(recorder))) {
    recorder.addUnread('cluster', what, looked.why === 'notFound' ? NOT_SHOWN : looked);
    return;
  }
  const found = isFound(looked) ? looked.found : undefined;
  const group = found?.securityGroupId;
  const ids = group === undefined ? [] : [group, ...(found?.otherSecurityGroupIds ?? [])];
  const groups = ids.length === 0 ? undefined : await aws.securityGroups(ids);
  // A group that was not read may admit everybody.
  const isComplete = groups !== undefined && isFound(groups) && groups.found.length === ids.length;
  const admits = isComplete ? groups.found.flatMap((each) => each.admitsHttpsFrom) : undefined;
  if (groups !== undefined && !isFound(groups))
    recorder.addUnread('cloudResource', `security groups ${ids.join(', ')} of ${what}`, groups);
  const reading = recorder.reading(what, 'aws');
  recorder.add({
    kind: 'cloudResource',
    reading,
    type: 'cluster',
    name,
    found: found !== undefined,
    facts: known({
      status: found?.status,
      endpoint: found?.endpoint,
      authenticationMode: found?.authenticationMode,
      publicAccess: found?.publicAccess?.toString(),
      privateAccess: found?.privateAccess?.toString(),
      publicCidrs: found?.publicCidrs.join(' '),
      securityGroup: group,
      admits: admits?.join(' '),
      vpc: found?.vpcId,
      caMatches: caMatches(found?.certificateAuthority, controller?.options['clusterCaBundle']?.value),
    }),
  });
  if (found === undefined) return;
  recorder.add({
    kind: 'cluster',
    reading,
    diskEncryptionSetId: undefined,
    privateCluster: found.publicAccess === undefined ? undefined : !found.publicAccess,
    authorizedIpRanges: found.publicCidrs,
    apiServerHost: hostOf(found.endpoint ?? ''),
    powerState: found.status,
  });
}

// ---------------------------------------------------------------------------------------------------------------

const NOT_SHOWN: LookupFailure = { why: 'notFound', message: OTHER_ACCOUNT };

/** Credentials that see an instance of the cluster are of its account; others do not prove that there is no such cluster. */
function isOwnAccount(recorder: AwsContext['recorder']): boolean {
  return recorder
    .evidence()
    .all('vm')
    .some(({ found }) => found);
}

function caMatches(expected: string | undefined, given: string | undefined): string | undefined {
  if (expected === undefined || given === undefined || given === '') return undefined;
  const plain = (text: string) => text.replace(/\s+/g, '');
  return String(plain(expected) === plain(given));
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
