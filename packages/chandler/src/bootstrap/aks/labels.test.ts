import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../settings/index.ts';
import { aNodeInput, env, type InputOverrides, SUBNET_ID } from '../bootstrap.fixture.ts';
import {
  clusterLabelValue,
  isKubeletLabel,
  kubeletLabels,
  type LabelFacts,
  labelText,
  nodeLabels,
} from './labels.ts';
import { allowsValue, singleValuedLabels, valuesOf } from './requirement-values.ts';

type FactsOverrides = InputOverrides &
  Partial<Pick<LabelFacts, 'mode' | 'claim' | 'instanceType' | 'offering' | 'architecture'>>;

function facts(request: FactsOverrides = {}): LabelFacts {
  const { cluster, options, nodeClass } = aNodeInput(request);
  return {
    mode: request.mode ?? 'aksscriptless',
    cluster,
    options,
    nodeClass,
    image: { osSku: 'Ubuntu', effective: 'Ubuntu2204' },
    claim: request.claim ?? { labels: {}, requirements: [] },
    instanceType: request.instanceType ?? [],
    offering: request.offering ?? { capacityType: 'on-demand', placementScope: 'zonal', ultraSsd: false },
    architecture: request.architecture ?? 'amd64',
  };
}

const only = (key: string, ...values: string[]) => ({ key, operator: 'In', values });

describe('labels of a node', () => {
  test('AKS puts its own on every node', () => {
    expect(nodeLabels(facts())).toMatchObject({
      'kubernetes.azure.com/role': 'agent',
      'kubernetes.azure.com/cluster': 'MC_shop',
      'kubernetes.azure.com/mode': 'user',
      'kubernetes.azure.com/kubelet-identity-client-id': 'client',
      'kubernetes.azure.com/os-sku': 'Ubuntu',
      'kubernetes.azure.com/os-sku-requested': 'Ubuntu',
      'kubernetes.azure.com/os-sku-effective': 'Ubuntu2204',
      'kubernetes.azure.com/ebpf-dataplane': 'cilium',
      'kubernetes.azure.com/localdns-state': 'disabled',
      'karpenter.sh/do-not-sync-taints': 'true',
    });
  });

  test('each later layer wins: base, claim labels, claim requirements, instance type, offering', () => {
    const layers = ['kubernetes.azure.com/mode', 'b', 'c', 'karpenter.sh/capacity-type'];
    const [base, second, third, last] = layers as [string, string, string, string];
    const labels = nodeLabels(
      facts({
        claim: {
          labels: { [base]: 'system', [second]: 'label', [third]: 'label', [last]: 'label' },
          requirements: [only(second, 'requirement'), only(third, 'requirement'), only(last, 'requirement')],
        },
        instanceType: [only(third, 'type'), only(last, 'type')],
        offering: { capacityType: 'spot', placementScope: 'regional', ultraSsd: true },
      }),
    );
    expect(labels).toMatchObject({
      [base]: 'system',
      [second]: 'requirement',
      [third]: 'type',
      [last]: 'spot',
      'karpenter.azure.com/placement-scope': 'regional',
      'karpenter.azure.com/sku-storage-ultra-ssd': 'true',
    });
  });

  test('a spot node registers as one, although its type leaves the priority open', () => {
    const labels = nodeLabels(
      facts({
        instanceType: [only('kubernetes.azure.com/priority', 'regular', 'spot')],
        offering: { capacityType: 'spot', placementScope: 'zonal', ultraSsd: false },
      }),
    );
    expect(labels['kubernetes.azure.com/priority']).toBe('spot');
    expect(labels['kubernetes.azure.com/scalesetpriority']).toBe('spot');
  });

  test('an overlay network has labels of its own', () => {
    expect(nodeLabels(facts({ version: '1.34.0' }))).toMatchObject({
      'kubernetes.azure.com/azure-cni-overlay': 'true',
      'kubernetes.azure.com/network-subnet': 'nodes',
      'kubernetes.azure.com/nodenetwork-vnetguid': 'guid',
      'kubernetes.azure.com/podnetwork-type': 'overlay',
      'kubernetes.azure.com/network-stateless-cni': 'true',
    });
    expect(nodeLabels(facts())['kubernetes.azure.com/network-stateless-cni']).toBe('false');
    const flat = nodeLabels(facts({ options: { networkPluginMode: env('', 'NETWORK_PLUGIN_MODE') } }));
    expect(flat['kubernetes.azure.com/azure-cni-overlay']).toBeUndefined();
    expect(flat['kubernetes.azure.com/network-subnet']).toBeUndefined();
  });

  test.each([[`nodes-${'x'.repeat(58)}`], ['nodes_']])(
    'the subnet %s has a name that is no label value: the label is left out, as no kubelet starts with it',
    (name) => {
      const vnetSubnetId = env(SUBNET_ID.replace(/nodes$/, name), 'VNET_SUBNET_ID');
      const labels = nodeLabels(facts({ options: { vnetSubnetId } }));
      expect(labels).not.toHaveProperty(['kubernetes.azure.com/network-subnet']);
      expect(labels['kubernetes.azure.com/podnetwork-type']).toBe('overlay');
    },
  );

  test('FIPS and other data planes show', () => {
    const labels = nodeLabels(
      facts({ spec: { fipsMode: 'FIPS' }, options: { networkDataplane: hardcoded('azure') } }),
    );
    expect(labels['kubernetes.azure.com/fips_enabled']).toBe('true');
    expect(labels['kubernetes.azure.com/ebpf-dataplane']).toBeUndefined();
    expect(nodeLabels(facts())['kubernetes.azure.com/fips_enabled']).toBeUndefined();
  });

  test('what the mode cannot deliver is not announced', () => {
    const request = { spec: { artifactStreaming: { enabled: true } }, localDnsEnabled: true };
    const here = nodeLabels(facts(request));
    expect(here['kubernetes.azure.com/localdns-state']).toBe('disabled');
    expect(here['kubernetes.azure.com/artifactstreaming-enabled']).toBeUndefined();
    const served = nodeLabels(facts({ ...request, mode: 'bootstrappingclient' }));
    expect(served['kubernetes.azure.com/localdns-state']).toBe('enabled');
    expect(served['kubernetes.azure.com/artifactstreaming-enabled']).toBe('true');
    const arm = nodeLabels(facts({ ...request, mode: 'bootstrappingclient', architecture: 'arm64' }));
    expect(arm['kubernetes.azure.com/artifactstreaming-enabled']).toBeUndefined();
  });
});

describe('labels that a kubelet may set', () => {
  test.each([
    ['team', true],
    ['example.com/team', true],
    ['kubernetes.azure.com/mode', true],
    ['karpenter.sh/nodepool', true],
    ['kubernetes.io/hostname', true],
    ['kubernetes.io/arch', true],
    ['kubernetes.io/os', true],
    ['beta.kubernetes.io/arch', true],
    ['beta.kubernetes.io/os', true],
    ['beta.kubernetes.io/instance-type', true],
    ['node.kubernetes.io/instance-type', true],
    ['topology.kubernetes.io/zone', true],
    ['topology.kubernetes.io/region', true],
    ['failure-domain.beta.kubernetes.io/zone', true],
    ['failure-domain.beta.kubernetes.io/region', true],
    ['node.kubernetes.io/anything', true],
    ['kubelet.kubernetes.io/anything', true],
    ['sub.node.kubernetes.io/anything', true],
    ['kubernetes.io/role', false],
    ['node-role.kubernetes.io/worker', false],
    ['node-restriction.kubernetes.io/x', false],
    ['k8s.io/x', false],
    ['cloud.k8s.io/x', false],
    ['topology.kubernetes.io/other', false],
    ['notkubernetes.io/x', true],
    ['karpenter.k8s.aws/x', true],
  ])('%s: %s', (key, allowed) => {
    expect(isKubeletLabel(key)).toBe(allowed);
  });

  test('the others are dropped', () => {
    expect(kubeletLabels({ team: 'a', 'node-role.kubernetes.io/worker': '' })).toEqual({ team: 'a' });
  });

  test('the text is sorted', () => {
    expect(labelText({ b: '2', a: '1', B: '3' })).toBe('B=3,a=1,b=2');
  });
});

describe('the cluster as a label value', () => {
  test.each([
    ['MC_rg_name_eastus', 'MC_rg_name_eastus'],
    ['group(1)', 'group-1-z'],
    ['x'.repeat(70), 'x'.repeat(63)],
    [`${'x'.repeat(62)}.rest`, `${'x'.repeat(62)}z`],
    [`${'x'.repeat(61)}_`, `${'x'.repeat(61)}_z`],
  ])('%s', (group, value) => {
    expect(clusterLabelValue(group)).toBe(value);
  });
});

describe('what requirements leave open', () => {
  test('one value left is a label; several or none are not', () => {
    expect(
      singleValuedLabels([
        only('one', 'a'),
        only('two', 'a', 'b'),
        only('met', 'a', 'b'),
        only('met', 'b', 'c'),
        only('without', 'a', 'b'),
        { key: 'without', operator: 'NotIn', values: ['a'] },
        only('bounded', '1', '5'),
        { key: 'bounded', operator: 'Gt', values: ['3'] },
        { key: 'any', operator: 'Exists' },
        { key: 'not', operator: 'NotIn', values: ['x'] },
        { key: 'never', operator: 'DoesNotExist' },
        only('contradiction', 'a'),
        only('contradiction', 'b'),
      ]),
    ).toEqual({ one: 'a', met: 'b', without: 'b', bounded: '5' });
  });

  test('comparisons take whole numbers only', () => {
    const bound = (operator: string) => [
      only('n', '1', '2', '3', 'x'),
      { key: 'n', operator, values: ['2'] },
    ];
    expect(valuesOf(bound('Lt'), 'n')).toEqual(['1']);
    expect(valuesOf(bound('Lte'), 'n')).toEqual(['1', '2']);
    expect(valuesOf(bound('Gte'), 'n')).toEqual(['2', '3']);
    expect(allowsValue(bound('Gt'), 'n', '3')).toBe(true);
    expect(allowsValue(bound('Gt'), 'n', 'x')).toBe(false);
    expect(allowsValue(bound('Gt'), 'other', 'x')).toBe(true);
  });
});
