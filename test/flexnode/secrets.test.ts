import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failureText, inSession } from '../../packages/chandler/src/cli/testing.ts';
import {
  type FlexConfig,
  FlexError,
  type FlexEvent,
  planBootstrap,
  planToJson,
  readConfig,
  renderPlan,
} from '../../packages/chandler/src/flexnode/index.ts';
import {
  CONNECT_CONFIG,
  type DeepPartial,
  minimalFile,
  PRINCIPAL,
  type ServicePrincipal,
} from '../../packages/chandler/src/flexnode/testing.ts';

import { fakeAzure, OPERATOR_TOKEN } from './fake-azure.ts';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';
import { killSwitch } from './kill-switch.ts';

const CLIENT_SECRET = 'pl4nted~client-secret';
const NODE_TOKEN = 'token-of-the-node';
/** In the kubeconfig that Azure gives the operator. */
const ADMIN_SECRET = 'secret-of-the-admin';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

describe('a planted secret', () => {
  test('[004-SEC-7] [004-SEC-16] is nowhere in what a whole run printed, wrote, logged or started', async () => {
    const config = await machine.configOf({ azure: { servicePrincipal: principal() } });
    const seen = await watched(config);
    expect(seen.codes).toEqual([0, 0, 0]);
    expect(seen.printed).toContain('"type":"run-completed"');
    expect(seen.printed).toContain('Register the machine with Azure Arc: done');
    for (const secret of [CLIENT_SECRET, OPERATOR_TOKEN, NODE_TOKEN, ADMIN_SECRET]) {
      expect(seen.printed, secret).not.toContain(secret);
      expect(seen.started, secret).not.toContain(secret);
      expect(filesWith(machine.root, secret), secret).toEqual([]);
    }
  });

  test('[004-SEC-7] is in one file while azcmagent reads it, for root alone, and gone after', async () => {
    const config = await machine.configOf({ azure: { servicePrincipal: principal() } });
    const held = new Map<string, number>();
    const { error } = await machine.bootstrap({
      config,
      // While a program runs, everything that is on the disk may be read by it.
      onEffect: (kind, what, moment) => {
        if (kind !== 'command' || moment === 'after' || !what.includes('azcmagent')) return;
        for (const path of filesWith(machine.root, OPERATOR_TOKEN))
          held.set(path, statSync(join(machine.root, path)).mode & 0o777);
      },
    });
    expect(error).toBeUndefined();
    expect([...held]).toEqual([[CONNECT_CONFIG, 0o600]]);
    expect(filesWith(machine.root, OPERATOR_TOKEN)).toEqual([]);
  });

  test('[004-SEC-1] the admin kubeconfig is on the machine only in document mode, in the named file', async () => {
    const config = await machine.configOf({
      security: { documentMode: true },
      azure: { arc: { autoRoleAssignment: true } },
    });
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect(filesWith(machine.root, ADMIN_SECRET)).toEqual(['/etc/kubernetes/admin.conf']);
  });

  test('[004-SEC-16] in the message of a failure is redacted wherever the failure is reported', async () => {
    const config = await machine.configOf();
    const parts = await machine.parts({ config });
    const azure = {
      ...fakeAzure(machine.azure, config, killSwitch()),
      machine: async () => {
        throw new FlexError({
          class: 'auth',
          code: 'test',
          message: `refused: Authorization: Bearer ${OPERATOR_TOKEN} client_secret=${CLIENT_SECRET}`,
          remedy: `Check {"password":"${CLIENT_SECRET}"} and secret="${CLIENT_SECRET}".`,
        });
      },
    };
    const terminal = collector();
    const { runBootstrap } = await import('../../packages/chandler/src/flexnode/index.ts');
    for (const json of [true, false]) {
      const session = { name: 'bootstrap', terminal, json, env: {}, host: parts.host, agent: config.agent };
      const signal = new AbortController().signal;
      expect(await inSession(session, (on) => runBootstrap({ ...parts, azure }, { signal, on }))).toBe(5);
    }
    const everything = terminal.text() + contentOf(machine.root);
    expect(everything).toContain('refused: Authorization');
    expect(everything).not.toContain(OPERATOR_TOKEN);
    expect(everything).not.toContain(CLIENT_SECRET);
    const lines = everything.split('\n').filter((line) => line.startsWith('{'));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ type: 'step-failed' }),
    );
  });

  test('[004-SEC-16] an error that was never meant for people is blotted out too', () => {
    const text = failureText('x', {
      class: 'step',
      code: 'y',
      message: 'failed',
      excerpts: [{ from: 'journal of kubelet.service', lines: [`token=${OPERATOR_TOKEN}`] }],
    });
    expect(text).toContain('journal of kubelet.service');
    expect(text).not.toContain(OPERATOR_TOKEN);
  });

  test('[004-SEC-18] programs get nothing of the environment in which the agent was started', async () => {
    await machine.bootstrap({ config: await machine.configOf() });
    const names = new Set(machine.commands.flatMap((command) => Object.keys(command.env ?? {})));
    expect([...names].filter((name) => /SECRET|TOKEN|PASSWORD|^AZURE_CLIENT/.test(name))).toEqual([]);
  });
});

/** Dry run, bootstrap with JSON output, bootstrap with text output (nothing to do), unbootstrap; all of their output. */
async function watched(config: FlexConfig) {
  const terminal = collector();
  const parts = await machine.parts({ config });
  const signal = new AbortController().signal;
  const plan = await planBootstrap(parts, { signal });
  terminal.out(renderPlan(plan) + JSON.stringify(planToJson(plan)));
  const events: FlexEvent[] = [];
  const codes: number[] = [];
  const session = (name: string, json: boolean) => ({
    name,
    terminal,
    json,
    env: {},
    host: parts.host,
    agent: config.agent,
  });
  const both = (on: (event: FlexEvent) => void) => (event: FlexEvent) => {
    events.push(event);
    on(event);
  };
  codes.push(
    await inSession(session('bootstrap', true), (on) => machine.bootstrap({ config, on: both(on) })),
  );
  codes.push(
    await inSession(session('bootstrap', false), (on) => {
      for (const event of events) on(event);
      return machine.bootstrap({ config, on: both(on) });
    }),
  );
  const kept = contentOf(machine.root);
  codes.push(
    await inSession(session('unbootstrap', false), (on) => machine.unbootstrap({ config, on: both(on) })),
  );
  return {
    codes,
    printed: terminal.text() + JSON.stringify(events) + kept,
    started: JSON.stringify(machine.commands),
  };
}

function principal(): DeepPartial<ServicePrincipal> {
  const text = JSON.stringify(
    minimalFile({ ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': CLIENT_SECRET }),
  );
  const reading = readConfig(
    { text, path: 'config.json', mode: 0o600 },
    { hostname: 'edge-01', env: {}, readSecretFile: async () => undefined },
  );
  if (!reading.ok) throw new Error('the config of this test is wrong');
  return reading.config.azure.servicePrincipal as ServicePrincipal;
}

/** A download may remove its notes between the list and the reading: then everything is read again. */
function filesWith(root: string, secret: string): string[] {
  for (let attempt = 1; ; attempt++)
    try {
      return filesOf(root)
        .filter((path) => readFileSync(join(root, path)).includes(secret))
        .sort();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === 20) throw error;
    }
}

function contentOf(root: string): string {
  return filesOf(root)
    .map((path) => `${path}\n${readFileSync(join(root, path), 'latin1')}\n`)
    .join('');
}

/** Links are not followed: the machine's /var/run leads out of its folder. */
function filesOf(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(root, path);
    return entry.isFile() ? [path] : [];
  });
}

function collector() {
  let all = '';
  const add = (text: string) => {
    all += text;
  };
  return { out: add, err: add, color: false, text: () => all };
}
