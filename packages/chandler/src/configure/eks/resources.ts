/** The resources of an EKS setup. */
import type { AwsCalls } from '../../cloud/aws/account.ts';
import type { DesiredResource } from '../resource.ts';
import { accessEntryResource, associationResource, providerResource } from './access.ts';
import { tagResource } from './discovery.ts';
import { queueResource, ruleResource, targetResource } from './interruption.ts';
import { attachmentResource, inlineResource, roleResource } from './roles.ts';
import type { EksSetup } from './setup.ts';

/** In the order in which they are created. */
export function eksResources(setup: EksSetup, calls: AwsCalls): readonly DesiredResource[] {
  const { cluster, controllerRole, nodeRole, provider, queue, rules, tagged } = setup;
  const [clusterArn, clusterName] = [cluster.arn, cluster.name];
  return [
    roleResource(
      {
        key: 'node-role',
        kind: 'node role',
        why: 'so that nodes have an identity in AWS',
        role: nodeRole,
        clusterArn,
      },
      calls,
    ),
    ...nodeRole.policyArns.map((arn) => attachmentResource(nodeRole.arn, arn, calls)),
    accessEntryResource(setup, calls),
    queueResource(queue, calls),
    ...rules.flatMap((rule) => [ruleResource(rule, calls), targetResource(rule, queue, calls)]),
    ...(provider === undefined ? [] : [providerResource(provider, calls)]),
    roleResource(
      {
        key: 'controller-role',
        kind: 'controller role',
        why: 'so that the controller can sign in to AWS without a secret',
        role: controllerRole,
        clusterArn,
      },
      calls,
    ),
    ...[...controllerRole.policies].map(([name, policy]) =>
      inlineResource(controllerRole.arn, name, policy, calls),
    ),
    ...(provider === undefined ? [associationResource(setup, calls)] : []),
    ...tagged.map((each) => tagResource(each, clusterName, calls)),
  ];
}
