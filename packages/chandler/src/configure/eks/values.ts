/** The values of the chart for an EKS cluster. */
import { header, yamlText } from '../literals.ts';
import type { EksSetup } from './setup.ts';

export function valuesFile(setup: EksSetup): string {
  const { cluster, identity, namespace, serviceAccount, controllerRole, nodeRole, queue } = setup;
  const named = identity === 'irsa' ? 'trust policy of the role' : 'Pod Identity association';
  return [
    header('#', [
      `Values of the chart chandler for the EKS cluster ${cluster.name}, written by "chandler configure eks".`,
      `Install it into the namespace ${namespace}: the ${named} names the namespace and the ServiceAccount.`,
      `Node classes need spec.role: ${nodeRole.name}`,
    ]),
    'cloud: aws\n',
    ...(identity === 'irsa' ? ['identity:\n', `  awsRoleArn: ${yamlText(controllerRole.arn)}\n`] : []),
    'serviceAccount:\n',
    `  name: ${yamlText(serviceAccount)}\n`,
    'settings:\n',
    `  clusterName: ${yamlText(cluster.name)}\n`,
    `  clusterEndpoint: ${yamlText(cluster.endpoint)}\n`,
    `  awsRegion: ${yamlText(cluster.region)}\n`,
    `  interruptionQueue: ${yamlText(queue.name)}\n`,
  ].join('');
}
