/** What the README describes, with the playground as a separate process and everything over HTTPS. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  DEPLOYMENTS,
  KUBE_YAML,
  type KubeClient,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  systemClock,
} from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { applyObject } from '../../packages/chandler/src/playground/testing.ts';
import { inFull } from '../part.ts';
import { API_VERSIONS, armNames, clientOf, type PlaygroundProcess, ROOT, startProcess } from './process.ts';

const TIMEOUT_MS = 180_000;
const whole = inFull('kubectl, a reader that goes away, and a whole scenario as a process');
let folder: string;
let running: PlaygroundProcess;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-start-'));
});
afterEach(async () => {
  await running.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): PlaygroundProcess {
  running = startProcess(['--write-kubeconfig', join(folder, 'kubeconfig'), ...args]);
  return running;
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > endMs)
      throw new Error(`timed out waiting until ${what}\n${JSON.stringify(running.lines)}`);
    await systemClock.sleep(100);
  }
}

interface Status {
  readonly phase?: string;
  readonly nodeName?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}
const statusOf = (object: KubeObject) => (object['status'] ?? {}) as Status;
const isTrue = (object: KubeObject, type: string) =>
  statusOf(object).conditions?.some((each) => each.type === type && each.status === 'True') ?? false;
const items = async (client: KubeClient, resource: ResourceRef) => (await client.list(resource)).items;

describe('npm start', () => {
  test(
    '[issue 5 shown by 1] pods Pending → Running on provisioned nodes, and everything deleted in Kubernetes and Azure at the end',
    async () => {
      const playground = start('--boot-time', '1s');
      const ready = await playground.ready;
      expect(ready).toMatchObject({ ready: true, controller: true });
      const { client, close } = await clientOf(ready);
      await playground.printed('controller', 'is the leader');
      await until('class and pool are ready', async () => {
        const both = [...(await items(client, AKS_NODE_CLASSES)), ...(await items(client, NODE_POOLS))];
        return both.length === 2 && both.every((object) => isTrue(object, 'Ready'));
      });
      await applyObject(
        client,
        parse(readFileSync(join(ROOT, 'examples/playground/general.yaml'), 'utf8'), KUBE_YAML),
      );
      await until('pods wait', async () => (await items(client, PODS)).length === 12);
      await until('pods run', async () =>
        (await items(client, PODS)).every((pod) => statusOf(pod).phase === 'Running'),
      );
      await asUpstreamShowsThem(client);
      expect((await armNames(ready, 'Microsoft.Compute/virtualMachines')).length).toBe(1);

      const patch = { type: 'merge', patch: { spec: { replicas: 0 } } } as const;
      const key = { namespace: 'default', name: 'general' };
      await client.patch(DEPLOYMENTS, key, patch, { subresource: 'scale' });
      await until('no pod is left', async () => (await items(client, PODS)).length === 0);
      const [claim] = await items(client, NODE_CLAIMS);
      await client.delete(NODE_CLAIMS, { name: claim!.metadata.name! });
      await until('nothing is left in the API', async () => {
        const nodes = (await items(client, NODES)).filter(({ metadata }) =>
          metadata.name?.startsWith('aks-'),
        );
        return (await items(client, NODE_CLAIMS)).length + nodes.length === 0;
      });
      await until('nothing is left in Azure', async () => {
        const types = Object.keys(API_VERSIONS) as (keyof typeof API_VERSIONS)[];
        const left = await Promise.all(types.map((type) => armNames(ready, type)));
        return left.flat().length === 0;
      });
      await close();
      expect(readFileSync(ready.controllerLog, 'utf8')).not.toMatch(/forbidden/i);
      expect(playground.lines.filter((line) => line.topic === 'log')).toEqual([]);
      expect(await playground.stop()).toBe(0);
      expect(playground.errors()).toBe('');
      expect(existsSync(ready.kubeconfig) || existsSync(ready.controllerLog)).toBe(false);
    },
    TIMEOUT_MS,
  );

  test.runIf(whole && hasKubectl())(
    'kubectl shows claims and nodes in the columns that Karpenter has, and a failed bootstrap',
    async () => {
      const playground = start('--boot-time', '1s');
      const ready = await playground.ready;
      const kubectl = (...args: string[]) =>
        execFileSync('kubectl', args, {
          cwd: ROOT,
          env: { ...process.env, KUBECONFIG: ready.kubeconfig },
        }).toString();
      await playground.printed('controller', 'is the leader');
      kubectl('apply', '-f', 'examples/playground/general.yaml');
      kubectl('rollout', 'status', 'deployment/general', '--timeout=60s');
      const [head, row] = kubectl('get', 'nodeclaims').trim().split('\n');
      const columns = ['NAME', 'TYPE', 'CAPACITY', 'ZONE', 'NODE', 'READY', 'AGE'];
      // The last is ours.
      expect(head!.split(/\s{2,}/)).toEqual([...columns, 'BOOTSTRAP']);
      expect(row).toMatch(
        /^default-\w{5}\s+Standard_D\w+\s+on-demand\s+eastus-\d\s+aks-default-\w{5}\s+True\s+\d+s\s*$/,
      );
      expect(kubectl('get', 'nodepools')).toMatch(
        /^NAME\s+NODECLASS\s+NODES\s+READY\s+AGE\ndefault\s+default\s+1\s+True/,
      );
      expect(kubectl('describe', 'nodeclaims')).toMatch(/Type:\s+Initialized/);
    },
    TIMEOUT_MS,
  );
});

describe('files of a playground whose reader goes away', () => {
  test.runIf(whole)(
    'are removed when standard output is closed, as by head',
    async () => {
      const kubeconfig = join(mkdtempSync(join(tmpdir(), 'chandler-head-')), 'my kubeconfig');
      const command = `"$0" packages/chandler/src/cli/main.ts playground --no-view --write-kubeconfig "$1" | head -n 6`;
      const printed = execFileSync(
        'bash',
        ['-c', `set -o pipefail; ${command}`, process.execPath, kubeconfig],
        {
          cwd: ROOT,
          encoding: 'utf8',
          timeout: 100_000,
        },
      );
      expect(printed).toContain(`kubeconfig  '${kubeconfig}'`);
      expect(readdirSync(dirname(kubeconfig))).toEqual([]);
      rmSync(dirname(kubeconfig), { recursive: true });
    },
    TIMEOUT_MS,
  );
});

describe('a scenario as a process', () => {
  test(
    'Ctrl-C ends it with exit code 130, and its files are removed',
    async () => {
      const playground = start('--scenario', 'slow-registration', '--speed', '1');
      const { kubeconfig } = await playground.ready;
      await playground.printed('scenario', '1/');
      expect(await playground.stop()).toBe(130);
      expect(existsSync(kubeconfig)).toBe(false);
    },
    TIMEOUT_MS,
  );

  test.runIf(whole)(
    '--once runs it, prints each step, and exits with code 0',
    async () => {
      const playground = start('--scenario', 'burst', '--speed', '20', '--once');
      expect(await playground.ready).toMatchObject({ scenario: 'burst', speed: 20 });
      await playground.printed('scenario', 'the scenario is complete', 120_000);
      expect(await playground.exit).toBe(0);
      const steps = playground.lines
        .filter(({ topic }) => topic === 'scenario')
        .map(({ text }) => text?.slice(0, 3));
      expect(steps).toEqual(['1/5', '2/5', '3/5', '4/5', '5/5', 'the']);
    },
    TIMEOUT_MS,
  );
});

// ---------------------------------------------------------------------------------------------------

/** Labels and conditions by which dashboards and people find things. */
async function asUpstreamShowsThem(client: KubeClient): Promise<void> {
  const [claim] = await items(client, NODE_CLAIMS);
  await until('the claim is ready', async () => isTrue((await items(client, NODE_CLAIMS))[0]!, 'Ready'));
  const node = await client.get(NODES, { name: `aks-${claim!.metadata.name}` });
  expect(node.metadata.labels).toMatchObject({
    'karpenter.sh/nodepool': 'default',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
    'karpenter.sh/capacity-type': 'on-demand',
    'karpenter.azure.com/sku-family': 'D',
    'kubernetes.azure.com/cluster': expect.any(String),
    'topology.kubernetes.io/zone': expect.stringMatching(/^eastus-[123]$/),
  });
  expect(node.metadata.ownerReferences?.[0]).toMatchObject({ kind: 'NodeClaim', name: claim!.metadata.name });
  const [shown] = await items(client, NODE_CLAIMS);
  for (const type of ['Launched', 'Registered', 'Initialized', 'Ready'])
    expect(isTrue(shown!, type), type).toBe(true);
  expect(shown!.metadata.finalizers).toEqual(['karpenter.sh/termination']);
  expect(shown!.metadata.annotations).toHaveProperty('karpenter.sh/nodepool-hash');
}

function hasKubectl(): boolean {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
