/** The few answers of Azure that the reader asks for, on a wire that counts: for a thousand VMs and for bad days. */

import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import type { NodeClaim } from '../../../api/index.ts';
import { type AzureEnvironment, createArmClients } from '../../../arm/index.ts';
import type { BootstrapMode } from '../../../bootstrap/index.ts';

import { bootstrapReader } from './index.ts';

export const SECRET = 'c2VjcmV0LXNpZ25hdHVyZQ';
export const IMAGE = '/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/202606.01.0';

export interface Call {
  readonly atMs: number;
  readonly what: 'extension' | 'graph' | 'address' | 'log' | 'other';
  readonly vm: string;
  readonly url: string;
}

export type Answer = () => Response | Promise<Response>;

export interface Wire {
  /** By name of the VM. */
  readonly extension: Map<string, Answer>;
  graph: Answer;
  address: (vm: string) => Response;
  log: (vm: string, signature: string) => Response;
}

export function extensionAnswer(provisioningState: string, code = '', message = ''): Answer {
  const statuses =
    code === '' ? [] : [{ code, level: 'Error', displayStatus: 'Provisioning failed', message }];
  return () =>
    json({ name: 'cse-agent-karpenter', properties: { provisioningState, instanceView: { statuses } } });
}

/** As a script that failed is reported. */
export function failedExtension(code: number, output = `+ exit ${code}`, stderr = ''): Answer {
  const status = JSON.stringify({ ExitCode: String(code), Output: output, Error: '' });
  const message = `Enable failed: failed to execute command: command terminated with exit status=${code}\n[stdout]\n${status}\n[stderr]\n${stderr}`;
  return extensionAnswer('Failed', `ProvisioningState/failed/${code}`, message);
}

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Response {
  return json({ error: { code, message: `${code} it is` } }, status, headers);
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

export function readerOn(mode: BootstrapMode, launches = 1) {
  const world = virtualWorld({ startMs: Date.now() });
  const { clock } = world;
  const calls: Call[] = [];
  let signatures = 0;
  const wire: Wire = {
    extension: new Map(),
    graph: () => json({ totalRecords: 0, count: 0, resultTruncated: 'false', data: [] }),
    address: (vm) =>
      json({ serialConsoleLogBlobUri: `https://logs.example/${vm}/serial.log?sig=${SECRET}${++signatures}` }),
    log: () => new Response('', { status: 404 }),
  };
  const fetch: Fetch = async (input) => {
    const url = String(input);
    const { what, vm, answer } = routed(wire, url);
    calls.push({ atMs: clock.monotonic(), what, vm, url });
    return answer();
  };
  const clients = createArmClients({
    world,
    fetch,
    environment: ENVIRONMENT,
    credential: { getToken: async () => ({ token: 't', expiresOnTimestamp: Date.now() + 3600_000 }) },
    subscriptionId: '00000000-0000-4000-8000-000000000001',
    version: '0.0.0',
  });
  const reader = bootstrapReader({
    clock,
    log: world.log,
    clients,
    fetch,
    resourceGroup: 'MC_nodes',
    mode,
    launches: () => launches,
    aftermath: () => ({ keepClaimMs: 0, keepInstance: false }),
  });
  return {
    world,
    clock,
    calls,
    wire,
    reader,
    /** Asks every five seconds, or every second about many, as the controller does, until it holds. */
    async ask(
      claims: readonly Stored<NodeClaim>[],
      forMs: number,
      until: (uids: readonly string[]) => boolean = () => false,
    ) {
      const endMs = clock.monotonic() + forMs;
      for (;;) {
        const outcomes = await reader.look(claims, neverAborted());
        if (until([...outcomes.keys()]) || clock.monotonic() >= endMs) return outcomes;
        await clock.advance(claims.length > 30 ? 1_000 : 5_000);
      }
    },
    launched: (name: string, agoMs = 0): Stored<NodeClaim> => claimOf(name, clock.now() - agoMs),
  };
}

// ---------------------------------------------------------------------------------------------------

const ENVIRONMENT: AzureEnvironment = {
  name: 'Wire',
  resourceManagerUrl: 'https://arm.example',
  authorityHost: 'https://login.example',
  tokenAudience: 'https://arm.example',
  keyVaultDnsSuffix: 'vault.azure.net',
  storageSuffix: 'core.windows.net',
  wellKnown: false,
  aksBilling: true,
};

function routed(wire: Wire, url: string): { what: Call['what']; vm: string; answer: Answer } {
  const [, vm = '', rest = ''] = /\/virtualMachines\/([^/]+)\/([^?]+)/.exec(url) ?? [];
  if (rest === 'extensions/cse-agent-karpenter')
    return {
      what: 'extension',
      vm,
      answer: wire.extension.get(vm) ?? (() => refusal(404, 'ResourceNotFound')),
    };
  if (rest === 'retrieveBootDiagnosticsData') return { what: 'address', vm, answer: () => wire.address(vm) };
  if (url.includes('/Microsoft.ResourceGraph/')) return { what: 'graph', vm: '', answer: () => wire.graph() };
  const [, name, signature = ''] =
    /^https:\/\/logs\.example\/([^/]+)\/serial\.log\?sig=(.+)$/.exec(url) ?? [];
  if (name !== undefined) return { what: 'log', vm: name, answer: () => wire.log(name, signature) };
  return { what: 'other', vm: '', answer: () => refusal(404, 'NotFound') };
}

function claimOf(name: string, launchedMs: number): Stored<NodeClaim> {
  const lastTransitionTime = new Date(launchedMs).toISOString();
  return stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}` },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
    status: {
      imageID: IMAGE,
      providerID: `azure:///subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/mc_nodes/providers/Microsoft.Compute/virtualMachines/aks-${name}`,
      conditions: [{ type: 'Launched', status: 'True', reason: 'Launched', message: '', lastTransitionTime }],
    },
  });
}
