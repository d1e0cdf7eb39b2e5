/** Values that look right and are not, and values that look wrong and are right. */
import { describe, expect, test } from 'vitest';
import { aNodeClass, aNodePool, aResource, aState } from './examples/example.ts';
import { judged, statusesOf } from './examples/judged.ts';

const ofClass = (spec: string) => ({ 'class.yaml': aNodeClass(spec) });
const ofPool = (spec: string) => ({ 'pool.yaml': aNodePool(spec) });
const userData = (family: string, text: string) =>
  ofClass(`  amiFamily: ${family}\n  userData: ${JSON.stringify(text)}`);
const values = (text: string) => ({ 'values.yaml': `settings: {clusterName: shop}\n${text}` });

test.each(['Required', 'yes', 'true', 'optionl', '""', '[required]'])('httpTokens: %s fails', (text) => {
  expect(statusesOf('S-35', ofClass(`  metadataOptions:\n    httpTokens: ${text}`))).toEqual(['fail']);
});

describe('user data', () => {
  test.each<readonly [family: string, text: string]>([
    ['Bottlerocket', '#!/bin/bash\necho hello'],
    ['Bottlerocket', 'settings = 1'],
    ['AL2023', 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\n--x\n'],
    ['AL2023', 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="x"\n\n--x\nno end'],
    ['AL2', 'x'.repeat(17_000)],
  ])('of %s that no node can start with fails: %j', (family, text) => {
    expect(statusesOf('K-72', userData(family, text))).toEqual(['fail']);
  });

  test.each([
    '#!/bin/bash\nDB_PASSWORD=abc',
    '#!/bin/bash\nexport API_TOKEN="x1"',
    '#!/bin/bash\ncurl -u admin:hunter2 https://example.com',
    '#!/bin/bash\nlogin --password abc',
    '#!/bin/bash\nAWS_ACCESS=AKIAIOSFODNN7EXAMPLE',
  ])('with a secret, however short, warns: %j', (text) => {
    expect(statusesOf('K-72', userData('AL2023', text))).toEqual(['warn']);
    expect(JSON.stringify(judged(userData('AL2023', text)).findings)).not.toMatch(/abc|hunter2|AKIA/);
  });

  test.each([
    '#!/bin/bash\nDB_PASSWORD=$(aws secretsmanager get-secret-value --secret-id db)',
    '#!/bin/bash\nDB_PASSWORD="$FROM_STORE"',
    '#!/bin/bash\nTOKEN=`curl -X PUT http://169.254.169.254/latest/api/token`',
    '#!/bin/bash\ncat /etc/password-file',
  ])('that reads a secret when the node starts passes: %j', (text) => {
    expect(statusesOf('K-72', userData('AL2023', text))).toEqual(['pass']);
  });

  test('with several faults names all of them', () => {
    const text = `#!/bin/bash\n/etc/eks/bootstrap.sh shop\nDB_PASSWORD=abc`;
    const [finding] = judged(userData('AL2', text)).findings.filter(({ id }) => id === 'K-72');
    expect(finding?.message).toMatch(/bootstrap\.sh.*secret/);
  });
});

describe('NodePools', () => {
  test('a lifetime that is no duration fails a check that counts', () => {
    expect(statusesOf('S-42', ofPool('  template:\n    spec:\n      expireAfter: 30d'))).toEqual(['fail']);
  });

  test('a policy of an old version does not consolidate', () => {
    expect(statusesOf('S-70', ofPool('  disruption:\n    consolidationPolicy: WhenUnderutilized'))).toEqual([
      'warn',
    ]);
  });

  test('empty limits are none', () => {
    expect(statusesOf('K-14', ofPool('  limits: {}'))).toEqual(['skip']);
  });

  test('a DaemonSet that tolerates everything does not use a pool with taints', () => {
    const pool = ofPool('  template:\n    spec:\n      taints: [{key: gpu, effect: NoSchedule}]');
    const daemons =
      'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: agent}\nspec:\n  template:\n    spec:\n      tolerations: [{operator: Exists}]\n';
    expect(statusesOf('S-43', { ...pool, 'agent.yaml': daemons })).toEqual(['warn']);
    const own = daemons.replace('operator: Exists', 'key: gpu, operator: Exists');
    expect(statusesOf('S-43', { ...pool, 'agent.yaml': own })).toEqual(['pass']);
  });
});

describe('Helm values', () => {
  const requests = (text: string) => values(`controller: {resources: ${text}}\n`);
  test.each([
    ['{requests: {}}', 'warn'],
    ['{requests: {cpu: 1}}', 'warn'],
    ['{requests: {cpu: 10m, memory: 1Gi}}', 'warn'],
    ['{requests: {cpu: 1, memory: 512Mi}}', 'warn'],
    ['{requests: {cpu: 1, memory: 1Gi}}', 'pass'],
    ['{limits: {cpu: 2, memory: 2Gi}}', 'pass'],
  ])('resources of the controller %s: %s', (text, status) => {
    expect(statusesOf('K-45', requests(text))).toEqual([status]);
  });

  test('the endpoint of an IPv6 cluster is one of EKS', () => {
    const endpoint = 'https://ABC123.gr7.eks-cluster.eu-west-1.api.aws';
    expect(
      statusesOf('S-17', { 'values.yaml': `settings: {clusterName: shop, clusterEndpoint: ${endpoint}}\n` }),
    ).toEqual(['pass']);
  });
});

describe('Terraform', () => {
  test('an output of a state without a value is empty', () => {
    const state = JSON.stringify({
      version: 4,
      terraform_version: '1.9.0',
      outputs: { cluster_endpoint: { value: null, type: 'string' } },
      resources: [],
    });
    const found = judged({ 'state.json': state }).findings.filter(({ id }) => id === 'S-14');
    expect(found.find(({ object }) => object === 'the endpoint')?.status).toBe('warn');
  });

  test('the role of a Fargate profile of Karpenter is not that of the controller', () => {
    const arn = 'arn:aws:iam::418295670013:role/karpenter-fargate';
    const state = aState({
      ...aResource('aws_iam_role', 'this', { name: 'karpenter-fargate', arn }),
      address: 'module.eks.module.fargate_profile["karpenter"].aws_iam_role.this',
    });
    const annotated = values(`serviceAccount: {annotations: {eks.amazonaws.com/role-arn: ${arn}}}\n`);
    expect(statusesOf('S-06', { 'state.json': state, ...annotated })).not.toContain('pass');
  });
});

describe('expectations', () => {
  const expected = { 'expectations.yaml': 'nodeClasses:\n  default: {rootVolume: 100Gi}\n' };
  test.each([
    ['{deviceName: /dev/xvda, ebs: {volumeSize: 102400Mi}}', 'pass'],
    [
      '{deviceName: /dev/xvdb, ebs: {volumeSize: 1Ti}}, {deviceName: /dev/xvda, ebs: {volumeSize: 100Gi}}',
      'pass',
    ],
    ['{deviceName: /dev/sdb, ebs: {volumeSize: 9Gi}}, {rootVolume: true, ebs: {volumeSize: 100Gi}}', 'pass'],
    ['{deviceName: /dev/xvda, ebs: {volumeSize: 90Gi}}', 'fail'],
  ])('the root volume of %s: %s', (mappings, status) => {
    const own = ofClass(`  amiFamily: AL2023\n  blockDeviceMappings: [${mappings}]`);
    expect(statusesOf('S-69', { ...own, ...expected })).toEqual([status]);
  });
});
