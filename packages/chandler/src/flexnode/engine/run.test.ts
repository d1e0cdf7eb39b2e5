import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { killSwitch } from '../../../../../test/flexnode/kill-switch.ts';
import {
  collected,
  never,
  type SmallMachine,
  smallMachine,
  smallSteps,
} from '../../../../../test/flexnode/small-steps.ts';
import { treeOf } from '../../../../../test/flexnode/tree.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import { FlexError } from '../flex-error.ts';
import { readJournal } from './journal.ts';
import { JOURNAL_PATH, LOCK_PATH } from './parts.ts';
import { recordedConfig } from './recorded-config.ts';
import { runBootstrap } from './run.ts';

let machine: SmallMachine;
beforeEach(() => {
  machine = smallMachine();
});
afterEach(() => machine.dispose());

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const run = (
  options: Parameters<SmallMachine['parts']>[0] = {},
  more: Partial<Parameters<typeof runBootstrap>[1]> = {},
) => runBootstrap(machine.parts(options), { signal: never, on: () => undefined, ...more });

describe('a first run', () => {
  test('runs every step in order and reports each', async () => {
    const { events, on } = collected();
    const result = await run({}, { on });
    expect(result.success).toBe(true);
    expect(machine.executed).toEqual(['directories', 'containerd', 'kubelet', 'start-services']);
    expect(events.map((event) => event.type)).toEqual([
      'run-started',
      ...['directories', 'containerd', 'kubelet', 'start-services'].flatMap(() => [
        'step-started',
        'step-completed',
      ]),
      'run-completed',
    ]);
    expect(result.steps.map((step) => step.name)).toEqual([
      'DirectoriesCreated',
      'ContainerdInstaller',
      'KubeletInstaller',
      'ServicesEnabled',
    ]);
  });

  test('leaves no lock and no half-written file behind', async () => {
    await run();
    expect(isThere(machine.root + LOCK_PATH)).toBe(false);
    expect(treeOf(machine.root).filter((line) => line.includes('flexnode-new'))).toEqual([]);
  });

  test('[004-SEC-14] keeps its journal from other users, in a folder of its own', async () => {
    await run();
    const lines = treeOf(machine.root);
    expect(lines).toContain('/var/lib/chandler-flexnode/ directory 700');
    expect(lines.find((line) => line.startsWith('/var/lib/chandler-flexnode/journal.jsonl'))).toContain(
      'file 600',
    );
  });
});

describe('a second run with nothing changed', () => {
  test('has no effect at all, not even on the journal', async () => {
    await run();
    const before = treeOf(machine.root);
    const count = killSwitch();
    const result = await run({ host: { onEffect: count.onEffect } });
    expect(result).toMatchObject({ success: true, changed: false });
    expect(count.points.filter((point) => !point.startsWith('command service state'))).toEqual([]);
    expect(treeOf(machine.root)).toEqual(before);
  });
});

describe('a change of the configuration', () => {
  beforeEach(async () => {
    await run();
    machine.executed.length = 0;
  });

  test('a new label is written, and the service started again; nothing else is touched', async () => {
    await run({ config: sampleConfig({ node: { labels: { site: 'b' } } }) });
    expect(machine.executed).toEqual(['kubelet', 'start-services']);
  });

  test('a new version re-runs its own step and what must follow it', async () => {
    await run({ config: sampleConfig({ containerd: { version: '1.7.99' } }) });
    expect(machine.executed).toEqual(['containerd', 'start-services']);
  });

  test('what a secret or a log level says does not matter to any step', async () => {
    const result = await run({ config: sampleConfig({ agent: { logLevel: 'debug' } }) });
    expect(result.changed).toBe(false);
  });
});

describe('a machine that somebody changed', () => {
  test('is put right by the step that the change belongs to, and services follow', async () => {
    await run();
    machine.executed.length = 0;
    writeFileSync(`${machine.root}/etc/default/kubelet`, 'mine');
    const { events, on } = collected();
    await run({}, { on });
    expect(machine.executed).toEqual(['kubelet', 'start-services']);
    const kept = events.find((event) => event.type === 'kept');
    expect(kept).toMatchObject({ path: '/etc/default/kubelet' });
    expect(readFileSync(machine.root + (kept as { copy: string }).copy, 'utf8')).toBe('mine');
  });
});

describe('a failure', () => {
  const broken = () =>
    smallSteps(machine).map((step) =>
      step.id === 'kubelet'
        ? {
            ...step,
            execute: async () => {
              throw new FlexError({ class: 'network', code: 'download.gone', message: 'no such file' });
            },
          }
        : step,
    );

  test('[004-checklist] ends the run at once and names the step', async () => {
    const { events, on } = collected();
    const result = await run({ steps: broken() }, { on });
    expect(result).toMatchObject({
      success: false,
      failedStep: 'kubelet',
      error: { class: 'network', code: 'download.gone', message: 'KubeletInstaller: no such file' },
    });
    expect(machine.executed).toEqual(['directories', 'containerd']);
    expect(events.map((event) => event.type).slice(-2)).toEqual(['step-failed', 'run-completed']);
  });

  test('is gone on from by the next run', async () => {
    await run({ steps: broken() });
    machine.executed.length = 0;
    expect((await run()).success).toBe(true);
    expect(machine.executed).toEqual(['kubelet', 'start-services']);
  });

  test('validate is asked before anything of the step is done', async () => {
    const steps = smallSteps(machine).map((step) => ({
      ...step,
      validate: async () => {
        if (step.id === 'containerd')
          throw new FlexError({ class: 'config', code: 'x', message: 'cannot be' });
      },
    }));
    await run({ steps });
    expect(machine.executed).toEqual(['directories']);
  });
});

describe('--only and --skip', () => {
  test('take phases and steps', async () => {
    await run({}, { only: ['installation'] });
    expect(machine.executed).toEqual(['directories', 'containerd']);
    await run({}, { skip: ['start-services'] });
    expect(machine.executed).toEqual(['directories', 'containerd', 'kubelet']);
  });

  test('refuse a word that is neither', async () => {
    const result = await run({}, { only: ['kublet'] });
    expect(result.error).toMatchObject({ class: 'usage', code: 'usage.unknown-step' });
    expect(existsSync(`${machine.root}/var/lib/chandler-flexnode`)).toBe(false);
  });
});

describe('an interruption', () => {
  test('ends between two effects, with its own class, and is gone on from', async () => {
    const stop = new AbortController();
    const on = (event: { type: string; step?: string }) => {
      if (event.type === 'step-completed' && event.step === 'containerd') stop.abort(new Error('SIGINT'));
    };
    const result = await run({}, { signal: stop.signal, on: on as never });
    expect(result.error).toMatchObject({ class: 'signal', code: 'run.interrupted' });
    expect(isThere(machine.root + LOCK_PATH)).toBe(false);
    expect((await run()).success).toBe(true);
  });
});

describe('two runs at once', () => {
  const lock = (pid: number, startTime: string) => {
    mkdirSync(`${machine.root}/run/chandler-flexnode`, { recursive: true });
    const holder = { pid, startTime, verb: 'bootstrap', run: 'other', since: '2026-01-01T00:00:00.000Z' };
    symlinkSync(JSON.stringify(holder), machine.root + LOCK_PATH);
  };
  const alive = (pid: number, startTime: string) => {
    mkdirSync(`${machine.root}/proc/${pid}`, { recursive: true });
    const fields = ['S', ...Array.from({ length: 18 }, () => '0'), startTime, '0'];
    writeFileSync(`${machine.root}/proc/${pid}/stat`, `${pid} (chand (ler) ${fields.join(' ')}`);
  };

  test('the second is refused, with the name of the first', async () => {
    lock(4242, '777');
    alive(4242, '777');
    const result = await run();
    expect(result.error).toMatchObject({ code: 'run.locked', where: LOCK_PATH });
    expect(result.error?.message).toContain('process 4242, started at 2026-01-01T00:00:00.000Z');
    expect(machine.executed).toEqual([]);
  });

  test('what a dead run left is taken over, even when its number lives on in another program', async () => {
    lock(4242, '777');
    alive(4242, '888');
    expect((await run()).success).toBe(true);
    expect(isThere(machine.root + LOCK_PATH)).toBe(false);
  });

  test('started in the same moment, one does the work and the other is refused', async () => {
    alive(1, '1');
    alive(2, '2');
    const results = await Promise.all([run({ pid: 1 }), run({ pid: 2 })]);
    expect(results.map((result) => result.success).sort()).toEqual([false, true]);
    expect(results.find((result) => !result.success)?.error?.code).toBe('run.locked');
    expect(machine.executed).toEqual(['directories', 'containerd', 'kubelet', 'start-services']);
  });
});

describe('the journal', () => {
  test('says what each path was before, without the content of anything', async () => {
    await run();
    const state = await readJournal(machine.parts().host);
    expect(state.paths.get('/etc/default/kubelet')?.before).toEqual({ kind: 'absent' });
    expect(state.paths.get('/etc/fstab')?.before).toMatchObject({ kind: 'file', mode: 0o644 });
    expect(state.paths.get('/etc/resolv.conf')?.before).toEqual({
      kind: 'symlink',
      target: '../run/systemd/resolve/stub-resolv.conf',
    });
    expect(state.facts.get('kubelet.seen')).toBe('yes');
    expect(state.lastRun?.ended).toBe(true);
  });

  test('holds no secret of the configuration', async () => {
    const clientSecret = { from: 'config', read: async () => 'hunter2' } as const;
    await run({
      config: sampleConfig({
        azure: { servicePrincipal: { tenantId: 't', clientId: 'c', clientSecret } },
        proxy: { https: 'http://me:hunter2@proxy.test:3128' },
        downloads: { mirrors: ['https://mirror.test/?sig=hunter2'] },
      }),
    });
    const { host } = machine.parts();
    expect(readFileSync(machine.root + JOURNAL_PATH, 'utf8')).not.toContain('hunter2');
    const config = recordedConfig(await readJournal(host));
    expect(config).toMatchObject({ agent: { nodeName: 'edge-01' }, downloads: { mirrors: [] } });
    expect(config?.azure.servicePrincipal).toBeUndefined();
  });
});
