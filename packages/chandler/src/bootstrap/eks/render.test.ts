import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { bindsDefaultDirectories } from './bottlerocket.ts';
import { anEksInput, type EksInputOverrides } from './eks.fixture.ts';
import type { AmiFamily } from './input.ts';
import { unsupportedKubeletFields } from './kubelet-settings.ts';
import { mediaTypeOf, parseMime } from './mime.ts';
import { eksKubeletLabels } from './node-settings.ts';
import { renderUserData } from './render.ts';
import { USER_DATA_LIMIT_BYTES, USER_DATA_WARNING_BYTES, UserDataError } from './user-data.ts';

const render = (overrides: EksInputOverrides) => renderUserData(anEksInput(overrides));

function refusal(overrides: EksInputOverrides): UserDataError {
  try {
    render(overrides);
  } catch (error) {
    if (error instanceof UserDataError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

const ALL: readonly AmiFamily[] = ['AL2', 'AL2023', 'Bottlerocket', 'Windows2022', 'Custom'];

describe('the size of user data', () => {
  const custom = (bytes: number) =>
    ({ family: 'Custom', spec: { userData: 'karpenter.sh/unregistered'.padEnd(bytes, 'x') } }) as const;

  test('is limited to what EC2 accepts, before it is encoded', () => {
    expect(render(custom(USER_DATA_LIMIT_BYTES)).bytes).toBe(16_384);
    const error = refusal(custom(USER_DATA_LIMIT_BYTES + 1));
    expect(error.code).toBe('userDataTooLarge');
    expect(error.message).toContain('16385 bytes; the limit of EC2 is 16384');
  });

  test('is counted in bytes, not in characters', () => {
    const text = `karpenter.sh/unregistered${'é'.repeat(8_200)}`;
    expect(refusal({ family: 'Custom', spec: { userData: text } }).code).toBe('userDataTooLarge');
  });

  test('gives a warning from 90 % on', () => {
    expect(render(custom(USER_DATA_WARNING_BYTES - 1)).warnings).toEqual([]);
    expect(render(custom(USER_DATA_WARNING_BYTES)).warnings.map(({ code }) => code)).toEqual([
      'nearSizeLimit',
    ]);
  });
});

describe('kubelet settings', () => {
  test.each([
    ['AL2', 'shutdownGracePeriod', '30s'],
    ['Windows2022', 'evictionMinimumReclaim', { 'memory.available': '1Gi' }],
    ['Bottlerocket', 'podsPerCore', 5],
    ['Bottlerocket', 'clusterDNS', ['10.0.0.1', '10.0.0.2']],
    ['AL2023', 'registerWithTaints', []],
  ] as const)('%s refuses %s', (family, field, value) => {
    const kubelet = { [field]: value };
    expect(unsupportedKubeletFields(family, kubelet).map((each) => each.field)).toEqual([field]);
    expect(refusal({ family, spec: { kubelet } as never })).toMatchObject({
      code: 'unsupportedKubelet',
      path: `spec.kubelet.${field}`,
    });
  });

  test('AL2023 passes any other field on', () => {
    const { text } = render({ spec: { kubelet: { shutdownGracePeriod: '30s', 'a b': ['on'] } as never } });
    const config = parse(parseMime(text, '')[0]!.body);
    expect(config.spec.kubelet.config).toMatchObject({
      shutdownGracePeriod: '30s',
      'a b': ['on'],
      maxPods: 29,
    });
  });

  test('Custom ignores them, and says so', () => {
    const { text, warnings } = render({ family: 'Custom', spec: { kubelet: { maxPods: 5 } } });
    expect(text).toBe('');
    expect(warnings[0]).toMatchObject({ code: 'ignoredByFamily', path: 'spec.kubelet' });
  });

  test.each([
    ['maxPods', 1.5, 'a whole number'],
    ['cpuCFSQuota', 'no', 'true or false'],
    ['clusterDNS', '10.0.0.10', 'a list of texts'],
    ['kubeReserved', { cpu: 'vcpus * 10' }, 'an expression is evaluated'],
    ['evictionHard', { 'memory.available': 'much' }, 'quantities or percentages'],
    ['evictionSoftGracePeriod', { 'memory.available': '2 minutes' }, 'durations such as 2m'],
  ])('%s of another type is refused with its field', (field, value, expected) => {
    const error = refusal({ family: 'AL2', spec: { kubelet: { [field]: value } } as never });
    expect(error).toMatchObject({ code: 'invalidValue', path: `spec.kubelet.${field}` });
    expect(error.message).toContain(expected);
  });

  test('expressions are replaced by their results, and the source says so', () => {
    const { text, values } = render({
      family: 'AL2',
      spec: { kubelet: { maxPods: 'vcpus * 10', kubeReserved: { cpu: 'vcpus * 10' } } },
      node: { maxPods: { value: 20, source: 'computed', path: 'm5.large' }, kubeReserved: { cpu: '20m' } },
    });
    expect(text).toContain('--max-pods=20 --kube-reserved="cpu=20m"');
    expect(values.find(({ name }) => name === 'kubelet --kube-reserved')).toMatchObject({
      source: 'computed',
      path: 'spec.kubelet.kubeReserved, instance type',
    });
  });

  test('the DNS server of the class wins over the one of the cluster; without either there is none', () => {
    expect(render({ family: 'AL2', spec: { kubelet: { clusterDNS: ['1.2.3.4'] } } }).text).toContain(
      "--dns-cluster-ip '1.2.3.4'",
    );
    const dnsIp = { value: '', source: 'cluster', path: '' } as const;
    for (const family of ALL) {
      expect(render({ family, cluster: { dnsIp } }).text).not.toMatch(/dns/i);
    }
  });
});

describe('labels and taints', () => {
  test('a kubelet does not set labels of Kubernetes on its own node', () => {
    expect(
      eksKubeletLabels({
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': 'a',
        'x.k8s.io/y': '1',
        'mykubernetes.io/y': '1',
        'karpenter.k8s.aws/instance-cpu': '4',
        team: 'shop',
      }),
    ).toEqual({ 'karpenter.k8s.aws/instance-cpu': '4', 'mykubernetes.io/y': '1', team: 'shop' });
  });

  test('every family but Custom tells that its nodes have their taints', () => {
    for (const family of ALL) {
      expect(render({ family }).text.includes('karpenter.sh/do-not-sync-taints')).toBe(family !== 'Custom');
    }
  });

  test('the taint of an unregistered node is not repeated', () => {
    const taints = [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }] as const;
    expect(render({ family: 'AL2', taints }).text.match(/karpenter\.sh\/unregistered/g)).toHaveLength(1);
  });
});

describe('values that cannot be passed on', () => {
  test.each([
    [
      'a quote in a cluster name',
      { cluster: { name: { value: "a'; rm", source: 'env', path: 'CLUSTER_NAME' } } },
      'CLUSTER_NAME',
    ],
    [
      'a quote in a DNS server',
      { spec: { kubelet: { clusterDNS: ["10.0.0.1' -x"] } } },
      'spec.kubelet.clusterDNS',
    ],
  ] as const)('%s is refused by the families with a script', (_, overrides, path) => {
    for (const family of ['AL2', 'Windows2022'] as const) {
      expect(refusal({ family, ...overrides } as EksInputOverrides)).toMatchObject({
        code: 'invalidValue',
        path,
      });
    }
  });

  test('a quote in a label is refused wherever labels are a flag', () => {
    for (const family of ['AL2', 'AL2023', 'Windows2022'] as const) {
      expect(refusal({ family, labels: { team: 'a" --x="' } }).code).toBe('invalidValue');
    }
  });

  test('a CA bundle that is not base64', () => {
    const caBundle = { value: '-----BEGIN', source: 'flag', path: '--cluster-ca-bundle' } as const;
    expect(refusal({ cluster: { caBundle } })).toMatchObject({ path: '--cluster-ca-bundle' });
  });

  test('AL2023 cannot start without the service CIDR', () => {
    const serviceCidr = { value: '', source: 'cluster', path: '' } as const;
    expect(refusal({ cluster: { serviceCidr } }).code).toBe('serviceCidrUnknown');
    expect(render({ family: 'AL2', cluster: { serviceCidr } }).warnings).toEqual([]);
  });
});

describe('Bottlerocket', () => {
  const bottlerocket = (userData: string) => render({ family: 'Bottlerocket', spec: { userData } });

  test('keeps every setting of the user, with its type', () => {
    const { text } = bottlerocket(
      '[settings.kubernetes]\nnew-key = 1.0\nbig = 9007199254740993\n[settings.x]\nd = 2026-01-01\n',
    );
    expect(text).toContain('new-key = 1.0');
    expect(text).toContain('big = 9007199254740993');
    expect(text).toContain('d = 2026-01-01');
  });

  test('says which settings of the user are replaced, and where to set them', () => {
    const { warnings, text } = bottlerocket(
      '[settings.kubernetes]\nmax-pods = 5\ncluster-name = "shop"\n[settings.kubernetes.node-taints]\na = ["b:NoSchedule"]\n',
    );
    expect(warnings.map(({ code, message }) => `${code} ${message}`)).toEqual([
      'replaced settings.kubernetes.max-pods is replaced: set spec.kubelet.maxPods',
      'replaced settings.kubernetes.node-taints is replaced: set taints on the NodePool',
    ]);
    expect(parseToml(text)).toMatchObject({
      settings: {
        kubernetes: { 'max-pods': 29, 'node-taints': { 'karpenter.sh/unregistered': [':NoExecute'] } },
      },
    });
  });

  test('what is not below settings is dropped with a warning', () => {
    expect(bottlerocket('motd = "x"\n').warnings).toMatchObject([{ code: 'dropped' }]);
  });

  test.each([
    ['#!/bin/bash\necho hi\n', 'line 2, column'],
    ['settings = 1\n', 'settings is not a table'],
    ['[settings]\nkubernetes = "x"\n', 'settings.kubernetes is not a table'],
  ])('%j is refused', (userData, expected) => {
    const error = refusal({ family: 'Bottlerocket', spec: { userData } });
    expect(error.code).toBe('malformedUserData');
    expect(error.message).toContain(expected);
  });

  test.each([
    ['latest', true],
    ['v1.46.0', true],
    ['1.46.0', true],
    ['2.0.0', true],
    ['1.45.9', false],
    ['1.46', false],
    ['', false],
    ['nonsense', false],
  ])('version %j binds its directories itself: %s', (version, expected) => {
    expect(bindsDefaultDirectories(version)).toBe(expected);
  });
});

describe('Windows', () => {
  const windows = (userData: string) => render({ family: 'Windows2022', spec: { userData } });

  test('a block of the user is opened, so that there is one block', () => {
    const { text } = windows('<powershell>\r\nWrite-Host a\r\n</powershell>\r\n<persist>true</persist>\r\n');
    expect(text.match(/<powershell>/g)).toHaveLength(1);
    expect(text).toMatch(/^<powershell>\nWrite-Host a\n/);
    expect(text).toMatch(/<\/powershell>\n<persist>true<\/persist>$/);
  });

  test.each([
    '<script>echo hi</script>',
    '<powershell>a</powershell><powershell>b</powershell>',
    'a\n</powershell>',
  ])('%j is refused', (userData) => {
    expect(refusal({ family: 'Windows2022', spec: { userData } }).code).toBe('malformedUserData');
  });

  test('has no use for the local disks, and says so', () => {
    expect(render({ family: 'Windows2022', spec: { instanceStorePolicy: 'RAID0' } }).warnings).toMatchObject([
      { code: 'ignoredByFamily', path: 'spec.instanceStorePolicy' },
    ]);
  });
});

describe('AL2023', () => {
  test("the user's parts come first, the node's NodeConfig last, and texts stay texts in every YAML", () => {
    const { text } = render({
      spec: { userData: '#!/bin/sh\n', kubelet: { x: 'on', y: '12:30', z: '0o7' } as never },
    });
    const parts = parseMime(text, '');
    expect(parts.map(mediaTypeOf)).toEqual(['text/x-shellscript', 'application/node.eks.aws']);
    for (const version of ['1.1', '1.2'] as const) {
      expect(parse(parts[1]!.body, { version }).spec.kubelet.config).toMatchObject({
        x: 'on',
        y: '12:30',
        z: '0o7',
      });
    }
  });
});

test.each(['noProxy: *.internal\n', 'a: *b\n'])(
  'AL2023 user data %j is no map, and no error of the program',
  (userData) => {
    const { warnings } = render({ family: 'AL2023', spec: { userData } });
    expect(warnings.length).toBeGreaterThan(0);
  },
);
