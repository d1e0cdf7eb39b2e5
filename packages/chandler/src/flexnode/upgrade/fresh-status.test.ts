import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { killSwitch } from '../../../../../test/flexnode/kill-switch.ts';
import type { FlexConfig } from '../config/config.ts';
import { runBootstrap } from '../engine/run.ts';
import { runUpgrade, type UpgradeOptions } from './upgrade.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
});
afterEach(() => machine.dispose());

const CONTAINERD = { containerd: { version: '1.7.24' } };
const readiness = { deadlineSeconds: 120 };

async function upgrade(
  config: FlexConfig,
  choices: Parameters<FolderMachine['parts']>[0] & Partial<UpgradeOptions> = {},
) {
  return runUpgrade(
    await machine.parts({ ...choices, config }),
    {},
    {
      signal: choices.signal ?? new AbortController().signal,
      on: () => undefined,
      nodeToken: async () => 'token-of-the-node',
    },
  );
}

/** From the next start of the kubelet on. */
function silentFromNextStart(): void {
  const starts = () => machine.systemd.acts.filter((act) => /^(?:re)?start kubelet/.test(act)).length;
  const before = starts();
  machine.faults.isKubeletSilent = () => starts() > before;
}

const restarts = (unit: string) =>
  machine.systemd.acts.filter((act) => /^(?:re)?start /.test(act) && act.endsWith(unit)).length;

describe('a Node that is Ready only because its status is old', () => {
  test('does not complete bootstrap with new settings if the kubelet reports nothing', async () => {
    silentFromNextStart();
    const result = await machine.bootstrap({
      config: await machine.configOf({ node: { maxPods: 30 }, readiness: { deadlineSeconds: 20 } }),
    });
    expect(result).toMatchObject({ success: false, failedStep: 'start-services' });
    expect(result.error?.message).toContain('has not reported since it was started');
  });

  test('completes bootstrap with new settings once the kubelet has reported', async () => {
    const result = await machine.bootstrap({ config: await machine.configOf({ node: { maxPods: 30 } }) });
    expect(result.error).toBeUndefined();
  });

  test('does not complete an upgrade of containerd that fails after some seconds', async () => {
    machine.faults.failingContainerd = '1.7.24';
    const result = await upgrade(await machine.configOf({ ...CONTAINERD, readiness }));
    expect(result.outcome).toBe('rolled-back');
  });

  test('completes an upgrade of containerd alone, with a kubelet that was restarted', async () => {
    const before = restarts('kubelet.service');
    const result = await upgrade(await machine.configOf({ ...CONTAINERD, readiness }));
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
    expect(restarts('kubelet.service')).toBe(before + 1);
  });

  test('does not complete a rollback if the kubelet reports nothing', async () => {
    const stop = new AbortController();
    const config = await machine.configOf({
      kubernetes: { version: '1.32.9' },
      readiness: { deadlineSeconds: 20 },
    });
    const result = await upgrade(config, {
      signal: stop.signal,
      onEffect: (kind, what, moment) => {
        if (kind !== 'rename' || moment !== 'after' || !what.endsWith('/usr/local/bin/kubelet')) return;
        silentFromNextStart();
        stop.abort(new Error('stopped'));
      },
    });
    expect(result.outcome).toBe('stuck');
  });

  test('does not complete an upgrade of containerd that was killed before the restart', async () => {
    const config = await machine.configOf({ ...CONTAINERD, readiness });
    const counting = killSwitch();
    await upgrade(config, { kill: counting });
    const at = counting.points.indexOf('command systemctl daemon-reload (before)');
    expect(at).toBeGreaterThan(0);
    const old = await machine.configOf();
    const back = await runUpgrade(
      await machine.parts({ config: old }),
      { allowDowngrade: true },
      {
        signal: new AbortController().signal,
        on: () => undefined,
        nodeToken: async () => 'token-of-the-node',
      },
    );
    expect(back.outcome).toBe('upgraded');
    await machine.configOf({ ...CONTAINERD, readiness });
    await upgrade(config, { kill: killSwitch(at) }).catch(() => undefined);
    const before = restarts('containerd.service');
    const result = await upgrade(config);
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
    expect(restarts('containerd.service')).toBeGreaterThan(before);
  });
});

test('an interruption while the kubelet stops does not leave it stopped', async () => {
  const stop = new AbortController();
  const parts = await machine.parts({ config: await machine.configOf({ node: { maxPods: 30 } }) });
  // The interruption ends systemctl, and systemd stops the unit all the same.
  const run: typeof parts.host.run = async (command) => {
    const result = await parts.host.run(command);
    if (command.argv.join(' ') !== 'systemctl stop kubelet.service') return result;
    stop.abort(new Error('stopped'));
    return { exitCode: 128, stdout: '', stderr: '' };
  };
  const result = await runBootstrap(
    { ...parts, host: { ...parts.host, run } },
    { signal: stop.signal, on: () => undefined },
  );
  expect(result).toMatchObject({ success: false, failedStep: 'start-services' });
  expect(machine.systemd.acts).toContain('stop kubelet.service');
  expect(machine.systemd.active.has('kubelet.service')).toBe(true);
});
