/** Our choice of instance types against that of upstream's code, which `test/upstream-aws-launch/record.ts` recorded. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { chooseTypes } from './choose-types.ts';
import { aType, capacityTypes, offering, oneOf } from './launch.fixture.ts';
import type { CapacityTypeName, LaunchOffering } from './launch-types.ts';

interface Recorded {
  readonly launch: {
    readonly types: readonly RecordedType[];
    readonly capacityTypes: readonly string[];
    readonly zones: readonly string[];
    readonly minFamilies: number;
    readonly cpu: string;
  };
  readonly choice: string;
}

interface RecordedType {
  readonly name: string;
  readonly family: string;
  readonly size: string;
  readonly cpu: string;
  readonly gpu: string;
  readonly offerings: readonly RecordedOffering[];
}

interface RecordedOffering {
  readonly capacityType: CapacityTypeName;
  readonly zone: string;
  readonly price: number;
  readonly available: boolean;
  readonly reservation?: string;
  readonly kind?: 'default' | 'capacity-block';
  readonly interruptible?: boolean;
  readonly free?: number;
}

const FILE = '../../../../../../test/upstream-aws-launch/recorded.gen.json';
const recorded = JSON.parse(readFileSync(join(import.meta.dirname, FILE), 'utf8')) as readonly Recorded[];

test('the same types and offerings are chosen as upstream chooses', () => {
  // Upstream looks at capacity blocks that are not available, and fails on some of these launches.
  const compared = recorded.filter(({ choice }) => choice !== 'panic');
  expect(compared.length).toBeGreaterThan(100);
  expect(compared.map(({ launch }) => choiceOf(launch))).toEqual(compared.map(({ choice }) => choice));
});

test('the recorded launches end in every way', () => {
  const ends = new Set(recorded.map(({ choice }) => choice.split(' ')[0]));
  expect([...ends].filter((end) => end !== 'panic').sort()).toEqual([
    'minValues',
    'none',
    'on-demand',
    'reserved',
    'spot',
  ]);
});

function choiceOf({ types, capacityTypes: allowed, zones, minFamilies, cpu }: Recorded['launch']): string {
  try {
    const choice = chooseTypes({
      types: types.map((type) =>
        aType(type.name, {
          requirements: [
            oneOf('karpenter.k8s.aws/instance-family', type.family),
            oneOf('karpenter.k8s.aws/instance-size', type.size),
          ],
          capacity: { cpu: type.cpu, 'nvidia.com/gpu': type.gpu },
          offerings: type.offerings.map(offeringOf),
        }),
      ),
      requirements: [
        ...(allowed.length === 0 ? [] : [capacityTypes(...allowed)]),
        ...(zones.length === 0 ? [] : [oneOf('topology.kubernetes.io/zone', ...zones)]),
        ...(minFamilies === 0
          ? []
          : [{ key: 'karpenter.k8s.aws/instance-family', operator: 'Exists', minValues: minFamilies }]),
      ],
      requests: { cpu },
      minValuesPolicy: 'Strict',
    });
    const offered = choice.types.flatMap(({ name, offerings }) =>
      offerings.map(({ zone, capacityReservation }) =>
        [name, zone, ...(capacityReservation === undefined ? [] : [capacityReservation.id])].join('/'),
      ),
    );
    return [choice.capacityType, ...offered.sort()].join(' ');
  } catch (error) {
    return (error as Error).message.startsWith('minValues') ? 'minValues' : 'none';
  }
}

function offeringOf(given: RecordedOffering): LaunchOffering {
  const { capacityType, zone, price, available, reservation: id, kind = 'default', free = 0 } = given;
  const interruptible = given.interruptible === true;
  return offering(capacityType, zone, price, {
    available,
    ...(id === undefined
      ? {}
      : {
          reservation: { id, capacity: free },
          capacityReservation: { id, type: kind, interruptible },
        }),
  });
}
