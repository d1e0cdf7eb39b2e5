import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { FlexError } from '../flex-error.ts';
import { debugJson, debugText, runDebug } from '../preflight/debug.ts';
import { readStatus, statusExitCode, statusJson, statusText } from './status.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJvaWQiOiIxIn0.token-of-the-node';
const silent = new FlexError({
  class: 'auth',
  code: 'himds.unreachable',
  message: 'HIMDS does not answer at http://127.0.0.1:40342: refused',
});
const signal = new AbortController().signal;
const options = { signal, nodeToken: async () => TOKEN };

async function bootstrapped(overrides: Parameters<FolderMachine['configOf']>[0] = {}) {
  const config = await machine.configOf(overrides);
  await machine.bootstrap({ config });
  return machine.parts({ config });
}

describe('status', () => {
  test('a machine that is not bootstrapped is reported as such, with its own exit code', async () => {
    const status = await readStatus(await machine.parts(), options);
    expect(status).toMatchObject({
      health: 'not-bootstrapped',
      kubeletRunning: false,
      kubeletReady: 'Unknown',
    });
    expect(statusExitCode(status)).toBe(4);
  });

  test('a systemd that does not answer is reported as a problem', async () => {
    const parts = await bootstrapped();
    const run: typeof parts.host.run = async (command) =>
      command.argv[1] === 'is-active' ? { exitCode: 124, stdout: '', stderr: '' } : parts.host.run(command);
    const status = await readStatus({ ...parts, host: { ...parts.host, run } }, options);
    expect(status.health).not.toBe('healthy');
    expect(status.problems.join('\n')).toContain('systemd did not report the state of kubelet.service');
  });

  test('a node that is Ready is healthy, with versions, Arc and every step', async () => {
    const parts = await bootstrapped();
    const before = machine.commands.length;
    const status = await readStatus(parts, options);
    expect(status).toMatchObject({
      health: 'healthy',
      problems: [],
      nodeName: 'edge-01',
      kubeletVersion: '1.32.7',
      containerdVersion: '1.7.20',
      runcVersion: '1.1.12',
      kubeletRunning: true,
      kubeletReady: 'Ready',
      containerdRunning: true,
      arcStatus: { registered: true, connected: true, machineName: 'edge-01', resourceGroup: 'rg-edge' },
    });
    expect(status.steps).toHaveLength(11);
    expect(statusExitCode(status)).toBe(0);
    expect(machine.commands.slice(before).filter(({ changes }) => changes)).toEqual([]);
    expect(JSON.parse(statusJson(status))).toEqual(status);
    expect(statusText(status)).toContain('edge-01: healthy');
    expect(statusJson(status)).not.toContain(TOKEN);
  });

  test('a kubelet that does not run is unhealthy, and it is said why', async () => {
    const parts = await bootstrapped();
    machine.systemd.active.delete('kubelet.service');
    const status = await readStatus(parts, options);
    expect(status.health).toBe('unhealthy');
    expect(status.problems).toContain('the kubelet is not running');
    expect(statusExitCode(status)).toBe(7);
  });

  test('a kubelet whose program was replaced since it was started is unhealthy', async () => {
    await bootstrapped();
    const config = await machine.configOf({ kubernetes: { version: '1.32.9' } });
    expect((await machine.bootstrap({ config, only: ['installation'] })).error).toBeUndefined();
    const status = await readStatus(await machine.parts({ config }), options);
    expect(status).toMatchObject({ health: 'unhealthy', kubeletRunning: true, kubeletReady: 'Ready' });
    expect(status.problems.join()).toContain('step start-services: to be repeated');
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect((await readStatus(await machine.parts({ config }), options)).problems).toEqual([]);
  });

  test('without a token of the Arc agent, which the node authenticates with, the Node is unknown, not gone', async () => {
    const parts = await bootstrapped({ security: { tlsBootstrap: false } });
    const status = await readStatus(parts, { signal, nodeToken: () => Promise.reject(silent) });
    expect(status).toMatchObject({ health: 'unhealthy', kubeletReady: 'Unknown' });
    expect(status.problems).toEqual([`the Node could not be read: ${silent.message}`]);
  });

  test('an Arc agent that is not connected is a problem only for a node that authenticates with its token', async () => {
    const offline = async (tlsBootstrap: boolean) => {
      const parts = await bootstrapped({ security: { tlsBootstrap } });
      const run: typeof parts.host.run = async (command) =>
        command.argv[0] === 'azcmagent' && command.argv[1] === 'show'
          ? { exitCode: 0, stdout: '{"status":"Disconnected","resourceName":"edge-01"}', stderr: '' }
          : parts.host.run(command);
      return readStatus({ ...parts, host: { ...parts.host, run } }, options);
    };
    const withCertificate = await offline(true);
    expect(withCertificate).toMatchObject({
      health: 'healthy',
      problems: [],
      arcStatus: { connected: false },
    });
    expect(withCertificate.notes.join()).toContain('the Arc agent is not connected');
    expect(statusText(withCertificate)).toContain('the Arc agent is not connected');
    expect(await offline(false)).toMatchObject({
      health: 'unhealthy',
      problems: ['the Arc agent is not connected'],
      notes: [],
    });
  });

  test('after unbootstrap it is as if nothing had been', async () => {
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    await machine.unbootstrap({ config });
    expect((await readStatus(await machine.parts({ config }), options)).health).toBe('not-bootstrapped');
  });
});

describe('debug', () => {
  test('on a node that is well: whom the API server sees, and that it is Ready', async () => {
    const report = await runDebug(await bootstrapped(), options);
    const found = (name: string) => report.checks.find((check) => check.name === name);
    expect(found('node-token')).toMatchObject({
      severity: 'ok',
      message: expect.stringContaining('aaaaaaaa-0000'),
    });
    expect(found('node-ready')).toMatchObject({ severity: 'ok' });
    expect(found('kubelet-service')).toMatchObject({ severity: 'ok' });
    expect(report.causes).toEqual([]);
  });

  test('with an Arc agent that does not respond: the cause, the fix and the commands, in text and JSON, without a token', async () => {
    const parts = await bootstrapped({ security: { tlsBootstrap: false } });
    const report = await runDebug(parts, { signal, nodeToken: () => Promise.reject(silent) });
    expect(report.status).toBe('failed');
    expect(report.causes[0]?.id).toBe('flex.himds-silent');
    expect(debugText(report)).toMatch(
      /Cause: The identity service of the Arc agent does not respond[\s\S]*systemctl status himdsd/,
    );
    expect(JSON.parse(debugJson(report)).causes[0].id).toBe('flex.himds-silent');
    for (const { message } of report.checks) expect(message).not.toMatch(/https?:\/\//);
  });

  test('with an Arc agent that does not respond, a node with a certificate has another cause', async () => {
    const parts = await bootstrapped();
    const quiet = { signal, nodeToken: () => Promise.reject(silent) };
    const well = await runDebug(parts, quiet);
    expect(well.checks.find(({ name }) => name === 'node-token')).toMatchObject({ severity: 'warning' });
    expect(well.causes).toEqual([]);
    machine.systemd.active.delete('kubelet.service');
    const { causes } = await runDebug(parts, quiet);
    expect(causes.map(({ id }) => id)).not.toContain('flex.himds-silent');
  });

  test('before bootstrap it is preflight and no more', async () => {
    const report = await runDebug(await machine.parts(), options);
    expect(report.checks.map(({ name }) => name)).not.toContain('node-token');
    expect(report.causes).toEqual([]);
  });
});
