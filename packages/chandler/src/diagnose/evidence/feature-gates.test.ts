import { describe, expect, test } from 'vitest';
import { isGateOn } from './feature-gates.ts';

const options = (featureGates: string) => ({
  values: { featureGates: { value: featureGates, source: 'env', path: 'FEATURE_GATES' } },
});

describe('a feature gate of the controller', () => {
  test('is as its options say', () => {
    expect(isGateOn(options('NodeRepair=false,NodeOverlay=true'), 'NodeOverlay')).toBe(true);
    expect(isGateOn(options('NodeRepair=true,NodeOverlay=false'), 'NodeOverlay')).toBe(false);
  });

  test('that cannot be seen is neither on nor off', () => {
    expect(isGateOn(undefined, 'NodeOverlay')).toBeUndefined();
    expect(isGateOn({ values: {} }, 'NodeOverlay')).toBeUndefined();
  });
});
