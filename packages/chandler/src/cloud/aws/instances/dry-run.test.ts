/** With which instance type and tenancy a node class is validated, in regions where not every type has a price. */
import { stored, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { EC2NodeClassStatus } from '../../../api/index.ts';
import type { AmiFamily } from '../../../bootstrap/index.ts';
import { hardcoded } from '../../../settings/index.ts';
import { UnavailableOfferings } from '../../index.ts';
import { aNodeClass, OPTIONS } from '../aws.fixture.ts';
import { IMAGE_FAMILIES } from '../images/image-families.table.ts';
import { ObservedMemory, TypeLists } from '../instance-types/index.ts';
import { offlineTypes } from '../instance-types/offline-types.ts';
import type { ClassPool } from '../node-class/index.ts';
import { NO_ZONAL_SHIFT } from '../offerings/index.ts';
import { PriceList } from '../prices/index.ts';
import { dryRunRequests } from './dry-run.ts';

const world = virtualWorld();

interface Setup {
  readonly region?: string;
  readonly family?: AmiFamily;
  readonly pools?: readonly ClassPool[];
  /** That the region sells; all unless given. */
  readonly types?: readonly string[];
}

function requests({ region = 'us-east-1', family = 'AL2023', pools = [], types }: Setup = {}) {
  const zone = `${region}a`;
  const lists = new TypeLists({
    region,
    options: OPTIONS,
    reservedCapacity: true,
    prices: new PriceList(region),
    unavailable: new UnavailableOfferings({ clock: world.clock }),
    observedMemory: new ObservedMemory(),
    reservations: { sequence: 0, freeInstances: () => 0 },
    zonalShift: NO_ZONAL_SHIFT,
  });
  const sold = offlineTypes().filter(({ InstanceType = '' }) => types?.includes(InstanceType) ?? true);
  lists.setTypes(sold);
  lists.setZones(sold.map(({ InstanceType }) => ({ InstanceType, Location: zone })));
  const nodeClass = classOf(family, zone);
  return dryRunRequests(
    {
      world,
      cluster: { current: () => factsIn(region) },
      market: { loaded: true, refreshIfDue: async () => {}, typesFor: (each) => lists.forNodeClass(each) },
      options: () => ({ minValuesPolicy: 'Strict', reservedCapacity: true }),
    },
    {} as never,
    nodeClass,
    pools,
  );
}

const typeOf = (setup: Setup) => requests(setup).runInstances[0]!.InstanceType;

function aPool(name: string, requirements: Readonly<Record<string, readonly string[]>>): ClassPool {
  return {
    name,
    requirements: Object.entries(requirements).map(([key, values]) => ({ key, operator: 'In', values })),
  };
}

const FAMILY = 'karpenter.k8s.aws/instance-family';
const TYPE = 'node.kubernetes.io/instance-type';
const TENANCY = 'karpenter.k8s.aws/instance-tenancy';

describe('a class without NodePools is validated', () => {
  test.each(['us-east-1', 'us-gov-west-1', 'eu-central-1', 'cn-north-1'])('with m5.large in %s', (region) => {
    expect(typeOf({ region })).toBe('m5.large');
    expect(typeOf({ region, family: 'Windows2022' })).toBe('m5.large');
  });

  test('with m6g.large where m5.large is not sold', () => {
    expect(typeOf({ types: ['t3.micro', 'm6g.large'] })).toBe('m6g.large');
  });

  test('with the cheapest other type where neither is sold', () => {
    expect(typeOf({ types: ['c5.4xlarge', 'c5.large', 'c5.xlarge'] })).toBe('c5.large');
  });

  test('without a GPU where any other type is sold', () => {
    expect(typeOf({ types: ['g4dn.xlarge', 'c5.24xlarge'] })).toBe('c5.24xlarge');
    expect(typeOf({ types: ['g4dn.xlarge'] })).toBe('g4dn.xlarge');
  });

  test('with a type that has no price only where no other has one', () => {
    const unpriced = 'hpc7a.12xlarge';
    expect(new PriceList('us-east-1').onDemand(unpriced)).toBeUndefined();
    expect(typeOf({ types: [unpriced, 'c5.24xlarge'] })).toBe('c5.24xlarge');
    expect(typeOf({ types: [unpriced] })).toBe(unpriced);
  });
});

describe('a class with NodePools is validated', () => {
  test('with the cheapest type that one of them allows', () => {
    const pools = [aPool('a', { [TYPE]: ['c6i.4xlarge', 'c6i.2xlarge'] }), aPool('b', { [FAMILY]: ['r5'] })];
    expect(typeOf({ pools })).toBe('r5.large');
    expect(typeOf({ pools: pools.slice(0, 1) })).toBe('c6i.2xlarge');
  });

  test('with m5.large where they allow it', () => {
    expect(typeOf({ pools: [aPool('a', { [FAMILY]: ['t3', 'm5'] })] })).toBe('m5.large');
  });

  test('with m5.large where they allow nothing that is sold, and for Windows', () => {
    expect(typeOf({ pools: [aPool('a', { [TYPE]: ['x99.large'] })] })).toBe('m5.large');
    expect(typeOf({ family: 'Windows2022', pools: [aPool('a', { [FAMILY]: ['c5'] })] })).toBe('m5.large');
  });

  test('as if a pool that cannot be read were not there', () => {
    const broken: ClassPool = { name: 'a', requirements: [{ key: FAMILY, operator: 'Gt', values: ['x'] }] };
    expect(typeOf({ pools: [broken, aPool('b', { [FAMILY]: ['c5'] })] })).toBe('c5.large');
  });

  test('with dedicated tenancy where that is what they ask for', () => {
    const tenancy = (pools: readonly ClassPool[]) =>
      requests({ pools }).createLaunchTemplate.LaunchTemplateData!.Placement!.Tenancy;
    expect(tenancy([])).toBe('default');
    expect(tenancy([aPool('a', { [FAMILY]: ['c5'], [TENANCY]: ['dedicated'] })])).toBe('dedicated');
    expect(tenancy([aPool('a', { [TENANCY]: ['dedicated', 'default'] })])).toBe('default');
    const mixed = [
      aPool('a', { [FAMILY]: ['c5'] }),
      aPool('b', { [FAMILY]: ['m5'], [TENANCY]: ['dedicated'] }),
    ];
    expect(tenancy(mixed)).toBe('dedicated');
  });
});

// ---------------------------------------------------------------------------------------------------------------

function classOf(family: AmiFamily, zone: string) {
  const alias = family === 'AL2023' ? 'al2023@latest' : `${family.toLowerCase()}@latest`;
  const amis = IMAGE_FAMILIES[family].images.flatMap((image, index) => {
    const arch = image.parameter('1.34', 'latest').includes('arm64') ? 'arm64' : 'amd64';
    return image.requirements.map((requirements) => ({
      id: `ami-${index}`,
      requirements: [...requirements, { key: 'kubernetes.io/arch', operator: 'In' as const, values: [arch] }],
    }));
  });
  const status = {
    instanceProfile: 'nodes',
    securityGroups: [{ id: 'sg-1' }],
    amis,
    subnets: [{ id: 'subnet-a', zone }],
  };
  const { metadata, ...rest } = aNodeClass({ amiSelectorTerms: [{ alias }] }, status as EC2NodeClassStatus);
  return stored({ ...rest, metadata: { ...metadata, name: 'default' } });
}

function factsIn(region: string) {
  return {
    name: hardcoded('playground'),
    endpoint: hardcoded('https://example.eks.amazonaws.com'),
    caBundle: hardcoded('Y2E='),
    serviceCidr: hardcoded('172.20.0.0/16'),
    dnsIp: hardcoded('172.20.0.10'),
    ipFamily: 'ipv4' as const,
    kubernetesVersion: hardcoded('1.34'),
    region: hardcoded(region),
    partition: 'aws',
    accountId: hardcoded('111122223333'),
  };
}
