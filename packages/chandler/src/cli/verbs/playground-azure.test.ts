import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realTimeWorld, until } from '../../../../../test/playground/cluster.ts';
import { goldenScript, withVariables } from '../../bootstrap/testing.ts';
import { run } from '../run.ts';
import { VERBS } from './index.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-azure-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface AzureFacts {
  readonly endpoint: string;
  readonly tenantId: string;
  readonly clientId: string;
  readonly subscriptionId: string;
  readonly clientSecretFile: string;
  readonly caFile: string;
  readonly envFile: string;
  readonly faultHeaderFile: string;
}

describe('chandler playground with its Azure', () => {
  test('prints its addresses, keeps secrets in separate files, and removes all files at the end', async () => {
    let azure: AzureFacts | undefined;
    let modes: number[] = [];
    let secret = '';
    const { code, out } = await call([], (facts) => {
      azure = facts.azure;
      modes = [azure!.envFile, azure!.clientSecretFile, azure!.caFile].map(
        (file) => statSync(file).mode & 0o777,
      );
      secret = readFileSync(azure!.clientSecretFile, 'utf8');
      expect(readFileSync(azure!.envFile, 'utf8')).not.toContain(secret);
    });
    expect(code).toBe(0);
    expect(azure?.endpoint).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(secret).not.toBe('');
    expect(out).not.toContain(secret);
    expect(existsSync(azure!.envFile)).toBe(false);
  });

  test('its variables are all that a controller requires', async () => {
    let printed: Awaited<ReturnType<typeof runVerb>> | undefined;
    await call([], async ({ azure, server }) => {
      printed = await runVerb(['controller', '--print-options', '-o', 'json'], variablesOf(azure!.envFile));
      expect(printed.out).toContain(server);
    });
    expect(printed).toMatchObject({ code: 0 });
    expect(printed?.out).toContain('127.0.0.1');
  });

  test('a VM that is created over HTTPS with those credentials becomes a node', async () => {
    let name: string | undefined;
    await call(['--boot-time', '200ms'], async ({ azure, server, kubeconfig }) => {
      const env = variablesOf(azure!.envFile);
      const dispatcher = new Agent({ connect: { ca: readFileSync(azure!.caFile, 'utf8') } });
      const send = (url: string, init: object) => undiciFetch(url, { ...init, dispatcher } as never);
      const answer = await send(`${azure!.endpoint}/${azure!.tenantId}/oauth2/v2.0/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          client_id: azure!.clientId,
          client_secret: readFileSync(azure!.clientSecretFile, 'utf8'),
          scope: `${azure!.endpoint}/.default`,
        }).toString(),
      });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      await launch(azure!, env, server, (path, body) =>
        send(`${azure!.endpoint}${path}`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      );
      await dispatcher.close();
      const ca = Buffer.from(
        /certificate-authority-data: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))![1]!,
        'base64',
      );
      const kube = new Agent({ connect: { ca: ca.toString() } });
      const bearer = /token: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))![1];
      name = await until('the node is there', async () => {
        const got = await undiciFetch(`${server}/api/v1/nodes/aks-a`, {
          headers: { authorization: `Bearer ${bearer}` },
          dispatcher: kube,
        });
        const node = (await got.json()) as { spec?: { providerID?: string }; metadata?: { name: string } };
        return node.spec?.providerID !== undefined && node.metadata?.name;
      });
      await kube.close();
    });
    expect(name).toBe('aks-a');
  });

  test('with --no-azure there is no Azure', async () => {
    let azure: AzureFacts | undefined;
    await call(['--no-azure'], (facts) => {
      azure = facts.azure;
    });
    expect(azure).toBeUndefined();
    expect(existsSync(join(folder, 'kubeconfig-azure'))).toBe(false);
  });

  test('an unknown fault is a usage error that lists the known ones', async () => {
    const { code, err } = await call(['--fault', 'nonsense=1'], () => undefined);
    expect(code).toBe(2);
    expect(err).toContain("--fault: unknown fault 'nonsense'");
  });

  test('several faults with several conditions are parsed', async () => {
    let listed = '';
    const args = ['--fault', 'cse=211@zone=2,rate=0.5', '--fault', 'allocation,never-register@count=2'];
    await call(args, async ({ azure }) => {
      const dispatcher = new Agent({ connect: { ca: readFileSync(azure!.caFile, 'utf8') } });
      const [name, value] = readFileSync(azure!.faultHeaderFile, 'utf8').trim().split(': ');
      const url = `${azure!.endpoint}/playground/faults`;
      expect((await undiciFetch(url, { dispatcher })).status).toBe(401);
      expect(statSync(azure!.faultHeaderFile).mode & 0o777).toBe(0o600);
      listed = await (await undiciFetch(url, { dispatcher, headers: { [name!]: value! } })).text();
      await dispatcher.close();
    });
    const { faults } = JSON.parse(listed) as { faults: object[] };
    expect(faults).toEqual([
      { id: 'f1', struck: 0, name: 'cse', value: '211', zone: '2', rate: 0.5 },
      { id: 'f2', struck: 0, name: 'allocation' },
      { id: 'f3', struck: 0, name: 'never-register', count: 2 },
    ]);
  });
});

// ---------------------------------------------------------------------------------------------------

interface Ready {
  readonly server: string;
  readonly kubeconfig: string;
  readonly azure?: AzureFacts;
}

/** NIC and VM, with a golden script that fits this cluster. */
async function launch(
  azure: AzureFacts,
  env: Record<string, string>,
  server: string,
  put: (path: string, body: unknown) => Promise<{ status: number; text(): Promise<string> }>,
): Promise<void> {
  const group = `/subscriptions/${azure.subscriptionId}/resourceGroups/${env['AZURE_NODE_RESOURCE_GROUP']}/providers`;
  const nic = `${group}/Microsoft.Network/networkInterfaces/aks-a`;
  const kubeconfig = readFileSync(env['KUBECONFIG']!, 'utf8');
  const customData = withVariables(goldenScript('ubuntu-overlay-cilium'), {
    API_SERVER_NAME: new URL(server).hostname,
    KUBE_CA_CRT: /certificate-authority-data: (\S+)/.exec(kubeconfig)![1]!,
    TLS_BOOTSTRAP_TOKEN: readFileSync(env['KUBELET_BOOTSTRAP_TOKEN_FILE']!, 'utf8'),
  });
  const made = await put(`${nic}?api-version=2022-01-01`, {
    location: env['LOCATION'],
    properties: {
      ipConfigurations: [
        { name: 'aks-a', properties: { primary: true, subnet: { id: env['VNET_SUBNET_ID'] } } },
      ],
    },
  });
  expect(made.status, await made.text()).toBe(201);
  const answer = await until('the VM is accepted', async () => {
    const vm = await put(`${group}/Microsoft.Compute/virtualMachines/aks-a?api-version=2025-04-01`, {
      location: env['LOCATION'],
      zones: ['1'],
      properties: {
        hardwareProfile: { vmSize: 'Standard_D4s_v5' },
        storageProfile: {
          osDisk: { name: 'aks-a', createOption: 'FromImage', deleteOption: 'Delete' },
          imageReference: {
            communityGalleryImageId:
              '/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/images/2204gen2containerd/versions/202512.18.0',
          },
        },
        networkProfile: { networkInterfaces: [{ id: nic, properties: { primary: true } }] },
        osProfile: {
          computerName: 'aks-a',
          adminUsername: 'azureuser',
          customData: Buffer.from(customData).toString('base64'),
          linuxConfiguration: {
            disablePasswordAuthentication: true,
            ssh: {
              publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: env['SSH_PUBLIC_KEY'] }],
            },
          },
        },
      },
    });
    return vm.status === 201 ? 'accepted' : Promise.reject(new Error(await vm.text()));
  });
  expect(answer).toBe('accepted');
}

/** As a shell would read them. */
function variablesOf(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf('=')),
      line.slice(line.indexOf('=') + 1).replace(/^'|'$/g, ''),
    ]),
  );
}

async function runVerb(args: readonly string[], env: Record<string, string>) {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args: [...args],
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => realTimeWorld().world,
  });
  return { code, out, err };
}

/** Interrupts the playground once `whenReady` is done, and passes on what that threw. */
async function call(args: readonly string[], whenReady: (ready: Ready) => void | Promise<void>) {
  const interrupt = new AbortController();
  let out = '';
  let err = '';
  let thrown: unknown;
  const code = await run(VERBS, {
    args: [
      'playground',
      '--write-kubeconfig',
      join(folder, 'kubeconfig'),
      '-o',
      'json',
      '--nodes',
      '1',
      '--no-controller',
      ...args,
    ],
    env: {},
    terminal: {
      out(text) {
        out += text;
        // Activity after the start is printed as well.
        if (!text.startsWith('{"ready"')) return;
        void Promise.resolve()
          .then(() => whenReady(JSON.parse(text) as Ready))
          .catch((error: unknown) => {
            thrown = error;
          })
          .finally(() => interrupt.abort());
      },
      err: (text) => (err += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld().world,
  });
  if (thrown !== undefined) throw thrown;
  return { code, out, err };
}
