/** Who may be whom: nodes in the cluster, and the ServiceAccount in AWS. How each is read, written and removed. */
import type { AwsCalls } from '../../cloud/aws/account.ts';
import type { DesiredResource, Found, RecordedResource } from '../resource.ts';
import { awsCall, awsRead } from './aws-error.ts';
import { desired } from './desired.ts';
import { profilesOf } from './roles.ts';
import type { EksSetup } from './setup.ts';

/** The fact that IAM knows the issuer already. */
export const PROVIDER = 'oidcProvider';

export function accessEntryResource(
  { cluster, nodeRole }: EksSetup,
  { eks, iam }: AwsCalls,
): DesiredResource {
  const principalArn = nodeRole.arn;
  const { arn: clusterArn, name: clusterName } = cluster;
  const recorded = recordedAccessEntry(clusterArn, principalArn, { eks, iam });
  const wanted = {
    key: 'access-entry',
    kind: 'access entry',
    name: nodeRole.name,
    why: 'so that nodes can join the cluster',
    id: `${clusterArn}/access-entries/${principalArn}`,
    fields: { type: 'EC2_LINUX' },
  };
  return desired(wanted, recorded, async (found, signal) => {
    // The type of an entry cannot be changed.
    if (found !== undefined) await recorded.remove(signal);
    await awsCall({ action: 'eks:CreateAccessEntry', scope: clusterArn }, () =>
      eks.createAccessEntry({ clusterName, principalArn, type: 'EC2_LINUX' }, { signal }),
    );
  });
}

export function recordedAccessEntry(
  clusterArn: string,
  principalArn: string,
  { eks, iam }: Pick<AwsCalls, 'eks' | 'iam'>,
): RecordedResource {
  const input = { clusterName: nameOf(clusterArn), principalArn };
  const may = (action: string) => ({ action: `eks:${action}`, scope: clusterArn });
  return {
    async read(signal) {
      const answer = await awsRead(may('DescribeAccessEntry'), () =>
        eks.describeAccessEntry(input, { signal }),
      );
      if (answer?.accessEntry === undefined) return undefined;
      const { type = '', accessEntryArn = '' } = answer.accessEntry;
      return {
        id: `${clusterArn}/access-entries/${principalArn}`,
        fields: { type },
        facts: { accessEntryArn },
      };
    },
    async remove(signal) {
      await awsRead(may('DeleteAccessEntry'), () => eks.deleteAccessEntry(input, { signal }));
    },
    inUse: (signal) => profilesOf(principalArn, iam, signal),
  };
}

export function associationResource(setup: EksSetup, { eks }: AwsCalls): DesiredResource {
  const { cluster, controllerRole, namespace, serviceAccount } = setup;
  const roleArn = controllerRole.arn;
  const recorded = recordedAssociation(cluster.arn, namespace, serviceAccount, eks);
  const wanted = {
    key: 'association',
    kind: 'Pod Identity association',
    name: `${namespace}/${serviceAccount}`,
    why: `so that pods with the ServiceAccount ${namespace}/${serviceAccount} have the role ${controllerRole.name}`,
    id: idOfAssociation(cluster.arn, namespace, serviceAccount),
    fields: { role: roleArn },
  };
  return desired(wanted, recorded, async (found, signal) => {
    if (found !== undefined) await recorded.remove(signal);
    const input = { clusterName: cluster.name, namespace, serviceAccount, roleArn };
    await awsCall({ action: 'eks:CreatePodIdentityAssociation', scope: cluster.arn }, () =>
      eks.createPodIdentityAssociation(input, { signal }),
    );
  });
}

export function recordedAssociation(
  clusterArn: string,
  namespace: string,
  serviceAccount: string,
  eks: AwsCalls['eks'],
): RecordedResource {
  const clusterName = nameOf(clusterArn);
  const may = (action: string) => ({ action: `eks:${action}`, scope: clusterArn });
  const find = async (signal: AbortSignal): Promise<string | undefined> => {
    const answer = await awsRead(may('ListPodIdentityAssociations'), () =>
      eks.listPodIdentityAssociations({ clusterName, namespace, serviceAccount }, { signal }),
    );
    return answer?.associations?.[0]?.associationId;
  };
  return {
    async read(signal) {
      const associationId = await find(signal);
      if (associationId === undefined) return undefined;
      const answer = await awsRead(may('DescribePodIdentityAssociation'), () =>
        eks.describePodIdentityAssociation({ clusterName, associationId }, { signal }),
      );
      if (answer?.association === undefined) return undefined;
      return {
        id: idOfAssociation(clusterArn, namespace, serviceAccount),
        fields: { role: answer.association.roleArn ?? '' },
        facts: { associationId },
      };
    },
    async remove(signal) {
      const associationId = await find(signal);
      if (associationId === undefined) return;
      await awsRead(may('DeletePodIdentityAssociation'), () =>
        eks.deletePodIdentityAssociation({ clusterName, associationId }, { signal }),
      );
    },
  };
}

/** One that has more audiences does as well: other ServiceAccounts use it. */
export function providerResource(
  { arn, url, audience }: NonNullable<EksSetup['provider']>,
  { iam }: AwsCalls,
): DesiredResource {
  const recorded = recordedProvider(arn, iam);
  const wanted = {
    key: 'oidc-provider',
    kind: 'OIDC provider',
    name: url.replace(/^https:\/\//, ''),
    why: 'so that IAM trusts tokens of the cluster',
    id: arn,
    fields: { audiences: [audience] },
  };
  const enough = (found: Found): Found => {
    const { audiences } = found.fields;
    const fits = Array.isArray(audiences) && audiences.includes(audience);
    return { ...found, fields: fits ? wanted.fields : found.fields, facts: { [PROVIDER]: arn } };
  };
  const read = async (signal: AbortSignal) => {
    const found = await recorded.read(signal);
    return found === undefined ? undefined : enough(found);
  };
  return desired(wanted, { read }, async (found, signal) => {
    // Others may have added audiences of their own.
    if (found !== undefined)
      return await awsCall({ action: 'iam:AddClientIDToOpenIDConnectProvider', scope: arn }, () =>
        iam.addClientIDToOpenIDConnectProvider(
          { OpenIDConnectProviderArn: arn, ClientID: audience },
          { signal },
        ),
      );
    return await awsCall({ action: 'iam:CreateOpenIDConnectProvider', scope: arn }, () =>
      iam.createOpenIDConnectProvider({ Url: url, ClientIDList: [audience] }, { signal }),
    );
  });
}

/** The whole cluster has one, and IAM does not say who uses it. */
export function recordedProvider(arn: string, iam: AwsCalls['iam']): RecordedResource {
  const input = { OpenIDConnectProviderArn: arn };
  const may = (action: string) => ({ action: `iam:${action}`, scope: arn });
  return {
    async read(signal) {
      const answer = await awsRead(may('GetOpenIDConnectProvider'), () =>
        iam.getOpenIDConnectProvider(input, { signal }),
      );
      if (answer === undefined) return undefined;
      return { id: arn, fields: { audiences: [...(answer.ClientIDList ?? [])].sort() } };
    },
    async remove() {},
    keptBecause: `roles of other ServiceAccounts may trust it; if none does: aws iam delete-open-id-connect-provider --open-id-connect-provider-arn ${arn}`,
  };
}

// ---------------------------------------------------------------------------------------------------------------

function idOfAssociation(clusterArn: string, namespace: string, serviceAccount: string): string {
  return `${clusterArn}/associations/${namespace}/${serviceAccount}`;
}

function nameOf(clusterArn: string): string {
  return clusterArn.slice(clusterArn.lastIndexOf('/') + 1);
}
