/** An ARM server in virtual time for tests, with raw calls and the bodies that a controller would send. */
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { type ArmServer, type ArmServerOptions, startArmServer } from './arm-server.ts';
import type { SizeFacts } from './compute/services.ts';
import { clusterSubnetId } from './network/cluster-network.ts';
import type { ArmErrorBody } from './wire/errors.ts';

export interface TestArm {
  readonly server: ArmServer;
  readonly world: VirtualWorld;
  /** `/subscriptions/…/resourceGroups/{node group}/providers/`. */
  readonly group: string;
  call(method: string, path: string, body?: unknown, more?: CallOptions): Promise<Called>;
  nic(name: string, properties?: Record<string, unknown>): Promise<Called>;
  vm(name: string, change?: VmChange, more?: CallOptions): Promise<Called>;
  /** Creates a NIC and a VM, and advances the clock until both exist. */
  launch(name: string, change?: VmChange): Promise<Called>;
  /** The current state of the operation that an answer refers to. */
  operation(called: Called): Promise<Called>;
  advance(ms: number): Promise<void>;
}

export interface CallOptions {
  readonly version?: string;
  readonly headers?: Record<string, string>;
  readonly token?: string | null;
}

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests read answers of many shapes.
  readonly json: Loose;
  readonly error: ArmErrorBody;
}

export type Loose = { readonly [key: string]: Loose } & readonly Loose[] & string;

export interface VmChange {
  readonly size?: string;
  readonly zone?: string | null;
  readonly spot?: boolean;
  readonly tags?: Record<string, string>;
  readonly top?: Record<string, unknown>;
  readonly properties?: Record<string, unknown>;
  readonly osDisk?: Record<string, unknown>;
  readonly osProfile?: Record<string, unknown>;
}

export const COMPUTE = 'Microsoft.Compute';
export const NETWORK = 'Microsoft.Network';
export const VERSIONS: Readonly<Record<string, string>> = {
  [COMPUTE]: '2025-04-01',
  [NETWORK]: '2022-01-01',
};

export async function testArm(options: Partial<ArmServerOptions> = {}): Promise<TestArm> {
  const world = virtualWorld();
  const server = await startArmServer({ world, listen: false, providers: [], ...options });
  return testArmOf(server, world);
}

export function testArmOf(server: ArmServer, world: VirtualWorld): TestArm {
  const { subscriptionId, nodeResourceGroup } = server.settings;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers`;
  const call: TestArm['call'] = async (method, path, body, more = {}) => {
    const full = path.startsWith('/') || path.startsWith('https:') ? path : `${group}/${path}`;
    const provider = path.split('/').find((part) => part in VERSIONS) ?? COMPUTE;
    const version = more.version ?? (full.includes('/disks') ? '2025-01-02' : VERSIONS[provider]!);
    const query =
      full.includes('api-version=') || version === ''
        ? ''
        : `${full.includes('?') ? '&' : '?'}api-version=${version}`;
    const token = more.token === undefined ? server.token() : more.token;
    const response = await server.fetch(full + query, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return await read(response);
  };
  const advance = (ms: number) => world.clock.advance(ms);
  const nic: TestArm['nic'] = (name, properties = {}) =>
    call('PUT', `${NETWORK}/networkInterfaces/${name}`, nicBody(server, name, properties));
  const vm: TestArm['vm'] = (name, change = {}, more = {}) =>
    call('PUT', `${COMPUTE}/virtualMachines/${name}`, vmBody(server, name, change), more);
  return {
    server,
    world,
    group,
    call,
    nic,
    vm,
    advance,
    async launch(name, change) {
      await nic(name);
      await advance(100);
      const called = await vm(name, change);
      await advance(1000);
      return called;
    },
    operation: (called) => call('GET', called.headers.get('azure-asyncoperation')!),
  };
}

export function nicBody(server: ArmServer, name: string, properties: Record<string, unknown> = {}) {
  return {
    location: server.settings.region,
    tags: { 'karpenter.sh_nodepool': 'default' },
    properties: {
      ipConfigurations: [
        {
          name,
          properties: {
            primary: true,
            privateIPAllocationMethod: 'Dynamic',
            subnet: { id: clusterSubnetId(server) },
          },
        },
      ],
      enableAcceleratedNetworking: true,
      ...properties,
    },
  };
}

export function vmBody(server: ArmServer, name: string, change: VmChange = {}) {
  const { subscriptionId, nodeResourceGroup, region } = server.settings;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/${nodeResourceGroup}/providers`;
  const { zone = '1', spot = false } = change;
  return {
    location: region,
    tags: change.tags ?? { 'karpenter.sh_nodepool': 'default', 'karpenter.azure.com_cluster': 'playground' },
    ...(zone === null ? {} : { zones: [zone] }),
    ...change.top,
    properties: {
      hardwareProfile: { vmSize: change.size ?? 'Standard_D4s_v5' },
      storageProfile: {
        osDisk: {
          name,
          diskSizeGB: 128,
          createOption: 'FromImage',
          deleteOption: 'Delete',
          ...change.osDisk,
        },
        imageReference: {
          communityGalleryImageId:
            '/CommunityGalleries/AKSUbuntu-1/images/2204gen2containerd/versions/202601.10.0',
        },
      },
      networkProfile: {
        networkInterfaces: [
          {
            id: `${group}/Microsoft.Network/networkInterfaces/${name}`,
            properties: { primary: true, deleteOption: 'Delete' },
          },
        ],
      },
      osProfile: {
        computerName: name,
        adminUsername: 'azureuser',
        customData: Buffer.from('#!/bin/bash\necho hello').toString('base64'),
        linuxConfiguration: {
          disablePasswordAuthentication: true,
          ssh: {
            publicKeys: [{ path: '/home/azureuser/.ssh/authorized_keys', keyData: 'ssh-rsa AAAA test' }],
          },
        },
        ...change.osProfile,
      },
      diagnosticsProfile: { bootDiagnostics: { enabled: true } },
      ...(spot ? { priority: 'Spot', evictionPolicy: 'Delete', billingProfile: { maxPrice: -1 } } : {}),
      ...change.properties,
    },
  };
}

export function cseBody(server: ArmServer, name = 'CustomScript') {
  return {
    location: server.settings.region,
    properties: {
      publisher: name === 'CustomScript' ? 'Microsoft.Azure.Extensions' : 'Microsoft.AKS',
      type: name,
      typeHandlerVersion: '2.0',
      autoUpgradeMinorVersion: true,
      settings: {},
      protectedSettings: { commandToExecute: 'bash /opt/azure/cse.sh' },
    },
  };
}

/** A size with every capability, for checks that need one. */
export function aSize(change: Partial<SizeFacts> = {}): SizeFacts {
  return {
    name: 'Standard_D4s_v5',
    family: 'standardDSv5Family',
    vCpus: 4,
    memoryGiB: 16,
    zones: ['1', '2', '3'],
    spot: true,
    architecture: 'x64',
    generations: ['V1', 'V2'],
    acceleratedNetworking: true,
    encryptionAtHost: true,
    trustedLaunch: true,
    ultraSsd: false,
    premiumIo: true,
    ephemeralGB: {},
    ...change,
  };
}

// ---------------------------------------------------------------------------------------------------

async function read(response: Response): Promise<Called> {
  const text = await response.text();
  let json: unknown;
  try {
    json = text === '' ? undefined : JSON.parse(text);
  } catch {
    json = undefined;
  }
  const error = (json as { error?: ArmErrorBody } | undefined)?.error ?? { code: '', message: '' };
  return { status: response.status, headers: response.headers, text, json: json as Loose, error };
}
