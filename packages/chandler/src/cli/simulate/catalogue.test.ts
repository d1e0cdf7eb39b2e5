import { describe, expect, test } from 'vitest';
import { genericCatalogue, reservedFor } from '../../cloud/index.ts';
import { readCatalogue } from './catalogue-file.ts';
import { aDeployment, aNodePool, simulateText, withFiles } from './simulate.fixture.ts';

const PLACES = { zones: ['a', 'b', 'c'], region: 'here' };

describe('the generic catalogue', () => {
  const types = genericCatalogue(PLACES);

  test('has a hundred types or more, each on demand and spot in every zone', () => {
    expect(types.length).toBeGreaterThanOrEqual(100);
    expect(new Set(types.map(({ name }) => name)).size).toBe(types.length);
    for (const { offerings } of types) expect(offerings).toHaveLength(6);
  });

  test('gives the same prices every time, spot below on demand, arm64 below amd64', () => {
    expect(genericCatalogue(PLACES)).toEqual(types);
    for (const { offerings } of types) {
      expect(offerings[1]!.price).toBeLessThan(offerings[0]!.price * 0.5);
      expect(offerings[0]!.price).toBeGreaterThan(0);
    }
    const price = (name: string) => types.find((type) => type.name === name)!.offerings[0]!.price;
    expect(price('general-v1-arm-4x16')).toBeLessThan(price('general-v1-4x16'));
  });

  test('reserves more on larger sizes, and never the whole size', () => {
    expect(reservedFor(2, 8)).toEqual({ cpu: '70m', memory: '1843Mi' });
    expect(reservedFor(96, 384).cpu).toBe('310m');
  });

  test.each([
    ['karpenter.azure.com/sku-family', 'E', 'memory'],
    ['karpenter.k8s.aws/instance-category', 'c', 'compute'],
  ])('answers pools that ask for %s', async (key, value, family) => {
    const requirements = `[{ key: ${key}, operator: In, values: [${value}] }]`;
    const pool = aNodePool('p').replace(/requirements: .*/, `requirements: ${requirements}`);
    const { report } = await simulateText(`${pool}---\n${aDeployment('web', 1)}`);
    expect(report.nodes[0]!.instanceType).toMatch(new RegExp(`^${family}-`));
  });
});

describe('a catalogue file', () => {
  const text = `instanceTypes:
  - name: small
    labels: { example.com/disk: [ssd, nvme] }
    capacity: { cpu: 2, memory: 8Gi }
    offerings:
      - { zone: z1, price: 0.1 }
      - { zone: z2, capacityType: spot, price: 0.03, available: false }
`;

  test('may be short: defaults are filled in', () => {
    const [type] = readCatalogue({ name: 'c.yaml', text });
    expect(type!.capacity).toEqual({ cpu: 2, memory: '8Gi', pods: '110' });
    expect(Object.fromEntries(type!.requirements.map(({ key, values }) => [key, values]))).toEqual({
      'example.com/disk': ['ssd', 'nvme'],
      'node.kubernetes.io/instance-type': ['small'],
      'kubernetes.io/arch': ['amd64'],
      'kubernetes.io/os': ['linux'],
      'topology.kubernetes.io/zone': ['z1', 'z2'],
      'karpenter.sh/capacity-type': ['on-demand', 'spot'],
    });
    expect(type!.offerings[0]!.requirements).toContainEqual({
      key: 'karpenter.sh/capacity-type',
      operator: 'In',
      values: ['on-demand'],
    });
  });

  test("takes the engine's own form, too", () => {
    const types = genericCatalogue(PLACES);
    expect(readCatalogue({ name: 'c.json', text: JSON.stringify(types) })).toEqual(types);
  });

  test('replaces the generic catalogue', async () => {
    await withFiles({ 'c.yaml': text }, async (folder) => {
      const { report } = await simulateText(aDeployment('web', 1), { catalogue: `${folder}/c.yaml` });
      expect(report.nodes).toMatchObject([{ instanceType: 'small', zone: 'z1', pricePerHour: 0.1 }]);
    });
  });

  test.each([
    [
      'a negative price',
      text.replace('price: 0.1', 'price: -1'),
      'c.yaml:6: instance type small: instanceTypes[0].offerings[0].price: expected at least 0, got -1',
    ],
    ['no memory', text.replace(', memory: 8Gi', ''), 'instanceTypes[0].capacity.memory: is missing'],
    ['a mistyped field', text.replace('zone: z1', 'zon: z1'), 'unknown field; did you mean zone?'],
    [
      'an unknown field',
      text.replace('zone: z1', 'zone: z1, sockets: 2'),
      'offerings[0].sockets: unknown field; remove it',
    ],
    [
      'two types of one name',
      `${text}${text.slice(text.indexOf('\n') + 1)}`,
      'instance type small: instanceTypes[1].name: is used twice',
    ],
    ['no types', 'instanceTypes: []\n', 'the catalogue is empty'],
    [
      'an empty type',
      'instanceTypes: [null]\n',
      'instanceTypes[0]: expected fields (name: value), got nothing',
    ],
    [
      'an empty offering',
      text.replace('- { zone: z1, price: 0.1 }', '-'),
      'instanceTypes[0].offerings[0]: expected fields (name: value), got nothing',
    ],
    [
      'an unknown capacity type',
      text.replace('spot', 'cheap'),
      'expected spot, on-demand, reserved; got "cheap"',
    ],
  ])('with %s is refused by name and line', (_, broken, message) => {
    expect(() => readCatalogue({ name: 'c.yaml', text: broken })).toThrow(message);
  });
});

test('the bound of a plan is in the report', async () => {
  const { report } = await simulateText(aDeployment('web', 40), { bound: true });
  const { pricePerHour, bound } = report.summary;
  expect(bound!.perHour).toBeGreaterThan(0);
  expect(bound!.perHour).toBeLessThanOrEqual(pricePerHour);
  expect(bound!.gapPercent).toBeCloseTo((pricePerHour / bound!.perHour - 1) * 100, 1);
});
