/** Expressions over the instance type in `kubelet`, with the variables, units and rounding of Karpenter. */
import { describe, expect, test } from 'vitest';
import { aList, aNodeClass, aType, OPTIONS } from '../aws.fixture.ts';
import { compileExpression, reservedQuantity, type TypeVariables } from './kubelet-expressions.ts';

const M5_LARGE: TypeVariables = {
  vcpus: 2,
  memory_mib: 8192,
  default_enis: 3,
  ips_per_eni: 10,
  max_pods: 29,
  instance_type: 'm5.large',
};

describe('an expression', () => {
  test.each([
    ['vcpus * 30', 60n],
    ['memory_mib / 100', 81n],
    ['default_enis * (ips_per_eni - 1) + 2', 29n],
    ['min(max_pods, 20)', 20n],
    ['max(60, vcpus * 10)', 60n],
    ['max(1.5, vcpus)', 2n],
    ['min(vcpus, 1.9)', 1n],
    ['double(memory_mib) * 0.05', 409n],
    ['-1.9', -1n],
    ["instance_type.startsWith('m5.') ? 58 : 29", 58n],
    ['vcpus > 30 ? 250 : 110', 110n],
  ])('%s has the value %s', (text, value) => {
    expect(compileExpression(text)(M5_LARGE)).toBe(value);
  });

  test.each([
    ['vcpus +', /./],
    ['cores * 2', /cores/],
    ['vcpus * 1.5', /int \* double/],
    ["'110'", /must give an int or a double, not string/],
    ['vcpus > 1', /not bool/],
    ['dyn(1)', /not dyn/],
    ['max(1, 2, 3)', /max/],
    ['1'.repeat(5000), /more than 4096 characters/],
  ])('%s does not compile', (text, message) => {
    expect(() => compileExpression(text)).toThrow(message);
  });

  test.each([
    ['110 / (vcpus - 2)', /division by zero/],
    ['1.0 / 0.0', /Infinity/],
    ['0.0 / 0.0', /NaN/],
    ['9223372036854775807 + vcpus', /overflow/],
    ['1e300', /too large/],
  ])('%s has no value', (text, message) => {
    expect(() => compileExpression(text)(M5_LARGE)).toThrow(message);
  });
});

test.each([
  ['cpu', 0n, '0m'],
  ['cpu', 61n, '70m'],
  ['cpu', 70n, '70m'],
  ['memory', 81n, '96Mi'],
  ['memory', 96n, '96Mi'],
  ['ephemeral-storage', 3n, '3Gi'],
  ['pid', 1001n, '1001'],
])('a reservation of %s with the value %s is %s', (resource, value, quantity) => {
  expect(reservedQuantity(resource, value)).toBe(quantity);
});

describe('the types of a class with expressions', () => {
  const withKubelet = (kubelet: object, kubeletExpressions = true) => {
    const types = [aType('c5.xlarge'), aType('m5.large')];
    const { lists } = aList(types, { options: { ...OPTIONS, kubeletExpressions } });
    const nodeClass = aNodeClass({ kubelet: kubelet as never });
    return { lists, nodeClass, types: () => lists.forNodeClass(nodeClass) };
  };
  const m5Large = ({ types }: ReturnType<typeof withKubelet>) =>
    types().find(({ name }) => name === 'm5.large')!;

  test('have the pods and reservations that the expressions give; max_pods is then the number of pods', () => {
    const type = m5Large(
      withKubelet({
        maxPods: 'min(max_pods, vcpus * 8)',
        kubeReserved: { cpu: 'vcpus * 33', memory: 'max_pods * 11 + 255' },
        systemReserved: { cpu: '100m', 'ephemeral-storage': 'vcpus' },
      }),
    );
    expect(type.capacity['pods']).toBe('16');
    expect(type.overhead.kubeReserved).toEqual({ cpu: '70m', memory: '432Mi', 'ephemeral-storage': '1Gi' });
    expect(type.overhead.systemReserved).toEqual({ cpu: '100m', 'ephemeral-storage': '2Gi' });
    expect(type.kubelet).toEqual({
      kubeReserved: { cpu: '70m', memory: '432Mi' },
      systemReserved: { cpu: '100m', 'ephemeral-storage': '2Gi' },
    });
  });

  test('have the defaults of the family while the gate is closed', () => {
    const type = m5Large(withKubelet({ maxPods: 'vcpus', kubeReserved: { cpu: 'vcpus' } }, false));
    expect([type.capacity['pods'], type.overhead.kubeReserved['cpu'], type.kubelet]).toEqual([
      '29',
      '70m',
      undefined,
    ]);
  });

  test('without a value for maxPods there is no list; a reservation without one is left out', () => {
    const failing = withKubelet({ maxPods: '110 / (vcpus - 2)' });
    expect(() => failing.types()).toThrow(/division by zero, for /);
    expect(failing.lists.expressionProblem(failing.nodeClass)).toMatch(
      /^spec\.kubelet\.maxPods: .*division by zero/,
    );
    const negative = withKubelet({ kubeReserved: { cpu: 'vcpus - 1000' } });
    expect(m5Large(negative).overhead.kubeReserved['cpu']).toBe('70m');
    expect(negative.lists.expressionProblem(negative.nodeClass)).toMatch(
      /^spec\.kubelet\.kubeReserved\.cpu: "vcpus - 1000" gives -\d+, which is negative, for /,
    );
    const fine = withKubelet({ maxPods: 'vcpus * 10' });
    expect(fine.lists.expressionProblem(fine.nodeClass)).toBeUndefined();
  });
});
