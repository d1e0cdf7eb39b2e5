/** The ways in which a failed bootstrap reaches its NodeClaim, and what becomes of the machine; over the whole wire. */
import { EVENTS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { everyNth } from '../part.ts';
import { type CseScene, conditionOf, cseScene, type Mode } from './cse-on-claim.fixture.ts';

let scene: CseScene;
afterEach(() => scene.stage.end());

const MINUTE_MS = 60_000;
const MODES: readonly Mode[] = ['bootstrappingclient', 'aksscriptless'];

describe.each(everyNth('modes', MODES, 2))('in the mode %s', (mode) => {
  test('a node that joins is CSEProvisioned, and nobody is warned', async () => {
    scene = await cseScene({ mode });
    const { reason, claim } = await scene.untilSaid('True');
    expect(reason).toBe('CSEProvisioned');
    await scene.stage.until('it is ready', async () => {
      const shown = (await scene.claims()).find(({ metadata }) => metadata.uid === claim.metadata.uid);
      return shown !== undefined && conditionOf(shown, 'Ready')?.status === 'True';
    });
    expect(await scene.events()).toEqual([]);
    expect(scene.counted()).toBe(0);
  });

  test('the machine is kept with KEEP_FAILED_VM, as long as FAILED_CLAIM_RETENTION keeps the claim', async () => {
    const env = { KEEP_FAILED_VM: 'true', FAILED_CLAIM_RETENTION: '20m' };
    scene = await cseScene({ mode, faults: ['cse=50@count=1'], env });
    const { claim } = await scene.untilSaid('False');
    const machine = `aks-${claim.metadata.name}`;
    const machines = () => scene.stage.arm.resources.vms().map(({ name }) => name);
    await scene.stage.world.clock.advance(19 * MINUTE_MS);
    expect(machines()).toContain(machine);
    await scene.stage.world.clock.advance(2 * MINUTE_MS);
    expect(machines()).not.toContain(machine);
    expect((await scene.claims()).map(({ metadata }) => metadata.name)).not.toContain(claim.metadata.name);
  });

  test('the pod gets another node meanwhile', async () => {
    scene = await cseScene({ mode, faults: ['cse=50@count=1'], pool: { limits: { cpu: '2' } } });
    const { claim } = await scene.untilSaid('False');
    await scene.untilSaid('True', 60_000);
    expect((await scene.claims()).map(({ metadata }) => metadata.name)).toContain(claim.metadata.name);
  });

  test('no secret is in an object or in the log', async () => {
    scene = await cseScene({ mode, faults: ['cse=50'] });
    await scene.untilSaid('False');
    await scene.stage.world.clock.advance(MINUTE_MS);
    const { playground, world } = scene.stage;
    const shown = JSON.stringify([await scene.claims(), await scene.events(), world.lines]);
    expect(shown).not.toContain(playground.azure!.bootstrapToken);
    expect(shown).not.toMatch(/[?&]sig=(?!\[redacted)/);
  });
});

describe('what the extension says', () => {
  test.each([
    ['cse-truncated=50', /^CSE exited with code 50 \(ERR_OUTBOUND_CONN_FAIL\)/],
    ['cse-plain=51', /^CSE exited with code 51 \(ERR_K8S_API_SERVER_CONN_FAIL\)/],
    ['extension-timeout', /^CSE failed without an exit code: Azure stopped waiting/],
    ['extension-fails', /^CSE failed without an exit code/],
  ])('%s', async (fault, message) => {
    scene = await cseScene({ mode: 'bootstrappingclient', faults: [`${fault}@count=1`] });
    expect((await scene.untilSaid('False')).message).toMatch(message);
  });

  test('is found by a later process, and reported once', async () => {
    scene = await cseScene({ mode: 'bootstrappingclient', faults: ['cse=50@count=1'] });
    const { stage } = scene;
    const extension = () =>
      stage.arm.resources.extensions().find(({ name }) => name === 'cse-agent-karpenter');
    await stage.until('the script runs', () => extension() !== undefined);
    await stage.inTime(scene.operator.stop());
    await stage.world.clock.advance(5 * MINUTE_MS);
    expect(extension()?.properties['provisioningState']).toBe('Failed');
    const [before] = await stage.list(NODE_CLAIMS);
    expect(conditionOf(before!, 'CSEProvisioned')?.status).toBe('Unknown');
    const next = stage.operator({ env: { PROVISION_MODE: 'bootstrappingclient' } });
    await stage.inTime(next.start());
    const { claim, message } = await scene.untilSaid('False');
    expect([claim.metadata.uid, message]).toEqual([
      before!.metadata.uid,
      expect.stringMatching(/^CSE exited with code 50 /),
    ]);
    await stage.world.clock.advance(MINUTE_MS);
    expect(scene.counted('code="50"')).toBe(1);
  });

  test('is reported by the next process when the one that found it died before, and not again by a third', async () => {
    scene = await cseScene({ mode: 'aksscriptless', faults: ['cse=50'] });
    const { stage } = scene;
    const { claim } = await scene.untilSaid('False');
    await stage.inTime(scene.operator.stop());
    const onClaim = async () =>
      (await stage.list(EVENTS)).filter(
        (event) => (event['involvedObject'] as { uid?: string }).uid === claim.metadata.uid,
      );
    const failed = async () => (await onClaim()).filter((event) => event['reason'] === 'CSEFailed');
    expect(await failed()).toHaveLength(1);
    for (const { metadata } of await failed())
      await stage.inTime(stage.admin.delete(EVENTS, { namespace: 'default', name: metadata.name! }));
    for (const _ of ['next', 'third']) {
      await stage.world.clock.advance(20_000);
      const operator = stage.operator({ env: { PROVISION_MODE: 'aksscriptless' } });
      await stage.inTime(operator.start());
      await stage.until('it is reported', async () => (await failed()).length > 0);
      await stage.world.clock.advance(5_000);
      await stage.inTime(operator.stop());
    }
    const [told] = await failed();
    expect(told).toMatchObject({ count: 1, message: expect.stringMatching(/^CSE exited with code 50 /) });
    const lines = stage.world.lines.filter(
      ({ fields }) => fields['reason'] === 'CSEFailed' && fields['nodeclaim'] === claim.metadata.name,
    );
    expect(lines.map(({ fields }) => fields['code'])).toEqual([50, 50]);
  });
});
