import { EVENTS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { SET_RECORD } from './fake-azure.ts';

const VERSION_RECORD = 'chandler.sh/kubernetes-version';

let full: FullStage;
afterEach(() => full.stage.end());

const annotations = async (name: string) =>
  (await full.stage.get(NODE_CLAIMS, name))?.metadata.annotations ?? {};

describe('a claim that an earlier process of this controller launched', () => {
  test('gets the records that it lacks, and those that it has stay', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    const patch = { metadata: { annotations: { [SET_RECORD]: 'none' } } };
    await full.stage.admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch });
    full.azure.records = { [SET_RECORD]: '/set/other', [VERSION_RECORD]: '1.33.1' };
    await full.stage.world.clock.advance(40 * 60_000);
    expect(await annotations(name)).toMatchObject({ [SET_RECORD]: 'none', [VERSION_RECORD]: '1.33.1' });
  });
});

describe('a claim that another controller launched', () => {
  test('is not written when its instance equals what a launch would create now', async () => {
    full = await fullStage();
    full.azure.records = { [SET_RECORD]: 'none' };
    const name = await settledPod(full);
    await full.stage.world.clock.advance(40 * 60_000);
    expect(full.azure.adopted).toContain(name);
    expect(await annotations(name)).not.toHaveProperty(SET_RECORD);
  });

  test('keeps the values of its instance when they differ, with one event on the pool', async () => {
    full = await fullStage();
    full.azure.records = { [SET_RECORD]: 'adopted /set/old' };
    full.azure.spared = [{ nodePool: 'general', claims: [], message: 'one claim has another set' }];
    const name = await settledPod(full);
    await full.stage.until('it is recorded', async () => SET_RECORD in (await annotations(name)));
    await full.stage.world.clock.advance(45 * 60_000);
    const events = (await full.stage.list(EVENTS)).filter(
      ({ reason }) => reason === 'DiskEncryptionSetDiffers',
    );
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      message: 'one claim has another set',
      involvedObject: { kind: 'NodePool' },
    });
  });
});
