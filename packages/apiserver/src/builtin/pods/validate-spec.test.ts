import { expect, test } from 'vitest';
import { FieldErrors } from '../validation/field-errors.ts';
import { checkPodAnnotations } from './validate-spec.ts';

test.each([
  ['-2147483648', true],
  ['2147483647', true],
  ['0', true],
  ['-008', true],
  ['-2147483649', false],
  ['2147483648', false],
  ['+1', false],
  ['008', false],
  ['1.5', false],
  ['', false],
])('the pod-deletion-cost %o is accepted: %o', (cost, accepted) => {
  const errors = new FieldErrors();
  checkPodAnnotations({ 'controller.kubernetes.io/pod-deletion-cost': cost }, undefined, 'a', errors);
  expect(errors.list.length === 0).toBe(accepted);
});
