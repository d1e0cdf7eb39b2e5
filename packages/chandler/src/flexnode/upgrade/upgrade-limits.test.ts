import { writeFileSync } from 'node:fs';
import type { Fetch } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { createArtifacts } from '../artifacts/create-artifacts.ts';
import { createSteps } from '../engine/all-steps.ts';
import { LOCK_PATH, type Parts } from '../engine/parts.ts';
import { FlexError } from '../flex-error.ts';
import { runUpgrade } from './upgrade.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
});
afterEach(() => machine.dispose());

const NEXT = { kubernetes: { version: '1.32.9' }, containerd: { version: '1.7.24' } };
const noToken = async (): Promise<string> => {
  throw new FlexError({ class: 'auth', code: 'himds.unreachable', message: 'HIMDS does not answer' });
};
const upgrade = (parts: Parts, nodeToken = async () => 'token-of-the-node') =>
  runUpgrade(parts, {}, { signal: new AbortController().signal, on: () => undefined, nodeToken });

describe('upgrade', () => {
  test('is rejected on a machine that was unbootstrapped with leftovers', async () => {
    // Changed by somebody else, so that unbootstrap leaves it and the journal.
    machine.namespaces.set('moby', ['docker.io/theirs:1']);
    expect((await machine.unbootstrap()).leftovers.length).toBeGreaterThan(0);
    const before = machine.fetched.length;
    machine.systemd.acts.length = 0;
    const result = await upgrade(await machine.parts({ config: await machine.configOf(NEXT) }));
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'upgrade.not-bootstrapped' } });
    expect(result.error?.message).toContain('unbootstrap');
    expect([machine.fetched.length - before, machine.systemd.acts]).toEqual([0, []]);
  });

  test('is rejected if these versions are installed and the kubelet still runs another', async () => {
    const config = await machine.configOf({ kubernetes: NEXT.kubernetes });
    expect((await machine.bootstrap({ config, only: ['installation'] })).error).toBeUndefined();
    machine.systemd.acts.length = 0;
    const result = await upgrade(await machine.parts({ config }));
    expect(result).toMatchObject({ outcome: 'refused', error: { code: 'upgrade.not-running' } });
    expect(result.error?.message).toContain('1.32.9 is installed, but the Node reports v1.32.7');
    expect(machine.systemd.acts).toEqual([]);
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect((await upgrade(await machine.parts({ config }))).outcome).toBe('nothing-to-do');
  });

  test('that cannot remove the old programs at its end has upgraded, with a note', async () => {
    const parts = await machine.parts({ config: await machine.configOf(NEXT) });
    const { host } = parts;
    let isOver = false;
    const readOnly: typeof host = {
      ...host,
      remove: async (path) => {
        isOver ||= path.endsWith('/upgrade/record.json');
        await host.remove(path);
      },
      removeTree: async (path) => {
        if (!isOver || !path.endsWith('/upgrade')) return await host.removeTree(path);
        throw new FlexError({ class: 'step', code: 'host.read-only', message: 'read-only file system' });
      },
    };
    const result = await upgrade({ ...parts, host: readOnly });
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
    expect(result.notes.at(-1)).toBe(
      'what was saved for a rollback could not be removed: read-only file system',
    );
    expect((await upgrade(await machine.parts({ config: parts.config }))).outcome).toBe('nothing-to-do');
  });

  test('has nothing to do after a rollback to these versions', async () => {
    const broken = await machine.parts({ config: await machine.configOf(NEXT) });
    const node: typeof broken.cluster.node = async (...all) => {
      const facts = await broken.cluster.node(...all);
      return facts?.kubeletVersion === 'v1.32.9' ? { ...facts, ready: false } : facts;
    };
    const config = { ...broken.config, readiness: { ...broken.config.readiness, deadlineSeconds: 6 } };
    const failed = await upgrade({ ...broken, config, cluster: { ...broken.cluster, node } });
    expect(failed.outcome).toBe('rolled-back');
    expect((await upgrade(await machine.parts())).outcome).toBe('nothing-to-do');
  });

  test('of a node with a certificate does not need the Arc agent', async () => {
    const parts = await machine.parts({ config: await machine.configOf(NEXT) });
    const result = await upgrade({ ...parts, steps: createSteps({ nodeToken: noToken }) }, noToken);
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
  });

  test('of a node with a certificate that is damaged needs the Arc agent', async () => {
    writeFileSync(`${machine.root}/var/lib/kubelet/pki/kubelet-client-2026-01-01-00-00-00.pem`, 'damaged');
    const config = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 6 } });
    const parts = await machine.parts({ config });
    const result = await upgrade({ ...parts, steps: createSteps({ nodeToken: noToken }) }, noToken);
    expect(result.error?.code).toBe('flex.himds-silent');
  });

  test('releases its lock only when no download is in progress', async () => {
    const config = await machine.configOf(NEXT);
    let inFlight = 0;
    let seen = 0;
    const atLock: number[] = [];
    const parts = await machine.parts({
      config,
      onEffect: (_, what) => {
        if (what.endsWith(LOCK_PATH)) atLock.push(inFlight);
      },
    });
    /** containerd cannot be downloaded, and everything else takes some time to stop. */
    const fetch: Fetch = async (input, init) => {
      if (/containerd/.test(String(input))) return new Response('', { status: 403 });
      inFlight++;
      seen++;
      await new Promise((resolve) => init?.signal?.addEventListener('abort', resolve, { once: true }));
      await new Promise((resolve) => setTimeout(resolve, 20));
      inFlight--;
      throw init?.signal?.reason;
    };
    const { world, host, architecture } = parts;
    const artifacts = createArtifacts(world, { config, architecture, fetch, host, say: () => undefined });
    const result = await upgrade({ ...parts, artifacts });
    expect(result.outcome).toBe('refused');
    expect(seen).toBeGreaterThan(0);
    expect(atLock.at(-1)).toBe(0);
    await artifacts.stop();
  });
});
