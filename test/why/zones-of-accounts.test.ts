/**
 * Which zone sells a size differs between accounts, as zones have other names in each: no table says it. Zones exclude a
 * NodePool by what the cluster shows alone.
 */
import { describe, expect, test } from 'vitest';
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';

import { askAbout } from './ask.fixture.ts';
import { awsClass, awsController, awsNode, awsPool } from './aws-objects.ts';
import { aClass, aController, aPool, type PoolWords } from './cluster-objects.ts';
import { aNode, aPod, merged } from './objects.ts';

const TYPE = 'node.kubernetes.io/instance-type';
const ZONE = 'topology.kubernetes.io/zone';
const REGION = 'topology.kubernetes.io/region';

async function answer(cloud: ReturnType<typeof awsDiagnosis>, objects: readonly ReadObject[]) {
  const { cause, also } = await askAbout(cloud, objects, 'pod/shop/web');
  return [cause?.id, ...also.map(({ id }) => id)];
}

const TAKEN = [undefined, 'scheduling.not-launched'];
const placed = (region: string, zone: string) => ({
  metadata: { labels: { [REGION]: region, [ZONE]: zone } },
});
const requiring = (key: string, ...values: readonly string[]) => ({
  spec: { template: { spec: { requirements: [{ key, operator: 'In', values }] } } },
});

describe('on EKS', () => {
  const inRegion = (region: string, pool: PoolWords, more: readonly ReadObject[]) => [
    ...awsController({ env: { AWS_REGION: region } }),
    awsNode(placed(region, `${region}a`)),
    awsPool(pool),
    ...more,
  ];

  test.each(['us-west-1a', 'us-west-1b', 'us-west-1c'])(
    'a volume in %s is reached by nodes in a subnet of this zone',
    async (zone) => {
      const zones = ['us-west-1a', 'us-west-1b', 'us-west-1c'];
      const objects = [awsClass({ zones }), aPod(WITH_VOLUME), ...volumeIn(zone)];
      expect(await answer(awsDiagnosis(), inRegion('us-west-1', {}, objects))).toEqual(TAKEN);
    },
  );

  test('a volume in a zone without a subnet is not', async () => {
    const objects = [
      awsClass({ zones: ['us-west-1a', 'us-west-1c'] }),
      aPod(WITH_VOLUME),
      ...volumeIn('us-west-1b'),
    ];
    expect(await answer(awsDiagnosis(), inRegion('us-west-1', {}, objects))).toEqual([
      'scheduling.volume-elsewhere',
    ]);
  });

  test.each(['eu-west-1a', 'eu-west-1b', 'eu-west-1c'])(
    'a size of few zones may be sold in %s',
    async (zone) => {
      const objects = [awsClass({ zones: [zone] }), aPod({ age: '1h' })];
      const pool = requiring(TYPE, 'p4d.24xlarge');
      expect(await answer(awsDiagnosis(), inRegion('eu-west-1', pool, objects))).toEqual(TAKEN);
    },
  );

  test('a size that is reserved in a zone is sold there, wherever the table has it', async () => {
    const region = 'eu-west-3';
    const zone = `${region}a`;
    const reservation = {
      id: 'cr-0123456789abcdef0',
      availabilityZone: zone,
      instanceType: 'p5.48xlarge',
      instanceMatchCriteria: 'targeted',
      ownerID: '123456789012',
      reservationType: 'default',
      interruptible: false,
      state: 'active',
    };
    const reserved = (status: object) => merged(awsClass({ zones: [zone] }), { status });
    const pool = requiring(TYPE, 'p5.48xlarge');
    const asked = (status: object) =>
      answer(awsDiagnosis(), inRegion(region, pool, [reserved(status), aPod({ age: '1h' })]));
    expect(await asked({})).not.toEqual(TAKEN);
    expect(await asked({ capacityReservations: [reservation] })).toEqual(TAKEN);
  });
});

describe('on AKS', () => {
  const inZone = (zone: string, size: string) => [
    ...aController(),
    aClass(),
    aNode(placed('westeurope', zone)),
    aPool(requiring(TYPE, size)),
    aPod({ age: '1h', spec: { nodeSelector: { [ZONE]: zone } } }),
  ];

  test.each([
    ['Standard_NC4as_T4_v3', 'westeurope-3'],
    ['Standard_NC24ads_A100_v4', 'westeurope-1'],
    // Restricted in the simulated subscription.
    ['Standard_E4as_v4', 'westeurope-2'],
  ])('%s may be sold in %s', async (size, zone) => {
    expect(await answer(azureDiagnosis(), inZone(zone, size))).toEqual(TAKEN);
  });

  test('a zone that no region has is excluded', async () => {
    expect(await answer(azureDiagnosis(), inZone('westeurope-4', 'Standard_E4as_v4'))).not.toEqual(TAKEN);
  });
});

// ---------------------------------------------------------------------------------------------------------------

const WITH_VOLUME = {
  age: '1h',
  spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
};

function volumeIn(zone: string): readonly ReadObject[] {
  const matchExpressions = [{ key: ZONE, operator: 'In', values: [zone] }];
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
      spec: { volumeName: 'pv-1', storageClassName: 'gp3' },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1' },
      spec: {
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
      },
      status: { phase: 'Bound' },
    },
  ];
}
