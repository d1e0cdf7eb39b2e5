/** Workloads that need the metadata of their instance, and those that do not (K-27). */
import { describe, expect, test } from 'vitest';
import { daemonSet, liveCluster, object } from './examples/cluster.ts';
import { aNodeClass, aResource, aState } from './examples/example.ts';
import { judged } from './examples/judged.ts';
import { BALANCER_ACCOUNT, balancer, hops } from './examples/metadata.table.ts';

const LACKS_ROLE =
  'The EBS CSI driver has no role of its own, and gets none of the node with the hop limit 1.';
const NOT_KNOWN = 'Whether it has a role of its own is not known.';

const driver = (pod: object = {}, env: readonly object[] = []) =>
  object(
    'apps/v1',
    'Deployment',
    'ebs-csi-controller',
    {
      spec: {
        template: {
          spec: {
            serviceAccountName: 'ebs',
            containers: [
              { name: 'plugin', image: 'public.ecr.aws/ebs-csi-driver/aws-ebs-csi-driver:v1', env },
            ],
            ...pod,
          },
        },
      },
    },
    { namespace: 'kube-system' },
  );
const account = (annotations: object = {}) =>
  object('v1', 'ServiceAccount', 'ebs', {}, { namespace: 'kube-system', annotations });
const LIMIT = { 'class.yaml': hops(1) };

function metadataOf(files: Readonly<Record<string, string>>): readonly string[] {
  return judged(files)
    .findings.filter(({ id }) => id === 'K-27')
    .map(({ status, message }) => `${status}: ${message}`);
}

const inCluster = (...objects: readonly object[]) =>
  metadataOf({ ...LIMIT, 'cluster.yaml': liveCluster(...objects) });

describe('a hop limit of 1', () => {
  test('is the default, and keeps the region and the VPC from the AWS Load Balancer Controller', () => {
    const files = { 'class.yaml': aNodeClass('  role: nodes'), 'balancer.yaml': balancer([]) };
    const text = (lacking: string) =>
      `warn: The AWS Load Balancer Controller has no ${lacking}, and cannot read it with the hop limit 1.`;
    expect(metadataOf(files)).toEqual([text('--aws-region and no --aws-vpc-id')]);
    // The region comes with the role.
    expect(metadataOf({ ...files, 'account.yaml': BALANCER_ACCOUNT })).toEqual([text('--aws-vpc-id')]);
  });

  test('keeps the role of the node from the EBS CSI driver', () => {
    expect(inCluster(driver(), account())).toEqual([`warn: ${LACKS_ROLE}`]);
  });

  test('does not matter to pods with a role, an association, keys or the host network', () => {
    const role = { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::418295670013:role/ebs' };
    expect(inCluster(driver(), account(role))).toEqual(['pass: It has credentials of its own.']);
    const keys = [{ name: 'AWS_ACCESS_KEY_ID', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }];
    expect(inCluster(driver({}, keys), account())).toEqual(['pass: It has credentials of its own.']);
    const association = aResource('aws_eks_pod_identity_association', 'ebs', {
      namespace: 'kube-system',
      service_account: 'ebs',
    });
    const files = { ...LIMIT, 'cluster.yaml': liveCluster(driver()), 'state.json': aState(association) };
    expect(metadataOf(files)).toEqual(['pass: It has credentials of its own.']);
    expect(inCluster(driver({ hostNetwork: true }), account())).toEqual([
      'skip: there is nothing that it is about',
    ]);
  });

  test('is not judged while the service account or its associations are not known', () => {
    expect(inCluster(driver())).toEqual([`skip: ${NOT_KNOWN}`]);
    expect(inCluster(driver(), account(), daemonSet('eks-pod-identity-agent'))).toEqual([
      `skip: ${NOT_KNOWN}`,
    ]);
  });
});

test('a hop limit of 2 lets pods read it, and one that is not known is no pass', () => {
  const workload = { 'balancer.yaml': balancer([]) };
  expect(metadataOf({ ...workload, 'class.yaml': hops(2) })).toEqual([
    'pass: The hop limit of its nodes lets pods read it.',
  ]);
  const unknown = `variable "hops" {}
resource "kubernetes_manifest" "class" {
  manifest = {
    apiVersion = "karpenter.k8s.aws/v1"
    kind       = "EC2NodeClass"
    metadata   = { name = "default" }
    spec       = { metadataOptions = { httpPutResponseHopLimit = var.hops } }
  }
}
`;
  expect(metadataOf({ ...workload, 'main.tf': unknown })).toEqual(['skip: A value is not known.']);
});

test('workloads on other groups of nodes are not judged', () => {
  expect(inCluster(driver({ nodeSelector: { 'eks.amazonaws.com/nodegroup': 'system' } }), account())).toEqual(
    ['skip: there is nothing that it is about'],
  );
});
