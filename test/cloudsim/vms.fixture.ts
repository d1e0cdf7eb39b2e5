/**
 * VMs in virtual time for tests: an ARM server and an API server in this process, an authority to trust, and the rendered
 * scripts of the controller's own golden files as custom data.
 */

import {
  type ArmServerOptions,
  type Called,
  COMPUTE,
  createCatalogue,
  ensureToken,
  startArmServer,
  startVmGuests,
  type TestArm,
  testArmOf,
  type VmChange,
  type VmGuests,
  type VmGuestsOptions,
} from '@chandler/cloudsim/azure/testing';
import { fetchTransport, KubeClient, NODES, type Node } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { createAuthority } from '@chandler/kube/tls';
import { goldenScript, withVariables } from '../../packages/chandler/src/bootstrap/testing.ts';
import {
  type Playground,
  standinNodeHost,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';

export const API_HOST = 'playground-dns-12345678.hcp.eastus.azmk8s.io';

export interface VmTest {
  readonly world: VirtualWorld;
  readonly azure: TestArm;
  readonly client: KubeClient;
  readonly playground: Playground;
  readonly guests: VmGuests;
  readonly token: string;
  readonly caPem: string;
  /** A golden script that fits this cluster, with some variables changed; null takes one away. */
  script(golden: string, change?: Readonly<Record<string, string | null>>): string;
  /** A VM with this custom data, and time until it is Ready, if ever. */
  launch(name: string, customData: string, change?: VmChange): Promise<Called>;
  node(name: string): Promise<Node | undefined>;
  serial(name: string): string;
  /** Of the script's JSON on the serial console. */
  exitCode(name: string): string | undefined;
  advance(ms: number): Promise<void>;
  stop(): Promise<void>;
}

let authority: Promise<string> | undefined;
let otherAuthority: Promise<string> | undefined;
const now = () => Date.UTC(2026, 0, 1);

/** Made once: keys take their time. */
export function clusterCa(): Promise<string> {
  authority ??= createAuthority(now).then(({ certificatePem }) => certificatePem);
  return authority;
}

export function foreignCa(): Promise<string> {
  otherAuthority ??= createAuthority(now, 'somebody else').then(({ certificatePem }) => certificatePem);
  return otherAuthority;
}

export async function vmTest(
  options: Partial<VmGuestsOptions> = {},
  serverOptions: Partial<ArmServerOptions> = {},
): Promise<VmTest> {
  const world = virtualWorld();
  const playground = await startPlayground({ world, port: false, azure: false, systemNodes: 0 });
  const server = await startArmServer({ world, listen: false, ...serverOptions });
  const azure = testArmOf(server, world);
  const transport = fetchTransport(playground.server.adminFetch);
  const client = new KubeClient({ transport });
  const caPem = await clusterCa();
  const guests = startVmGuests({
    world,
    arm: server,
    nodeHost: standinNodeHost(playground.standins!),
    transport,
    cluster: { hosts: [API_HOST, '127.0.0.1'], caPem, version: '1.36.3' },
    sizes: createCatalogue().sizes,
    ...options,
  });
  const token = await ensureToken(client, world.random);
  const advance = (ms: number) => world.clock.advance(ms);
  const idOf = (name: string) => `${azure.group}/${COMPUTE}/virtualMachines/${name}`;
  const serial = (name: string) => server.vms.serialLog(idOf(name));
  return {
    world,
    azure,
    client,
    playground,
    guests,
    token,
    caPem,
    advance,
    serial,
    script: (golden, change = {}) =>
      withVariables(goldenScript(golden), {
        API_SERVER_NAME: API_HOST,
        KUBE_CA_CRT: Buffer.from(caPem).toString('base64'),
        TLS_BOOTSTRAP_TOKEN: token,
        ...change,
      }),
    async launch(name, customData, change = {}) {
      const osProfile = { customData: Buffer.from(customData).toString('base64'), ...change.osProfile };
      const called = await azure.launch(name, { ...change, osProfile });
      await advance(9000);
      return called;
    },
    node: (name) => client.find(NODES, { name }),
    exitCode: (name) => /"ExitCode": "(\d+)"/.exec(serial(name))?.[1],
    async stop() {
      guests.stop();
      await server.close();
      await playground.stop();
    },
  };
}
