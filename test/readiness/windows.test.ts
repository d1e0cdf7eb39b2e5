/** What Windows nodes need, one by one, and that what is not known is no pass (K-78). */
import { describe, expect, test } from 'vitest';
import { CHECKS, type Inputs, judge } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { CLUSTER } from './examples/example.ts';
import { judged } from './examples/judged.ts';
import { windowsCluster, windowsFiles } from './examples/windows.table.ts';

const GROUPS = ['system:bootstrappers', 'system:nodes', 'eks:kube-proxy-windows'];

const entry = (type: string) => `resource "aws_eks_access_entry" "nodes" {
  principal_arn = "arn:aws:iam::418295670013:role/KarpenterNodeRole-shop"
  type          = "${type}"
}
`;
const ADDON = `resource "aws_eks_addon" "cni" {
  addon_name           = "vpc-cni"
  configuration_values = jsonencode({ enableWindowsIpam = "true" })
}
`;

function windowsOf(files: Readonly<Record<string, string>>) {
  const [found] = judged(files).findings.filter(({ id }) => id === 'K-78');
  return `${found?.status}: ${found?.message}`;
}

describe('a NodePool of Windows', () => {
  test.each([
    [
      'the CNI does not serve Windows',
      windowsCluster('false', GROUPS),
      'The CNI does not give addresses to Windows pods.',
    ],
    [
      'kube-proxy lacks its group',
      windowsCluster('true', GROUPS.slice(0, 2)),
      'aws-auth maps KarpenterNodeRole-shop without eks:kube-proxy-windows.',
    ],
    [
      'the cluster has IPv6',
      windowsCluster('true', GROUPS, 'true'),
      'Windows nodes do not work in a cluster with IPv6.',
    ],
  ])('fails if %s', (_, cluster, message) => {
    expect(windowsOf({ ...windowsFiles, 'cluster.yaml': cluster })).toBe(`fail: ${message}`);
  });

  test('an access entry for Linux fails, whatever aws-auth says', () => {
    const files = {
      ...windowsFiles,
      'main.tf': entry('EC2_LINUX'),
      'cluster.yaml': windowsCluster('true', GROUPS),
    };
    expect(windowsOf(files)).toBe(
      'fail: The access entry of KarpenterNodeRole-shop has the type EC2_LINUX, not EC2_WINDOWS.',
    );
  });

  test('passes from files alone, if the add-on, the access entry and the cluster are in Terraform', () => {
    expect(windowsOf({ ...windowsFiles, 'main.tf': CLUSTER + ADDON + entry('EC2_WINDOWS') })).toMatch(
      /^pass: /,
    );
  });

  test('fails if neither the account nor the cluster knows its role', () => {
    const without = windowsCluster('true', GROUPS)
      .split('\n---\n')
      .filter((each) => !each.includes('mapRoles'))
      .join('\n---\n');
    const inputs = inputsOf({ ...windowsFiles, 'cluster.yaml': without });
    const rows = CHECKS.filter(({ id }) => id === 'K-78');
    const findingOf = (given: Inputs) => judge(given, rows, { strict: false }).findings[0];
    expect(findingOf(inputs)?.status).toBe('skip');
    const absent = [
      {
        type: 'aws_eks_access_entry',
        name: 'KarpenterNodeRole-shop',
        at: { call: 'eks:DescribeAccessEntry' },
      },
    ];
    const live = { calls: 1, readAtMs: 0, unread: new Map<string, string>(), absent };
    expect(findingOf({ ...inputs, live })).toMatchObject({
      status: 'fail',
      message: 'Neither aws-auth nor an access entry knows KarpenterNodeRole-shop.',
    });
  });

  test('is skipped while the settings are not known', () => {
    expect(windowsOf(windowsFiles)).toMatch(/^skip: Whether enable-windows-ipam is set is not known\./);
    const unknown = `${CLUSTER}${ADDON.replace('"true"', 'var.windows')}${entry('EC2_WINDOWS')}`;
    expect(windowsOf({ ...windowsFiles, 'main.tf': unknown })).toMatch(/^skip: /);
    const noType = `${CLUSTER}${ADDON}${entry('X').replace('"X"', 'var.type')}`;
    expect(windowsOf({ ...windowsFiles, 'main.tf': noType })).toMatch(/^skip: /);
  });

  test('is what it is about: a pool of Linux is not judged', () => {
    const linux = windowsFiles['class.yaml'].replace('Windows2022', 'AL2023');
    expect(
      windowsOf({ ...windowsFiles, 'class.yaml': linux, 'cluster.yaml': windowsCluster('false', []) }),
    ).toBe('skip: there is nothing that it is about');
  });
});
