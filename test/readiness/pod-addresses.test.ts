/** maxPods against the addresses of instance types; the numbers are those that AWS publishes for the VPC CNI (K-54). */
import { expect, test } from 'vitest';
import { aNode, liveCluster } from './examples/cluster.ts';
import { judged } from './examples/judged.ts';
import { networkPlugin, podFiles } from './examples/pod-addresses.table.ts';

function podsOf(files: Readonly<Record<string, string>>): string {
  const [found] = judged(files).findings.filter(({ id }) => id === 'K-54');
  return `${found?.status}: ${found?.message}`;
}

const TYPES = ['t3.medium', 'm5.large', 'm5.4xlarge'];
const OFF = { 'cluster.yaml': networkPlugin({}) };
const ON = { 'cluster.yaml': networkPlugin({ ENABLE_PREFIX_DELEGATION: 'true' }) };

test('types with fewer addresses are named with their number', () => {
  expect(podsOf({ ...podFiles('58', TYPES), ...OFF })).toBe(
    'warn: 2 of 3 instance types have addresses for fewer than 58 pods: t3.medium 17, m5.large 29.',
  );
  expect(podsOf({ ...podFiles('17', TYPES), ...OFF })).toBe(
    'pass: All 3 instance types have addresses for 17 pods.',
  );
});

test('prefixes give enough addresses, but not on types without them', () => {
  expect(podsOf({ ...podFiles('110', TYPES), ...ON })).toMatch(/^pass: /);
  expect(podsOf({ ...podFiles('110', ['m4.large', 'm5.large']), ...ON })).toBe(
    'warn: 1 of 2 instance types have addresses for fewer than 110 pods: m4.large 20.',
  );
});

test('custom networking takes one interface away', () => {
  const custom = { 'cluster.yaml': networkPlugin({ AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG: 'true' }) };
  expect(podsOf({ ...podFiles('29', ['m5.large']), ...OFF })).toMatch(/^pass: /);
  expect(podsOf({ ...podFiles('29', ['m5.large']), ...custom })).toBe(
    'warn: 1 of 1 instance types have addresses for fewer than 29 pods: m5.large 20.',
  );
});

test('podsPerCore counts', () => {
  const files = podFiles('110\n    podsPerCore: 10', ['m5.large']);
  expect(podsOf({ ...files, ...OFF })).toMatch(/^pass: /);
});

test('the settings of the add-on in Terraform are read where there is no DaemonSet', () => {
  const addon = (value: string) => ({
    'main.tf': `resource "aws_eks_addon" "cni" {
  addon_name           = "vpc-cni"
  configuration_values = jsonencode({ env = { ENABLE_PREFIX_DELEGATION = ${value} } })
}
`,
  });
  const files = podFiles('110', ['m5.large']);
  expect(podsOf({ ...files, ...addon('"true"') })).toMatch(/^pass: /);
  expect(podsOf({ ...files, ...addon('"false"') })).toMatch(/^warn: /);
  expect(podsOf({ ...files, ...addon('var.prefixes') })).toMatch(/^skip: /);
});

test('settings of the CNI that are not known are never a pass', () => {
  const files = podFiles('17', ['m5.large']);
  expect(podsOf(files)).toBe(
    'skip: Whether the CNI delegates prefixes (ENABLE_PREFIX_DELEGATION) is not known.',
  );
  expect(podsOf({ ...files, 'cluster.yaml': liveCluster(aNode('a')) })).toBe(
    'skip: The cluster has no DaemonSet aws-node, and how another CNI gives addresses is not known.',
  );
});
