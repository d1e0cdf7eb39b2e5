/**
 * A pod that several NodePools could take is taken by the one with the highest weight that has a size for it. The plan is
 * made with some sizes first, and must not end with those where the preferred NodePool has only others.
 */
import { expect, test } from 'vitest';
import { type AwsReader, awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';

import { askAbout } from './ask.fixture.ts';
import { awsClaim, awsClass, awsController, awsNode, awsPool } from './aws-objects.ts';
import { aClass, aController, aPool } from './cluster-objects.ts';
import { aClaim, aNode, aPod, merged } from './objects.ts';

const POD = aPod({ age: '1h' });
const NODE = { metadata: { labels: { 'topology.kubernetes.io/region': 'westeurope' } } };

const preferred = (requirements: readonly object[], weight = 100) => ({
  name: 'preferred',
  spec: { weight, template: { spec: { requirements } } },
});
const among = (key: string, ...values: readonly string[]) => ({ key, operator: 'In', values });
const below = (key: string, value: string) => ({ key, operator: 'Lt', values: [value] });

const AWS = 'karpenter.k8s.aws/instance-';
const AZURE = 'karpenter.azure.com/sku-';

async function takenBy(cloud: ReturnType<typeof awsDiagnosis>, objects: Parameters<typeof askAbout>[1]) {
  const { also } = await askAbout(cloud, objects, 'pod/shop/web');
  expect(also.map(({ id }) => id)).toEqual(['scheduling.not-launched']);
  return /NodePool (\S+) would launch/.exec(also[0]!.summary)?.[1];
}

const onAws = (pool: ReturnType<typeof preferred>, nodeClass = awsClass()) => [
  ...awsController(),
  nodeClass,
  awsPool(),
  awsPool(pool),
  awsNode(),
  awsClaim(),
  POD,
];

test.each([
  ['small sizes of some families', [among(`${AWS}family`, 'm6a', 'm7a', 'm7i'), below(`${AWS}cpu`, '9')]],
  ['one size of a family by its cores', [among(`${AWS}family`, 't3'), among(`${AWS}cpu`, '2')]],
])('on EKS, a NodePool for %s takes the pod', async (_, requirements) => {
  expect(await takenBy(awsDiagnosis(), onAws(preferred(requirements)))).toBe('preferred');
});

test('a NodePool of lower weight does not', async () => {
  const small = [among(`${AWS}family`, 'm6a', 'm7a', 'm7i'), below(`${AWS}cpu`, '9')];
  const pool = merged(awsPool(preferred(small, 1)), {});
  const general = awsPool({ spec: { weight: 10 } });
  const objects = [...awsController(), awsClass(), general, pool, awsNode(), awsClaim(), POD];
  expect(await takenBy(awsDiagnosis(), objects)).toBe('default');
});

test('a NodePool of lower weight does if the preferred one is not ready', async () => {
  const small = [among(`${AWS}family`, 'm6a', 'm7a', 'm7i'), below(`${AWS}cpu`, '9')];
  const conditions = { Ready: { status: 'False', reason: 'UnhealthyDependents' } };
  const main = awsPool({ conditions, spec: { weight: 10 } });
  const pool = awsPool({ name: 'small', spec: { template: { spec: { requirements: small } } } });
  const objects = [...awsController(), awsClass(), main, pool, awsNode(), awsClaim(), POD];
  expect(await takenBy(awsDiagnosis(), objects)).toBe('small');
});

test('on AKS, a NodePool for small sizes takes the pod', async () => {
  const pool = preferred([among(`${AZURE}family`, 'B'), below(`${AZURE}cpu`, '5')]);
  const objects = [...aController(), aClass(), aPool(), aPool(pool), aNode(NODE), aClaim(), POD];
  expect(await takenBy(azureDiagnosis(), objects)).toBe('preferred');
});

test.each(['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm5.4xlarge', 'c7i.4xlarge', 'm5.24xlarge'])(
  'a NodePool for reserved instances of %s takes the pod while some are free',
  async (instanceType) => {
    const id = 'cr-0123456789abcdef0';
    const reservation = {
      id,
      instanceType,
      availabilityZone: 'eu-west-1a',
      instanceMatchCriteria: 'targeted',
      ownerID: '123456789012',
      reservationType: 'default',
      interruptible: false,
      state: 'active',
    };
    const nodeClass = merged(awsClass({ spec: { capacityReservationSelectorTerms: [{ id }] } }), {
      status: { capacityReservations: [reservation] },
    });
    const aws = { freeReserved: async () => ({ found: new Map([[id, 5]]) }) } as unknown as AwsReader;
    const pool = preferred([among('karpenter.sh/capacity-type', 'reserved')]);
    expect(await takenBy(awsDiagnosis(aws), onAws(pool, nodeClass))).toBe('preferred');
  },
);
