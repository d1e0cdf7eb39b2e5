/** Deliberate defects of the controller: only suites and the playground can switch them on. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { losingBy } from '@chandler/cloudsim/azure';
import { FAULTS, Faults, modifiedByPolicy, parseFault } from '@chandler/cloudsim/azure/testing';
import { seededRandom } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { LOSS_PLACES } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { CONTROLLER_OPTIONS } from '../../packages/chandler/src/operator/index.ts';

const SRC = join(import.meta.dirname, '../../src');

describe('a deliberate loss of the disk encryption set', () => {
  test('is out of reach for chandler controller: no option names it, and nothing but the playground hands it', () => {
    expect(JSON.stringify(CONTROLLER_OPTIONS)).not.toMatch(/drop-?des|losing/i);
    const handing = sources(join(SRC, 'cli')).filter((file) => /\blosing\b/.test(readFileSync(file, 'utf8')));
    expect(handing.map((file) => file.slice(SRC.length))).toEqual(['/cli/playground/controller.ts']);
  });

  test('can be had at every place that the controller knows', () => {
    expect(FAULTS.find(({ name }) => name === 'drop-des')?.choices).toEqual([...LOSS_PLACES]);
  });

  test('happens at the place that the fault names, while it is set', () => {
    const faults = new Faults(seededRandom(1));
    const losing = losingBy(faults);
    expect(LOSS_PLACES.filter(losing)).toEqual([]);
    faults.add('drop-des=vm-object');
    expect(LOSS_PLACES.filter(losing)).toEqual(['vm-object']);
    faults.clear();
    expect(LOSS_PLACES.filter(losing)).toEqual([]);
  });

  test('a place that there is not is refused with those that there are', () => {
    expect(() => parseFault('drop-des=disk')).toThrow(/no 'disk'; where: options, provider, launch/);
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
  });
});

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}
