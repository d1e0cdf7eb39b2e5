import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { killSwitch } from '../../../../../test/flexnode/kill-switch.ts';
import { readJournal } from './journal.ts';
import { type Plan, planBootstrap } from './plan.ts';
import { planToJson, renderPlan } from './render-plan.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const { signal } = new AbortController();
const INSTALLATION = { only: ['identity', 'installation'], signal, offline: true };

const writesOf = (plan: Plan) =>
  plan.steps
    .flatMap((step) => step.effects)
    .flatMap((effect) => (effect.kind === 'write' ? [effect.path] : []));

describe('a dry run', () => {
  test('writes nothing, sends no request and runs no command that changes the machine', async () => {
    const before = machine.tree();
    const kill = killSwitch();
    await planBootstrap(await machine.parts({ kill }), { signal, offline: true });
    expect(machine.tree()).toEqual(before);
    expect(kill.points.filter((point) => !point.startsWith('command'))).toEqual([]);
    expect(machine.commands.filter((command) => command.changes)).toEqual([]);
  });

  test('names every file that the real run then writes', async () => {
    const config = await machine.configOf();
    const planned = writesOf(await planBootstrap(await machine.parts({ config }), INSTALLATION));
    const result = await machine.bootstrap({ config, only: INSTALLATION.only });
    expect(result.error).toBeUndefined();
    const { paths } = await readJournal((await machine.parts()).host);
    const written = [...paths.values()]
      .filter(({ written: states }) => states.some((state) => state.kind === 'file'))
      .map(({ path }) => path);
    expect(planned.filter((path) => !path.startsWith('/run/chandler-flexnode/')).sort()).toEqual(
      written.sort(),
    );
  });

  test('shows a changed file as a diff, with the lines around the change', async () => {
    const text = renderPlan(await planBootstrap(await machine.parts(), INSTALLATION));
    expect(text).toContain(
      [
        '      --- /etc/fstab',
        '      +++ /etc/fstab',
        '      @@ -1,3 +1,3 @@',
        '       # /etc/fstab: static file system information.',
        '       UUID=6a1f-22 / ext4 defaults 0 1',
        '      -/swap.img\tnone\tswap\tsw\t0\t0',
        '      +#chandler-flexnode# /swap.img\tnone\tswap\tsw\t0\t0',
      ].join('\n'),
    );
    expect(text).toContain('run: swapoff -a');
    expect(text).toMatch(
      /download: runc 1\.1\.12 \(amd64\) from https:\/\/mirror\.test\/\S+ \(sha256 [0-9a-f]{64}\)/,
    );
    expect(text).toContain('link: /etc/resolv.conf -> /run/systemd/resolve/resolv.conf');
  });

  test('does not show what only root may read', async () => {
    const plan = await planBootstrap(await machine.parts(), INSTALLATION);
    const text = renderPlan(plan) + JSON.stringify(planToJson(plan));
    expect(text).toContain('azcmagent-connect.json');
    expect(text).not.toContain('access-token');
  });

  test('after a bootstrap says that there is nothing to do', async () => {
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    const plan = await planBootstrap(await machine.parts({ config }), { signal, offline: true });
    expect(plan.steps.every((step) => step.status === 'done')).toBe(true);
    expect(renderPlan(plan)).toContain('No changes for edge-01.');
  });

  test('of a changed label shows that label and the restart, and why', async () => {
    await machine.bootstrap();
    const config = await machine.configOf({ node: { labels: { 'example.com/site': 'b' } } });
    const plan = await planBootstrap(await machine.parts({ config }), { signal, offline: true });
    expect(plan.steps.filter((step) => step.status === 'to-do').map(({ step, why }) => [step, why])).toEqual([
      ['kubelet', 'inputs-changed'],
      ['start-services', 'inputs-changed'],
    ]);
    expect(renderPlan(plan)).toContain('run: systemctl restart kubelet.service');
  });

  test('of a machine that somebody changed says so', async () => {
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    writeFileSync(`${machine.root}/etc/containerd/config.toml`, 'version = 9\n');
    const plan = await planBootstrap(await machine.parts({ config }), { signal, offline: true });
    expect(plan.steps.find(({ step }) => step === 'containerd')).toMatchObject({ why: 'machine-differs' });
    expect(renderPlan(plan)).toContain('-version = 9');
  });
});
