import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES } from '../../packages/chandler/src/api/index.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';
import { PhaseFailure, play } from './phases.ts';
import { nodeClassWith, STORY } from './story.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

describe('[000] the story of a customer key, phase by phase', () => {
  test('[000-S4] from a NodeClass to a healthy pod on an encrypted disk, and back, as its own service account', async () => {
    ground = await embeddedGround();
    await ground.startOperator();
    const records = await play(ground, STORY);
    expect(records.map(({ name }) => name)).toEqual(STORY.map(({ name }) => name));
    expect(ground.lines).toHaveLength(STORY.length);
    expect(ground.lines[0]).toMatch(/^phase 1\/12 the disk encryption set is there, by ARM: after 0\.0 s/);
    expect(ground.asked.filter(({ status }) => status === 401 || status === 403)).toEqual([]);
  });

  test('[000-S4] a run that gets stuck fails in its phase, with the message of the condition', async () => {
    ground = await embeddedGround({ quiet: true });
    ground.stage.azure.byok.deleteSet();
    await ground.startOperator();
    const failure = await play(ground, STORY.slice(1)).then(
      () => undefined,
      (error: unknown) => error as PhaseFailure,
    );
    expect(failure).toBeInstanceOf(PhaseFailure);
    expect(failure).toMatchObject({ phase: 'the NodeClass is Ready' });
    expect(failure!.seen).toMatch(/ValidationSucceeded=False DiskEncryptionSet/);
    expect(ground.lines.at(-1)).toMatch(/^phase 1\/11 the NodeClass is Ready: FAILED after 60\.\d s/);
  });

  test('[000-S4] the last check finds a VM that was created without the key', async () => {
    ground = await embeddedGround({ quiet: true });
    await ground.startOperator();
    const withoutKey = STORY.map((phase) =>
      phase.name === 'the NodeClass is Ready'
        ? { ...phase, act: () => ground.apply(AKS_NODE_CLASSES, nodeClassWith(undefined)) }
        : phase,
    );
    await expect(play(ground, withoutKey)).rejects.toMatchObject({
      phase: "the VM that ARM reports, and its disk, are encrypted with the customer's key",
      seen: '{}',
    });
  });
});
