/** The surroundings of a step over a machine of a few files and answers; for tests of steps 10 and 11. */
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import { TEST_CA_DATA } from '../../../../../test/flexnode/test-ca.ts';
import type { ClusterClient, NodeFacts } from '../azure/cluster-client.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import type { Facts, OwningHost, StepContext } from '../step.ts';
import { type FakeHost, type FakeHostOptions, fakeHost } from './fake-host.fixture.ts';
import { HEALTHZ_URL } from './live.ts';

export interface FakeContextOptions extends FakeHostOptions {
  readonly config?: FlexConfig;
  readonly facts?: Readonly<Record<string, string>>;
  readonly whoAmI?: () => Promise<{ username: string; groups: string[] }>;
  /**
   * One answer after the other once the kubelet was started, the last again and again. Before, the first one. Each start
   * of the kubelet changes the heartbeat.
   */
  readonly nodes?: readonly (NodeFacts | Error | undefined)[];
  readonly healthy?: () => boolean;
  readonly signal?: AbortSignal;
  readonly dryRun?: boolean;
}

export interface FakeContext extends Omit<StepContext, 'host'> {
  readonly host: FakeHost & Pick<OwningHost, 'claim' | 'leave'>;
  readonly said: string[];
  readonly known: Map<string, string>;
  readonly asked: string[];
}

export const CLUSTER_FACTS = {
  'cluster.server': 'https://harbour.test:443',
  'cluster.caData': TEST_CA_DATA,
  'cluster.serverVersion': 'v1.33.1',
} as const;

/** What the kubelet has requested with TLS bootstrap. */
const CERTIFICATE = '/var/lib/kubelet/pki/kubelet-client-current.pem';
export const CERTIFICATE_AND_KEY = `${Buffer.from(TEST_CA_DATA, 'base64').toString('utf8')}-----BEGIN EC PRIVATE KEY-----
bm90IGEga2V5
-----END EC PRIVATE KEY-----
`;

/** A machine on which units can be started, and run once they are. */
export function unitCommands(running = new Set<string>()): NonNullable<FakeHostOptions['commands']> {
  const enabled = new Set<string>();
  const unitOf = (argv: readonly string[]) => argv.at(-1)!;
  const done = (_changed: unknown) => ({ exitCode: 0 });
  return {
    'systemctl start': ({ argv }) => done(running.add(unitOf(argv))),
    'systemctl restart': ({ argv }) => done(running.add(unitOf(argv))),
    'systemctl stop': ({ argv }) => done(running.delete(unitOf(argv))),
    'systemctl enable': ({ argv }) => done(enabled.add(unitOf(argv))),
    'systemctl disable': ({ argv }) => done(enabled.delete(unitOf(argv))),
    'systemctl is-active': ({ argv }) =>
      running.has(unitOf(argv)) ? { stdout: 'active\n' } : { exitCode: 3, stdout: 'inactive\n' },
    'systemctl is-enabled': ({ argv }) =>
      enabled.has(unitOf(argv)) ? { stdout: 'enabled\n' } : { exitCode: 1, stdout: 'disabled\n' },
    'systemctl show': { stdout: '0\n' },
    ctr: { stdout: 'TYPE ID PLATFORMS STATUS\nio.containerd.grpc.v1 cri linux/amd64 ok\n' },
    '/usr/local/bin/ctr': {},
    findmnt: { stdout: '/\n' },
  };
}

export function fakeContext(options: FakeContextOptions = {}): FakeContext {
  const said: string[] = [];
  const asked: string[] = [];
  const known = new Map(Object.entries({ ...CLUSTER_FACTS, ...options.facts }));
  const nodes = [...(options.nodes ?? [{ ready: true, kubeletVersion: 'v1.32.7' }])];
  const claimed: string[] = [];
  const host = Object.assign(
    fakeHost({
      ...options,
      files: {
        '/run/containerd/containerd.sock': '',
        '/etc/systemd/system/kubelet.service': '',
        '/etc/systemd/system/containerd.service': '',
        '/usr/local/bin/kubelet': '',
        [CERTIFICATE]: CERTIFICATE_AND_KEY,
        ...options.files,
      },
    }),
    { claim: async (path: string) => void claimed.push(path), leave: async () => undefined },
  );
  const facts: Facts = {
    get: (key) => known.get(key),
    set: async (key, value) => void known.set(key, value),
    delete: async (key) => void known.delete(key),
  };
  const world = instantWorld({
    fetch: async (input) => {
      if (String(input) !== HEALTHZ_URL || options.healthy?.() === false)
        throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      return new Response('ok');
    },
  });
  return {
    world,
    host,
    config: options.config ?? sampleConfig(),
    artifacts: {
      prefetch: () => undefined,
      obtain: () => Promise.reject(new Error('none')),
      discard: async () => undefined,
    },
    azure: {} as StepContext['azure'],
    cluster: fakeCluster(options, nodes, asked, () => kubeletStarts(host)),
    facts,
    architecture: 'amd64',
    self: { argv: ['/usr/bin/node', '/opt/chandler.js', 'flexnode'] },
    signal: options.signal ?? new AbortController().signal,
    dryRun: options.dryRun ?? false,
    say: (message) => void said.push(message),
    said,
    known,
    asked,
  };
}

// ---------------------------------------------------------------------------------------------------

function kubeletStarts({ ran }: FakeHost): number {
  return ran.filter((line) => /^systemctl (?:re)?start kubelet/.test(line)).length;
}

function fakeCluster(
  options: FakeContextOptions,
  nodes: (NodeFacts | Error | undefined)[],
  asked: string[],
  starts: () => number,
): ClusterClient {
  return {
    serverVersion: async () => 'v1.33.1',
    whoAmI: async (_address, credential) => {
      asked.push(`whoAmI ${credential.kind}`);
      return options.whoAmI?.() ?? { username: 'aaaa-0001', groups: [] };
    },
    node: async (_address, credential, name) => {
      asked.push(`node ${name} ${credential.kind}`);
      const node = nodes.length > 1 && starts() > 0 ? nodes.shift() : nodes[0];
      if (node instanceof Error) throw node;
      return node && { heartbeat: `report of kubelet ${starts()}`, ...node };
    },
    mayBind: async () => 'yes',
    bindUser: async () => undefined,
    binding: async () => undefined,
    deleteBinding: async () => true,
    clientCa: async () => undefined,
    labelNode: async (_address, _credential, name, labels) => {
      asked.push(`label ${name} ${JSON.stringify(labels)}`);
    },
    deleteNode: async () => true,
  };
}
