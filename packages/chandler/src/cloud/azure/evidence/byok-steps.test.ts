/** The checklist `byok` says ok only where something was seen. */
import { describe, expect, test } from 'vitest';
import { type Evidence, EvidenceSet } from '../../../causes/index.ts';

import {
  evidenceOf,
  refusal,
  SET_ID,
  SOUND_SET,
  soundWorld,
  type World,
} from '../disk-encryption/evidence/evidence.fixture.ts';
import type { AzureReader } from './azure-evidence.ts';
import { byokChecklist } from './byok-steps.ts';

const OTHER_SET = `${SET_ID}-2`;
const reading = { source: 'kubernetes', what: 'x', atMs: 0 } as const;
const record = (kind: Evidence['kind'], fields: object) =>
  ({ kind, reading, conditions: [], ...fields }) as unknown as Evidence;
const condition = (type: string, status = 'True') => ({ type, status, reason: type });

const nodeClass = (name = 'default', fields: object = {}) =>
  record('nodeClass', {
    name,
    found: true,
    diskEncryptionSet: { id: SET_ID, source: 'NodeClass' },
    ...fields,
  });
const claim = (name: string, ...types: readonly string[]) =>
  record('nodeClaim', { name, nodeClass: 'default', conditions: types.map((type) => condition(type)) });
const vm = (fields: object = {}) =>
  record('vm', {
    name: 'aks-a',
    claim: 'a',
    found: true,
    provisioningState: 'Succeeded',
    powerState: 'running',
    ...fields,
  });
const path = (sightings: Readonly<Record<string, string>>, of = 'a') =>
  record('value', {
    name: 'diskEncryptionSet',
    claim: of,
    sightings: Object.entries(sightings).map(([station, value]) => ({ station, value, seenIn: 'x' })),
  });

/** @param worlds of the sets, by ID; without one, nobody asks Azure. */
async function statesOf(records: readonly Evidence[], worlds?: Readonly<Record<string, Partial<World>>>) {
  const set: AzureReader['set'] = (id) => evidenceOf(soundWorld(worlds![id] ?? {})).evidence.about(id);
  const azure = worlds === undefined ? undefined : ({ set } as unknown as AzureReader);
  const rows = await byokChecklist(azure).steps(new EvidenceSet({ records, atMs: 0 }));
  return (...numbers: readonly number[]) => numbers.map((number) => rows[number - 1]!.result.state);
}

describe('a disk encryption set', () => {
  test.each<[string, Partial<World>, readonly string[]]>([
    ['that is sound', {}, ['ok', 'ok', 'ok']],
    ['that Azure does not show', { set: refusal(503, 'ServerBusy') }, ['unknown', 'unknown', 'unknown']],
    ['that may not be read', { set: refusal(403, 'AuthorizationFailed') }, ['unknown', 'unknown', 'unknown']],
    ['of another tenant', { set: refusal(404, 'SubscriptionNotFound') }, ['unknown', 'unknown', 'unknown']],
    ['that does not exist', { set: refusal(404, 'ResourceNotFound') }, ['broken', 'unknown', 'unknown']],
    ['in another region', { set: { ...SOUND_SET, location: 'eastus' } }, ['broken', 'ok', 'ok']],
    ['without a key', { set: { ...SOUND_SET, keyUrl: undefined } }, ['ok', 'unknown', 'broken']],
    ['whose key may not be read', { key: refusal(403, 'Forbidden') }, ['ok', 'ok', 'unknown']],
    [
      'whose vault may not be read',
      { vault: refusal(403, 'AuthorizationFailed') },
      ['ok', 'unknown', 'unknown'],
    ],
    ['whose vault does not exist', { vault: refusal(404, 'ResourceNotFound') }, ['ok', 'unknown', 'broken']],
    ['whose identity has no role', { roles: [] }, ['ok', 'broken', 'ok']],
  ])('%s', async (_, world, expected) => {
    const states = await statesOf([nodeClass()], { [SET_ID]: world });
    expect(states(1, 6, 7)).toEqual(expected);
  });

  test('of a second NodeClass is looked at too', async () => {
    const second = nodeClass('second', { diskEncryptionSet: { id: OTHER_SET, source: 'NodeClass' } });
    const states = await statesOf([nodeClass(), second], {
      [OTHER_SET]: { set: refusal(404, 'ResourceNotFound') },
    });
    expect(states(1, 6, 7)).toEqual(['broken', 'unknown', 'unknown']);
  });

  test.each<[string, readonly Evidence[], string]>([
    ['nobody verified', [nodeClass()], 'unknown'],
    [
      'the controller verified',
      [nodeClass('a', { conditions: [condition('DiskEncryptionVerified')] })],
      'ok',
    ],
    [
      'the controller verified for one NodeClass of two',
      [
        nodeClass('a', { conditions: [condition('DiskEncryptionVerified')] }),
        nodeClass('b', { conditions: [condition('DiskEncryptionVerified', 'Unknown')] }),
      ],
      'unknown',
    ],
  ])('that %s, without Azure', async (_, records, expected) => {
    expect((await statesOf(records))(1, 6, 7)).toEqual([expected, expected, expected]);
  });
});

describe('a VM', () => {
  const launched = claim('a', 'Launched');
  const joined = claim('a', 'Launched', 'Registered');

  test.each<[string, readonly Evidence[], string]>([
    ['that runs', [launched, vm()], 'ok'],
    [
      'that was deleted',
      [joined, vm({ found: false, provisioningState: undefined, powerState: undefined })],
      'broken',
    ],
    ['that Azure could not create', [launched, vm({ provisioningState: 'Failed' })], 'broken'],
    [
      'that joined, and whose last operation failed',
      [joined, vm({ provisioningState: 'Failed' })],
      'unknown',
    ],
    ['that is stopped', [joined, vm({ powerState: 'deallocated' })], 'unknown'],
    ['that nobody read, and that joined', [joined], 'ok'],
    ['that nobody read, beside one that joined', [joined, claim('b', 'Launched')], 'unknown'],
  ])('%s: created and booted', async (_, records, expected) => {
    expect((await statesOf(records))(8)).toEqual([expected]);
  });

  test('without a Node, beside a Node that is Ready, is not ok', async () => {
    const node = record('node', { name: 'aks-a', claim: 'a', conditions: [condition('Ready')] });
    expect((await statesOf([joined, node]))(9)).toEqual(['ok']);
    expect((await statesOf([joined, node, claim('b', 'Launched')]))(9)).toEqual(['unknown']);
  });

  test.each<[string, readonly Evidence[], string]>([
    ['has the set', [nodeClass(), launched, path({ vm: SET_ID.toUpperCase() })], 'ok'],
    ['has none, and no launch record', [nodeClass(), launched, path({ vm: '' })], 'broken'],
    ['has another, and no launch record', [nodeClass(), launched, path({ vm: OTHER_SET })], 'broken'],
    [
      'has the one of its launch',
      [nodeClass(), launched, path({ vmRequest: OTHER_SET, vm: OTHER_SET })],
      'unknown',
    ],
    ['lost it', [nodeClass(), launched, path({ vmRequest: SET_ID, vm: '' })], 'broken'],
    ['was not read', [nodeClass(), launched, path({ vmRequest: SET_ID })], 'unknown'],
    [
      'was not read, beside one that was',
      [nodeClass(), launched, claim('b', 'Launched'), path({ vm: SET_ID })],
      'unknown',
    ],
    ['has none, and nothing is configured', [launched, path({ vm: '' })], 'unknown'],
  ])('whose OS disk %s', async (_, records, expected) => {
    expect((await statesOf(records))(11)).toEqual([expected]);
  });
});

test('stages of a launch without the value are not ok', async () => {
  const records = [
    claim('a', 'Launched'),
    path({ options: '', nodeClass: '', launchTemplate: '', plan: '', vmObject: '' }),
  ];
  expect((await statesOf(records))(2, 3, 4)).toEqual(['unknown', 'unknown', 'unknown']);
});

test('NodeClaims of a NodeClass without a set, beside one with a set, need no value', async () => {
  const plain = nodeClass('plain', { diskEncryptionSet: undefined });
  const none = { options: '', nodeClass: '', launchTemplate: '', plan: '', vmObject: '', vm: '' };
  const all = { nodeClass: SET_ID, launchTemplate: SET_ID, plan: SET_ID, vmObject: SET_ID, vm: SET_ID };
  const unencrypted = { ...claim('b', 'Launched'), nodeClass: 'plain' } as Evidence;
  const records = [nodeClass(), plain, unencrypted, path(none, 'b')];
  expect((await statesOf(records))(2, 3, 4, 11)).toEqual(Array(4).fill('notReached'));
  const both = [...records, claim('a', 'Launched'), path(all)];
  expect((await statesOf(both))(2, 3, 4, 11)).toEqual(Array(4).fill('ok'));
});

test('the source that takes precedence is not known without a NodeClass', async () => {
  expect((await statesOf([]))(12)).toEqual(['unknown']);
});
