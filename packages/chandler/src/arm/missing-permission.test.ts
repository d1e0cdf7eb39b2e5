import { describe, expect, test } from 'vitest';
import { callName, missingPermission } from './missing-permission.ts';

const ARM = 'https://management.azure.com/subscriptions/s';

describe('the permission that Azure names', () => {
  test('on the resource of the call', () => {
    const text =
      "The client 'c' with object id 'o' does not have authorization to perform action 'Microsoft.Compute/skus/read' over scope '/subscriptions/s' or the scope is invalid.";
    expect(missingPermission(text)).toEqual({
      action: 'Microsoft.Compute/skus/read',
      scope: '/subscriptions/s',
    });
  });

  test('on another one that the call uses', () => {
    const text =
      "The client 'c' with object id 'o' has permission to perform action 'Microsoft.Network/networkInterfaces/write' on scope '/nic'; however, it does not have permission to perform action(s) 'Microsoft.Network/virtualNetworks/subnets/join/action' on the linked scope(s) '/subnet' (respectively) or the linked scope(s) are invalid.";
    expect(missingPermission(text)).toEqual({
      action: 'Microsoft.Network/virtualNetworks/subnets/join/action',
      scope: '/subnet',
    });
  });

  test('none in another text', () => {
    expect(missingPermission('The subscription is disabled.')).toBeUndefined();
  });
});

describe('calls that need the same permission have the same name', () => {
  test.each([
    [
      'GET',
      `${ARM}/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/a?api-version=1`,
      'GET microsoft.compute/virtualmachines',
    ],
    [
      'PUT',
      `${ARM}/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/a/extensions/b`,
      'PUT microsoft.compute/virtualmachines/extensions',
    ],
    [
      'POST',
      `${ARM}/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/a/restart`,
      'POST microsoft.compute/virtualmachines/restart',
    ],
    [
      'GET',
      `${ARM}/providers/Microsoft.Compute/locations/eastus/usages`,
      'GET microsoft.compute/locations/usages',
    ],
  ])('%s %s', (method, url, name) => {
    expect(callName(method, url)).toBe(name);
  });
});
