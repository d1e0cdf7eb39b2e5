import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, type ByokCloud, byokCloud } from './byok-cloud.fixture.ts';

const SET =
  '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';
/** Of seed 000: options, provider, launch, VM object, request, long operation, result. */
const STAGES = ['options', 'nodeClass', 'launchTemplate', 'vmObject', 'vmRequest', 'vmOperation', 'vmResult'];
const FACT = { value: SET, source: 'env' };

let open: ByokCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe('[000-L5.1] every stage from the flag to the result', () => {
  test('records the set and its source in the journey and in the log', async () => {
    open = await byokCloud({ env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: SET } });
    const { stages } = await open.launch(aClaim('a'), await open.classNow());
    for (const name of STAGES) {
      const recorded = stages.filter((stage) => stage.name === name);
      expect([name, recorded.map((stage) => stage.facts?.['diskEncryptionSet'])]).toEqual([
        name,
        recorded.map(() => FACT),
      ]);
      const lines = open.world.lines.filter((line) => line.fields['stage'] === name);
      expect(lines.length).toBe(recorded.length);
      expect(JSON.stringify(lines)).toContain(SET);
      expect(recorded.filter((stage) => stage.outcome === 'ok')).toHaveLength(1);
    }
  });

  test('also when Azure takes the VM and then fails it', async () => {
    open = await byokCloud({ env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: SET } });
    const ready = await open.classNow();
    open.server.faults.add({ name: 'allocation' });
    const error = await open.launch(aClaim('a'), ready).catch((thrown: unknown) => thrown);
    const { stages } = error as { stages: readonly { name: string; facts?: Record<string, unknown> }[] };
    expect(stages.length).toBeGreaterThan(0);
    for (const stage of stages) {
      if (STAGES.includes(stage.name)) expect(stage.facts?.['diskEncryptionSet']).toEqual(FACT);
    }
  });
});
