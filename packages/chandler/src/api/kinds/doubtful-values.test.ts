import { describe, expect, test } from 'vitest';
import { doubtfulAksValues, doubtfulEc2Values, doubtfulPoolValues, doubtfulText } from './doubtful-values.ts';
import type { EC2NodeClassSpec } from './ec2-node-class/ec2-node-class.ts';
import type { Budget, NodePoolSpec } from './node-pool.ts';

const poolWith = (...budgets: Budget[]): NodePoolSpec => ({
  disruption: { budgets },
  template: {
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'a' },
      requirements: [],
    },
  },
});

const classWith = (spec: Partial<EC2NodeClassSpec>): EC2NodeClassSpec => ({
  role: 'nodes',
  amiSelectorTerms: [{ alias: 'al2023@latest' }],
  subnetSelectorTerms: [{ id: 'subnet-1' }],
  securityGroupSelectorTerms: [{ tags: { team: 'a' } }],
  ...spec,
});

describe('a NodePool', () => {
  test('with sound budgets has no warning', () => {
    const spec = poolWith(
      { nodes: '10%' },
      { nodes: '0', schedule: '0 9 * * mon-fri', duration: '8h', reasons: ['Drifted'] },
      { nodes: '0', schedule: 'TZ=UTC 0 9 * * *', duration: '8h' },
      { nodes: '0', schedule: 'CRON_TZ=Europe/Berlin 0 9 * * *', duration: '8h' },
      { nodes: '0', schedule: '@daily ', duration: '10m' },
    );
    expect(doubtfulPoolValues(spec)).toEqual([]);
    expect(doubtfulPoolValues({ template: spec.template })).toEqual([]);
  });

  test.each(['0 0 9 * * *', '@dailyx', '99 9 * * *', 'TZ=Europe/Nowhere 0 9 * * *'])(
    'with the schedule "%s" is warned that nothing is disrupted',
    (schedule) => {
      const [found, ...others] = doubtfulPoolValues(
        poolWith({ nodes: '1' }, { nodes: '1', schedule, duration: '1h' }),
      );
      expect(others).toEqual([]);
      expect(found?.field).toBe('spec.disruption.budgets[1].schedule');
      expect(found?.message).toContain('no node of the NodePool is disrupted voluntarily');
    },
  );

  test('with a budget for no reason is warned that it limits nothing', () => {
    expect(doubtfulText(doubtfulPoolValues(poolWith({ nodes: '0', reasons: [] })))).toBe(
      'spec.disruption.budgets[0].reasons: the list is empty, so the budget limits nothing; remove it to limit every reason',
    );
  });
});

describe('an AKSNodeClass', () => {
  const thresholds = (first: number, third: number, second?: number) => ({
    linuxOSConfig: {
      sysctls: {
        netIPv4NeighDefaultGcThresh1: first,
        ...(second === undefined ? {} : { netIPv4NeighDefaultGcThresh2: second }),
        netIPv4NeighDefaultGcThresh3: third,
      },
    },
  });

  test('with neighbour thresholds out of order is warned', () => {
    expect(doubtfulText(doubtfulAksValues(thresholds(2000, 1000)))).toContain('make it at most 1000');
  });

  test('with thresholds in order, or that the schema compares, has no warning', () => {
    for (const spec of [undefined, {}, thresholds(1000, 2000), thresholds(1000, 1000), thresholds(9, 8, 7)])
      expect(doubtfulAksValues(spec)).toEqual([]);
  });
});

describe('an EC2NodeClass', () => {
  const fieldsOf = (spec: Partial<EC2NodeClassSpec>) =>
    doubtfulEc2Values(classWith(spec)).map(({ field }) => field);

  test('without doubtful values has no warning', () => {
    expect(fieldsOf({})).toEqual([]);
  });

  test('with an ARN where a name belongs is warned', () => {
    expect(fieldsOf({ role: 'arn:aws:iam::1:role/nodes' })).toEqual(['spec.role']);
    expect(fieldsOf({ instanceProfile: 'arn:aws:iam::1:instance-profile/nodes' })).toEqual([
      'spec.instanceProfile',
    ]);
  });

  test('with a term that mixes an id with other fields is warned', () => {
    const tags = { team: 'a' };
    expect(fieldsOf({ subnetSelectorTerms: [{ tags }, { id: 'subnet-1', tags }] })).toEqual([
      'spec.subnetSelectorTerms[1]',
    ]);
    expect(fieldsOf({ securityGroupSelectorTerms: [{ tags }, { id: 'sg-1', name: 'a' }] })).toEqual([
      'spec.securityGroupSelectorTerms[1]',
    ]);
    expect(fieldsOf({ securityGroupSelectorTerms: [{ tags }, { name: 'a', tags }] })).toEqual([
      'spec.securityGroupSelectorTerms[1]',
    ]);
    expect(
      fieldsOf({ capacityReservationSelectorTerms: [{ tags }, { id: 'cr-1', ownerID: '123456789012' }] }),
    ).toEqual(['spec.capacityReservationSelectorTerms[1]']);
  });

  test('with an SSM parameter beside an id or an alias is warned', () => {
    expect(fieldsOf({ amiSelectorTerms: [{ id: 'ami-1', ssmParameter: '/a' }] })).toEqual([
      'spec.amiSelectorTerms[0]',
    ]);
    expect(fieldsOf({ amiSelectorTerms: [{ alias: 'al2@v1', ssmParameter: '/a' }] })).toEqual([
      'spec.amiSelectorTerms[0]',
    ]);
  });

  test('with an alias of two versions is warned that it leads to no image', () => {
    const found = doubtfulEc2Values(classWith({ amiSelectorTerms: [{ alias: 'al2@v1@v2' }] }));
    expect(doubtfulText(found)).toBe(
      'spec.amiSelectorTerms[0].alias: "al2@v1@v2" has two versions, and no image is looked up; write al2@v1',
    );
  });
});
