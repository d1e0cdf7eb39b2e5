import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dnsAddressOf } from '../bootstrap/aws-explain.ts';
import { chandler, variablesOf } from './bootstrap.fixture.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-bootstrap-aws-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const classYaml = (spec: string) => `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: batch }
spec:
  role: nodes
  subnetSelectorTerms: [{ id: subnet-1 }]
  securityGroupSelectorTerms: [{ id: sg-1 }]
  ${spec}
`;
const POOL = `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: pool }
spec:
  template:
    metadata: { labels: { team: research } }
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: batch }
      requirements:
        - { key: karpenter.sh/capacity-type, operator: In, values: [on-demand, spot] }
        - { key: karpenter.k8s.aws/instance-family, operator: In, values: [g5] }
      taints: [{ key: gpu, value: 'yes', effect: NoSchedule }]
      startupTaints: [{ key: cni, effect: NoExecute }]
`;

describe('chandler bootstrap --cloud aws', () => {
  test('explains a built-in example, offline, with the source of every value', async () => {
    const { code, out, err } = await chandler(['explain', '--cloud', 'aws', '-o', 'json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const variables = variablesOf(out);
    expect([...variables.keys()]).toEqual([
      'spec.cluster.name',
      'spec.cluster.apiServerEndpoint',
      'spec.cluster.certificateAuthority',
      'spec.cluster.cidr',
      'spec.kubelet.config.clusterDNS',
      'spec.kubelet.config.maxPods',
      'spec.kubelet.config.registerWithTaints',
      'spec.kubelet.flags',
    ]);
    for (const { source } of variables.values()) expect(source).not.toBe('');
  });

  test.each([{ KUBELET_BOOTSTRAP_TOKEN_FILE: '/nowhere' }, { VM_MEMORY_OVERHEAD_PERCENT: 'much' }])(
    'ignores environment variables of Azure, also where they are invalid: %o',
    async (env) => {
      const ofAws = file('of-aws.yaml', classYaml('amiSelectorTerms: [{ alias: al2023@latest }]'));
      for (const args of [
        ['--cloud', 'aws'],
        ['-f', ofAws],
      ])
        expect(await chandler(['explain', ...args], env)).toMatchObject({ code: 0 });
      const [name] = Object.keys(env);
      const ofAzure = await chandler(['explain', '--cloud', 'azure'], env);
      expect(ofAzure).toMatchObject({ code: 2, out: '' });
      expect(ofAzure.err).toContain(name);
      const both = await chandler(['explain', '--cloud', 'aws', '--max-pods', 'many'], env);
      expect(both.err).toContain('--max-pods');
      expect(both.err).not.toContain(name);
    },
  );

  test.each([
    ['no requirement', '', 'spot'],
    ['not on-demand', 'operator: NotIn, values: [on-demand]', 'spot'],
    ['on-demand or reserved', 'operator: In, values: [on-demand, reserved]', 'reserved'],
    ['on-demand', 'operator: In, values: [on-demand]', 'on-demand'],
  ])('the capacity type is the one that a launch prefers: %s', async (name, requirement, expected) => {
    const pool = POOL.replace(
      /.*capacity-type.*\n/,
      requirement === '' ? '' : `        - { key: karpenter.sh/capacity-type, ${requirement} }\n`,
    );
    const path = file(`${name}.yaml`, classYaml('amiSelectorTerms: [{ alias: bottlerocket@latest }]') + pool);
    const { out, err } = await chandler(['explain', '-o', 'json', '-f', path, '--max-pods', '58']);
    expect(err).toBe('');
    const labels = variablesOf(out).get('settings.kubernetes.node-labels')!.value;
    expect(JSON.parse(labels)).toMatchObject({ 'karpenter.sh/capacity-type': expected });
  });

  test('a class, a pool and its labels and taints come from files, and name the cloud', async () => {
    const path = file('own.yaml', classYaml('amiSelectorTerms: [{ alias: bottlerocket@latest }]') + POOL);
    const { out, err } = await chandler(['explain', '-o', 'json', '-f', path, '--max-pods', '58']);
    expect(err).toBe('');
    const variables = variablesOf(out);
    expect(JSON.parse(variables.get('settings.kubernetes.node-labels')!.value)).toEqual({
      'karpenter.k8s.aws/ec2nodeclass': 'batch',
      'karpenter.k8s.aws/instance-family': 'g5',
      'karpenter.sh/capacity-type': 'spot',
      'karpenter.sh/do-not-sync-taints': 'true',
      'karpenter.sh/nodepool': 'pool',
      team: 'research',
    });
    expect(variables.get('settings.kubernetes.node-taints')).toMatchObject({
      value: '{"cni":[":NoExecute"],"gpu":["yes:NoSchedule"],"karpenter.sh/unregistered":[":NoExecute"]}',
      source: 'NodePool',
      path: 'spec.template.spec.taints, spec.template.spec.startupTaints',
    });
    expect(variables.get('settings.kubernetes.max-pods')).toMatchObject({
      value: '58',
      source: 'flag',
      path: '--max-pods',
    });
  });

  test('renders as text, JSON and base64', async () => {
    const args = ['render', '--cloud', 'aws'];
    const { out } = await chandler(args);
    expect(out).toMatch(/^MIME-Version: 1\.0\n/);
    expect(Buffer.from((await chandler([...args, '-o', 'base64'])).out, 'base64').toString()).toBe(out);
    const json = JSON.parse((await chandler([...args, '-o', 'json'])).out);
    expect(json).toMatchObject({ script: out, bytes: Buffer.byteLength(out) });
  });

  test('shows one value in full, by its whole name or its last part', async () => {
    const args = ['explain', '--cloud', 'aws'];
    const whole = (await chandler([...args, 'spec.kubelet.config.maxPods'])).out;
    expect(whole).toContain('value    29');
    expect((await chandler([...args, 'maxpods'])).out).toBe(whole);
  });

  test('flags and environment variables of the controller are used, and show as sources', async () => {
    const { out } = await chandler(
      ['explain', '--cloud', 'aws', '-o', 'json', '--service-cidr', '172.20.0.0/16'],
      { CLUSTER_NAME: 'prod', CLUSTER_ENDPOINT: 'https://prod.example' },
    );
    const variables = variablesOf(out);
    expect(variables.get('spec.cluster.name')).toMatchObject({
      value: 'prod',
      source: 'env',
      path: 'CLUSTER_NAME',
    });
    expect(variables.get('spec.cluster.apiServerEndpoint')).toMatchObject({ value: 'https://prod.example' });
    expect(variables.get('spec.kubelet.config.clusterDNS')).toMatchObject({
      value: '["172.20.0.10"]',
      source: 'computed',
      path: '--service-cidr',
    });
  });

  test('names the SSM parameter of the image', async () => {
    const { out } = await chandler(['explain', '--cloud', 'aws', '--kubernetes-version', '1.35.1']);
    expect(out).toContain(
      'Image from SSM parameter /aws/service/eks/optimized-ami/1.35/amazon-linux-2023/x86_64/standard/recommended/image_id and 4 others',
    );
  });

  test('warnings go to standard error, with file and line', async () => {
    const path = file(
      'warn.yaml',
      classYaml('amiSelectorTerms: [{ alias: al2023@latest }]\n  userData: echo hi'),
    );
    const { code, out, err } = await chandler(['render', '-f', path]);
    expect(code).toBe(0);
    expect(out).toContain('echo hi');
    expect(err).toContain(
      `warning: ${path}:9: EC2NodeClass/batch: spec.userData: part 1: a script without a #! line`,
    );
  });

  test.each([
    ['10.100.0.0/16', '10.100.0.10'],
    ['fd30:1c53:5f8a::/108', 'fd30:1c53:5f8a::a'],
    ['10.100.0.0', undefined],
    ['10.100.0.300/16', undefined],
    ['10.100.0.0/30', undefined],
    ['nonsense', undefined],
  ])('the DNS server of %s is %s', (cidr, expected) => {
    expect(dnsAddressOf(cidr)).toBe(expected);
  });
});

describe('chandler bootstrap --cloud aws says what is wrong', () => {
  const withClass = (name: string, spec: string) => ['render', '-f', file(name, classYaml(spec))];

  test.each<[string, () => string[], string]>([
    [
      'a flag of the other cloud',
      () => ['render', '--cloud', 'aws', '--location', 'eastus'],
      '--location: has no effect on a node of AWS',
    ],
    [
      'a flag of AWS on Azure',
      () => ['render', '--service-cidr', '10.0.0.0/16'],
      '--service-cidr: has no effect on a node of Azure',
    ],
    ['a cloud that is none', () => ['render', '--cloud', 'gcp'], '--cloud'],
    [
      'a range that is none',
      () => ['render', '--cloud', 'aws', '--service-cidr', 'x'],
      '--service-cidr: expected a range',
    ],
    [
      'a type without its pods',
      () => ['render', '--cloud', 'aws', '--instance-type', 'm7g.large'],
      'add --max-pods',
    ],
    [
      'a value that is none',
      () => ['explain', '--cloud', 'aws', 'spec.cluster.nam'],
      'did you mean spec.cluster.name?',
    ],
    [
      'an alias with two versions',
      () => withClass('alias.yaml', 'amiSelectorTerms: [{ alias: al2@v1@v2 }]'),
      'alias.yaml:8: EC2NodeClass/batch: spec.amiSelectorTerms[0].alias: "al2@v1@v2" has two versions; write al2@v1',
    ],
    [
      'an image family without images for the version',
      () => withClass('al2.yaml', 'amiSelectorTerms: [{ alias: al2@latest }]'),
      'spec.amiSelectorTerms[0].alias: AWS publishes no AL2 images for Kubernetes 1.33 and later',
    ],
    [
      'a setting that the family does not honour',
      () =>
        withClass(
          'kubelet.yaml',
          'amiSelectorTerms: [{ alias: bottlerocket@latest }]\n  kubelet: { podsPerCore: 5 }',
        ),
      'kubelet.yaml:9: EC2NodeClass/batch: spec.kubelet.podsPerCore: nodes of the image family Bottlerocket do not honour',
    ],
    [
      'user data in no known format',
      () => withClass('toml.yaml', 'amiSelectorTerms: [{ alias: bottlerocket@latest }]\n  userData: echo hi'),
      'toml.yaml:9: EC2NodeClass/batch: spec.userData: line 1',
    ],
    [
      'user data that is too large',
      () =>
        withClass(
          'large.yaml',
          `amiSelectorTerms: [{ alias: al2023@latest }]\n  userData: "#!/bin/sh ${'x'.repeat(17_000)}"`,
        ),
      'large.yaml:9: EC2NodeClass/batch: spec.userData: the user data of a node has',
    ],
    [
      'a field of the wrong type',
      () => withClass('type.yaml', 'amiSelectorTerms: [{ alias: al2023@latest }]\n  detailedMonitoring: 3'),
      'spec.detailedMonitoring: expected',
    ],
    [
      'an empty item of a list',
      () => withClass('empty.yaml', 'amiSelectorTerms: [null]'),
      'spec.amiSelectorTerms[0]: expected fields (name: value), got nothing',
    ],
    [
      'a pool of another class',
      () => [
        'render',
        '-f',
        file(
          'pool.yaml',
          classYaml('amiSelectorTerms: [{ id: ami-1 }]\n  amiFamily: AL2023').replace(
            'name: batch',
            'name: other',
          ) + POOL,
        ),
      ],
      'references EC2NodeClass batch, but the files have other',
    ],
    [
      'a file without our kinds',
      () => ['render', '--cloud', 'aws', '-f', file('pod.yaml', 'kind: Pod\napiVersion: v1\n')],
      'no EC2NodeClass, NodePool or NodeClaim',
    ],
  ])('%s', async (_, args, message) => {
    const { code, out, err } = await chandler(args());
    expect(err).toContain(message);
    expect(code).not.toBe(0);
    expect(out).toBe('');
  });
});
