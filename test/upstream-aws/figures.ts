/** One type in one setup as upstream or this side computes it, in the same plain form. */
import { parseQuantity } from '@chandler/kube';
import type { EC2NodeClass } from '../../packages/chandler/src/api/index.ts';
import type { InstanceTypeInfo } from '../../packages/chandler/src/cloud/aws/index.ts';
import { fitTypes } from '../../packages/chandler/src/cloud/aws/testing.ts';
import type { LabelRequirement } from '../../packages/chandler/src/scheduling/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';

import type { Setup } from './setups.ts';

export interface Figures {
  readonly labels: Readonly<Record<string, string>>;
  readonly capacity: Amounts;
  readonly kubeReserved: Amounts;
  readonly systemReserved: Amounts;
  readonly eviction: Amounts;
  readonly allocatable: Amounts;
}

type Amounts = Readonly<Record<string, string>>;

/** Labels that the release of upstream that is compared does not set on types, each with what this side does. */
export const OWN_LABELS: readonly string[] = [
  // Newer than the release.
  'karpenter.k8s.aws/nitro-sandbox',
  // Upstream leaves them open where the class has no placement group; here such a type has none of both labels.
  'karpenter.k8s.aws/placement-group-id',
  'karpenter.k8s.aws/placement-group-partition',
];

export function ownFigures(setup: Setup, types: readonly InstanceTypeInfo[]): ReadonlyMap<string, Figures> {
  const fitted = fitTypes({
    types,
    nodeClass: nodeClassOf(setup),
    region: 'us-east-1',
    zones: ['us-east-1a', 'us-east-1b'],
    options: {
      vmMemoryOverheadPercent: hardcoded(setup.options.memoryOverhead),
      reservedEnis: hardcoded(setup.options.reservedEnis),
      prefixDelegation: hardcoded(false),
    },
  });
  return new Map(
    fitted.map(({ name, requirements, capacity, overhead, allocatable }) => [
      name,
      {
        labels: labelsOf(requirements),
        capacity: plain(capacity),
        kubeReserved: plain(overhead.kubeReserved),
        systemReserved: plain(overhead.systemReserved),
        eviction: plain(overhead.evictionThreshold),
        allocatable: plain(allocatable),
      },
    ]),
  );
}

// ---------------------------------------------------------------------------------------------------------------

function nodeClassOf({ amiFamily, kubelet, disks, raid0, interfaces }: Setup): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: {
      amiFamily: amiFamily as 'AL2023',
      amiSelectorTerms: [{ id: 'ami-1' }],
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      role: 'node',
      ...(kubelet === undefined ? {} : { kubelet }),
      ...(disks === undefined
        ? {}
        : {
            blockDeviceMappings: disks.map(({ device, rootVolume, volumeSize }) => ({
              deviceName: device,
              ...(rootVolume === undefined ? {} : { rootVolume }),
              ebs: volumeSize === undefined ? { snapshotID: 'snap-1' } : { volumeSize },
            })),
          }),
      ...(raid0 === true ? { instanceStorePolicy: 'RAID0' as const } : {}),
      ...(interfaces === undefined ? {} : { networkInterfaces: interfaces.map((each) => ({ ...each })) }),
    },
    status: {
      subnets: [
        { id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' },
        { id: 'subnet-3', zone: 'us-east-1c', zoneID: 'use1-az3' },
      ],
    },
  };
}

function labelsOf(requirements: readonly LabelRequirement[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    requirements
      .filter(({ key }) => !OWN_LABELS.includes(key))
      .map(({ key, operator, values = [] }) => [key, `${operator} ${[...values].sort().join()}`.trim()])
      .sort(([first], [second]) => (first! < second! ? -1 : 1)),
  );
}

/** Decimal numbers without an exponent. */
export function plain(amounts: Readonly<Record<string, string | number>>): Amounts {
  return Object.fromEntries(
    Object.entries(amounts)
      .map(([name, amount]) => [name, decimal(parseQuantity(amount).nanos)])
      .sort(([first], [second]) => (first! < second! ? -1 : 1)),
  );
}

function decimal(nanos: bigint): string {
  const digits = (nanos < 0n ? -nanos : nanos).toString().padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  return `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}${fraction === '' ? '' : `.${fraction}`}`;
}
