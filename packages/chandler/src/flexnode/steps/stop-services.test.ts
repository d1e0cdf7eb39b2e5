import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { stopServices } from './stop-services.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = await folderMachine();
});
afterEach(() => machine.close());

test('[004-S2] a kubelet that runs is stopped', async () => {
  machine.units['kubelet'] = { active: true, enabled: true };
  await stopServices.execute(machine.context());
  expect(machine.changes).toEqual(['systemctl stop kubelet.service']);
  expect(machine.units['kubelet']).toEqual({ active: false, enabled: true });
});

test('[004-checklist] Step 2: stop kubelet if the service exists, go on when it does not', async () => {
  await stopServices.execute(machine.context());
  expect(machine.changes).toEqual([]);
});

test('[004-SEC-20] containerd and other services are left alone', async () => {
  machine.units['containerd'] = { active: true, enabled: true };
  machine.units['docker'] = { active: true, enabled: true };
  await stopServices.execute(machine.context());
  expect(machine.changes).toEqual([]);
});

test('[004-S2] a kubelet that runs because we started it is not stopped by the next run', async () => {
  const context = machine.context();
  expect(await stopServices.isCompleted(context)).toBe(false);
  await stopServices.execute(context);
  machine.units['kubelet'] = { active: true, enabled: true };
  expect(await stopServices.isCompleted(context)).toBe(true);
});

test('[004-S2] what was running and enabled before is so again after undoing', async () => {
  machine.units['kubelet'] = { active: true, enabled: true };
  machine.units['containerd'] = { active: false, enabled: true };
  const context = machine.context();
  await stopServices.execute(context);
  // Ours was installed and removed.
  machine.units['kubelet'] = { active: false, enabled: false };
  machine.units['containerd'] = { active: false, enabled: false };
  expect(await stopServices.undo(context)).toEqual([]);
  expect(machine.units['kubelet']).toEqual({ active: true, enabled: true });
  expect(machine.units['containerd']).toEqual({ active: false, enabled: true });
});

test('[004-S2] a second attempt does not take our own doing for what was before', async () => {
  machine.units['kubelet'] = { active: true, enabled: true };
  const context = machine.context();
  await stopServices.execute(context);
  await stopServices.execute(context);
  await stopServices.undo(context);
  expect(machine.units['kubelet']?.active).toBe(true);
});

test('[004-S2] a service that cannot be put back is named with the command that does it', async () => {
  machine.units['kubelet'] = { active: true, enabled: false };
  const context = machine.context();
  await stopServices.execute(context);
  delete machine.units['kubelet'];
  expect(await stopServices.undo(context)).toEqual([
    expect.objectContaining({ what: 'kubelet.service', finish: ['systemctl start kubelet.service'] }),
  ]);
});

test('[004-S2] a kubelet that does not stop ends the run with what systemd said', async () => {
  machine.units['kubelet'] = { active: true, enabled: true };
  machine.answers = ({ argv }) =>
    argv[1] === 'stop' ? { exitCode: 1, stderr: 'Job for kubelet.service canceled.' } : undefined;
  await expect(stopServices.execute(machine.context())).rejects.toMatchObject({
    facts: { code: 'systemd.failed', message: expect.stringContaining('canceled') },
  });
});
