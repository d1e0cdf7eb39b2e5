import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createFolderMachine,
  type FolderMachine,
  type RunChoices,
} from '../../../../../test/flexnode/folder-machine.ts';
import { Killed } from '../../../../../test/flexnode/kill-switch.ts';
import type { FlexConfig } from '../config/config.ts';
import { runUpgrade } from './upgrade.ts';

const NEXT = { kubernetes: { version: '1.32.9' }, containerd: { version: '1.7.24' } };
const FEWER_PODS = { node: { maxPods: 30 } };
const CONFIG_FILE = '/var/lib/kubelet/config.yaml';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
});
afterEach(() => machine.dispose());

const hasSavedFiles = () => existsSync(`${machine.root}/var/lib/chandler-flexnode/upgrade`);
const maxPods = () => /maxPods: \d+/.exec(readFileSync(machine.root + CONFIG_FILE, 'utf8'))?.[0];
const versionOf = (program: string) =>
  / v(\d\S+)/.exec(readFileSync(`${machine.root}/usr/local/bin/${program}`, 'utf8'))?.[1];

async function upgrade(config: FlexConfig, choices: RunChoices = {}) {
  return runUpgrade(
    await machine.parts({ ...choices, config }),
    {},
    {
      signal: new AbortController().signal,
      on: () => undefined,
      nodeToken: async () => 'token-of-the-node',
    },
  );
}

/** Ends an upgrade to `NEXT` after this effect. */
async function killedUpgrade(at: (kind: string, what: string) => boolean): Promise<void> {
  let dead = false;
  await upgrade(await machine.configOf(NEXT), {
    onEffect: (kind, what, moment) => {
      dead ||= moment === 'after' && at(kind, what);
      if (dead) throw new Killed(what);
    },
  }).catch(() => undefined);
  expect([dead, hasSavedFiles()]).toEqual([true, true]);
}

const whenSaved = (kind: string, what: string) => kind === 'rename' && what.endsWith('/upgrade/record.json');
const whenContainerdIsReplaced = (kind: string, what: string) =>
  kind === 'rename' && what.endsWith('/usr/local/bin/containerd');

describe('the old files of an upgrade that was killed', () => {
  test.each([
    ['before the first file was replaced', whenSaved],
    ['after containerd was replaced', whenContainerdIsReplaced],
  ])('(%s) are not restored after a bootstrap with the old versions', async (_, at) => {
    await killedUpgrade(at);
    const config = await machine.configOf(FEWER_PODS);
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect(hasSavedFiles()).toBe(false);
    expect(maxPods()).toBe('maxPods: 30');
    const result = await upgrade(config);
    expect([result.outcome, result.error, maxPods()]).toEqual(['nothing-to-do', undefined, 'maxPods: 30']);
  });

  test('are not restored after a bootstrap with the new versions', async () => {
    await killedUpgrade(whenContainerdIsReplaced);
    expect((await machine.bootstrap({ config: await machine.configOf(NEXT) })).error).toBeUndefined();
    expect(hasSavedFiles()).toBe(false);
    expect([versionOf('kubelet'), versionOf('containerd')]).toEqual(['1.32.9', '1.7.24']);
  });

  test('are not restored after a bootstrap of some steps, if the others are completed', async () => {
    await killedUpgrade(whenSaved);
    const config = await machine.configOf(FEWER_PODS);
    const result = await machine.bootstrap({ config, only: ['kubelet', 'start-services'] });
    expect(result.error).toBeUndefined();
    expect(hasSavedFiles()).toBe(false);
  });

  test('are kept by a bootstrap of some steps while others are not completed, and restored', async () => {
    await killedUpgrade(whenContainerdIsReplaced);
    const result = await machine.bootstrap({ config: await machine.configOf(), only: ['cni'] });
    expect(result.error).toBeUndefined();
    expect(hasSavedFiles()).toBe(true);
    expect((await upgrade(await machine.configOf())).outcome).toBe('nothing-to-do');
    expect([versionOf('kubelet'), versionOf('containerd')]).toEqual(['1.32.7', '1.7.20']);
  });

  test('are deleted by the next bootstrap if one was killed before it deleted them', async () => {
    const config = await machine.configOf(FEWER_PODS);
    await killedUpgrade(whenSaved);
    let dead = false;
    await machine
      .bootstrap({
        config: await machine.configOf(FEWER_PODS),
        onEffect: (_kind, what) => {
          dead ||= what.includes('/chandler-flexnode/upgrade');
          if (dead) throw new Killed(what);
        },
      })
      .catch(() => undefined);
    expect([dead, hasSavedFiles()]).toEqual([true, true]);
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect(hasSavedFiles()).toBe(false);
    expect(await machine.bootstrap({ config })).toMatchObject({ success: true, changed: false });
  });

  test('are used by the rollback of the upgrade itself, although its bootstrap has completed', async () => {
    const config = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 20 } });
    const parts = await machine.parts({ config });
    const node: typeof parts.cluster.node = async (...asked) => {
      const facts = await parts.cluster.node(...asked);
      return facts && { ...facts, kubeletVersion: 'v1.32.7' };
    };
    const result = await runUpgrade(
      { ...parts, cluster: { ...parts.cluster, node } },
      {},
      { signal: new AbortController().signal, on: () => undefined, nodeToken: async () => 'token' },
    );
    expect([result.outcome, result.error?.code]).toEqual(['rolled-back', 'upgrade.old-version']);
    expect([versionOf('kubelet'), versionOf('containerd')]).toEqual(['1.32.7', '1.7.20']);
  });
});

test('a disk that is full while the old files are saved keeps neither their copies nor the downloads', async () => {
  const before = machine.tree(['/var/lib/chandler-flexnode/journal.jsonl', '/proc']);
  const result = await upgrade(await machine.configOf(NEXT), {
    onEffect: (kind, what, moment) => {
      if (kind === 'write' && moment === 'before' && what.endsWith('/chandler-flexnode/upgrade/003'))
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  expect([result.outcome, result.error?.code]).toEqual(['refused', 'host.disk-full']);
  expect(hasSavedFiles()).toBe(false);
  expect(machine.tree(['/var/lib/chandler-flexnode/journal.jsonl', '/proc'])).toEqual(before);
});

describe('an upgrade after one that was killed', () => {
  test('is not reported as "nothing was changed" if the old files cannot be restored', async () => {
    await killedUpgrade(whenContainerdIsReplaced);
    writeFileSync(`${machine.root}/var/lib/chandler-flexnode/upgrade/000`, 'damaged');
    const result = await upgrade(await machine.configOf());
    expect(result.outcome).toBe('stuck');
    expect(result.error).toMatchObject({
      class: 'step',
      message: expect.stringContaining('an earlier upgrade was interrupted, and its rollback failed: '),
      remedy: expect.stringContaining('bootstrap with the old versions'),
    });
    expect(hasSavedFiles()).toBe(true);
    // The remedy.
    expect((await machine.bootstrap({ config: await machine.configOf() })).error).toBeUndefined();
    expect([versionOf('containerd'), hasSavedFiles()]).toEqual(['1.7.20', false]);
  });

  test('says that it has restored the old versions, also if it is rejected', async () => {
    await killedUpgrade(whenContainerdIsReplaced);
    const result = await upgrade(await machine.configOf({ kubernetes: { version: '1.31.1' } }));
    expect([result.outcome, result.error?.code]).toEqual(['refused', 'upgrade.downgrade']);
    expect(result.notes).toEqual([
      'an earlier upgrade was interrupted: its old versions were restored first',
    ]);
    expect(versionOf('containerd')).toBe('1.7.20');
  });
});
