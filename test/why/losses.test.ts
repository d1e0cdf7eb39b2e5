/** Faults inside the controller: only suites and the playground can switch them on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dropsValueAt } from '@chandler/cloudsim/azure';
import { FAULTS, Faults, modifiedByPolicy, parseFault } from '@chandler/cloudsim/azure/testing';
import { seededRandom } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AZURE_CONTROLLER_OPTIONS } from '../../packages/chandler/src/cloud/azure/index.ts';
import { DROP_PLACES } from '../../packages/chandler/src/playground/testing.ts';

const SRC = join(import.meta.dirname, '../../packages/chandler/src');

describe('an injected loss of the disk encryption set', () => {
  test('is out of reach for chandler controller: no option names it, and only the playground injects it', () => {
    expect(JSON.stringify(AZURE_CONTROLLER_OPTIONS)).not.toMatch(/drop-?des/i);
    const injecting = sources(SRC).filter((file) => /\binjectFaults\b/.test(readFileSync(file, 'utf8')));
    expect(injecting.map((file) => file.slice(SRC.length))).toEqual([
      '/playground/clouds/azure.ts',
      '/playground/fault-injection.ts',
      '/playground/testing.ts',
    ]);
  });

  test('can be had at every place that the controller knows', () => {
    expect(FAULTS.find(({ name }) => name === 'drop-des')?.choices).toEqual([...DROP_PLACES]);
  });

  test('happens at the place that the fault names, while it is set', () => {
    const faults = new Faults(seededRandom(1));
    const isDropped = dropsValueAt(faults);
    const dropped = (nodepool?: string) =>
      DROP_PLACES.filter((place) => isDropped(place, nodepool === undefined ? {} : { nodepool }));
    expect(dropped()).toEqual([]);
    faults.add('drop-des=vm-object');
    expect(dropped()).toEqual(['vm-object']);
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
    faults.clear();
    expect(dropped()).toEqual([]);
  });

  test('happens to the NodePool that the fault names, and counts how often', () => {
    const faults = new Faults(seededRandom(1));
    const isDropped = dropsValueAt(faults);
    faults.add('drop-des=plan@nodepool=a,count=2');
    expect(isDropped('plan', { nodepool: 'b' })).toBe(false);
    expect(isDropped('launch', { nodepool: 'a' })).toBe(false);
    expect(faults.list()).toMatchObject([{ struck: 0 }]);
    expect(isDropped('plan', { nodepool: 'a' })).toBe(true);
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
    expect(isDropped('plan', { nodepool: 'a' })).toBe(true);
    expect(isDropped('plan', { nodepool: 'a' })).toBe(false);
  });

  test('an unknown place is rejected, and the known ones are listed', () => {
    expect(() => parseFault('drop-des=disk')).toThrow(/invalid value 'disk'.*options, provider, launch/);
  });
});

describe('a policy that strips the set', () => {
  const body = {
    location: 'eastus',
    properties: {
      storageProfile: { osDisk: { name: 'a', managedDisk: { diskEncryptionSet: { id: 'x' } } } },
    },
  };

  test('takes it out of what a VM asks for, and nothing else', () => {
    const faults = new Faults(seededRandom(1));
    expect(modifiedByPolicy(faults, body, 'vm')).toBe(body);
    faults.add('strip-des@resource=vm');
    expect(modifiedByPolicy(faults, body, 'vm')).toEqual({
      location: 'eastus',
      properties: { storageProfile: { osDisk: { name: 'a', managedDisk: {} } } },
    });
    expect(modifiedByPolicy(faults, body, 'other')).toBe(body);
    expect(modifiedByPolicy(faults, { location: 'eastus' }, 'vm')).toEqual({ location: 'eastus' });
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
  });

  test('strikes the NodePool that the fault names alone, and counts how often', () => {
    const faults = new Faults(seededRandom(1));
    faults.add('strip-des@nodepool=a');
    const other = { ...body, tags: { 'karpenter.sh_nodepool': 'b' } };
    expect(modifiedByPolicy(faults, other, 'vm')).toBe(other);
    expect(faults.list()).toMatchObject([{ struck: 0 }]);
    expect(
      modifiedByPolicy(faults, { ...body, tags: { 'karpenter.sh_nodepool': 'a' } }, 'vm'),
    ).not.toHaveProperty('properties.storageProfile.osDisk.managedDisk.diskEncryptionSet');
    expect(faults.list()).toMatchObject([{ struck: 1 }]);
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}
