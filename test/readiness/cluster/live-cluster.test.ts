/** `chandler check --live-cluster`: what is read is what `--rbac` permits, and what may not be read is never a pass. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DEPLOYMENTS,
  fetchTransport,
  KUBE_YAML,
  KubeClient,
  type KubeObject,
  SERVICE_ACCOUNTS,
  systemClock,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EC2_NODE_CLASSES, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { run, VERBS } from '../../../packages/chandler/src/cli/testing.ts';
import { liveReader } from '../../../packages/chandler/src/diagnose/index.ts';
import { type Playground, startPlayground } from '../../../packages/chandler/src/playground/index.ts';
import {
  CHECKS,
  CLUSTER_READS,
  clusterRole,
  judge,
  NO_INPUTS,
  readCluster,
  renderRbac,
  withCluster,
} from '../../../packages/chandler/src/readiness/index.ts';
import { type Request, requestOf } from '../../e2e/role-rules.ts';
import { realTimeWorld } from '../../playground/cluster.ts';
import { chandler, configOf } from '../../why/verb.fixture.ts';
import { controller, liveClass, livePool } from '../examples/cluster.ts';
import { aNodeClass } from '../examples/example.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-live-'));
const kubeconfig = join(folder, 'kubeconfig');
let playground: Playground;
let admin: KubeClient;

beforeAll(async () => {
  playground = await startPlayground({ world: realTimeWorld().world, azure: false, speed: 20 });
  admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  writeFileSync(kubeconfig, JSON.stringify(configOf(playground)));
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }];
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const terms = [{ tags: { 'karpenter.sh/discovery': 'shop' } }];
  await admin.create(
    EC2_NODE_CLASSES,
    liveClass(
      {},
      {
        role: 'KarpenterNodeRole-shop',
        amiSelectorTerms: [{ alias: 'al2023@v20260601' }],
        subnetSelectorTerms: terms,
        securityGroupSelectorTerms: terms,
      },
    ) as never,
  );
  await admin.create(NODE_POOLS, livePool({ template: { spec: { nodeClassRef, requirements } } }) as never);
  await admin.create(DEPLOYMENTS, controller() as never);
  await grant('checker', clusterRole());
});
afterAll(async () => {
  await playground.stop();
  rmSync(folder, { recursive: true });
});

async function grant(username: string, role: object): Promise<void> {
  const named = { ...role, metadata: { name: username } } as KubeObject;
  await admin.create(CLUSTER_ROLES, named);
  await admin.create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: username },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: username },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: username }],
  });
}

/** What it reads as this user, and the requests that the API server saw. */
async function readAs(username: string) {
  const requests: Request[] = [];
  const send = playground.server.fetchAs({ username, groups: ['system:authenticated'] });
  const client = new KubeClient({
    transport: fetchTransport((url, init) => {
      const request = requestOf(init?.method ?? 'GET', new URL(url));
      if (request !== undefined) requests.push(request);
      return send(url, init);
    }),
  });
  return { read: await readCluster(liveReader({ client, clock: systemClock })), requests };
}

const keyOf = ({ verb, group, resource }: Pick<Request, 'verb' | 'group' | 'resource'>) =>
  `${verb} ${resource}.${group}`;

describe('the role that --rbac prints', () => {
  test('permits all reads, and each of its rules is used', async () => {
    const { read, requests } = await readAs('checker');
    expect(read.unread).toEqual([]);
    const rules = CLUSTER_READS.map(({ verb, resource }) =>
      keyOf({ verb, group: resource.group, resource: resource.plural }),
    );
    expect([...new Set(requests.map(keyOf))].sort()).toEqual([...new Set(rules)].sort());
    const named = requests.filter(({ resource }) => resource === 'configmaps').map(({ name }) => name);
    expect(named.sort()).toEqual(['amazon-vpc-cni', 'aws-auth']);
  });

  test('is YAML that says what each rule is for', async () => {
    const { code, out } = await chandler(['check', '--rbac']);
    expect(code).toBe(0);
    expect(out).toBe(renderRbac());
    expect(parse(out, KUBE_YAML)).toEqual(clusterRole());
    expect(out).toContain('  # NodePools and their conditions\n  - apiGroups:\n      - karpenter.sh\n');
  });
});

test('--watch judges the checks that --only names, and writes them to the ConfigMap', async () => {
  const stopping = new AbortController();
  let err = '';
  const { world } = realTimeWorld();
  const code = await run(VERBS, {
    args: [
      'check',
      '--watch',
      '--only',
      'K-64',
      '--config-map',
      'default/watched',
      '--kubeconfig',
      kubeconfig,
    ],
    env: {},
    terminal: { out: () => stopping.abort(), err: (text) => (err += text), color: false },
    interrupted: stopping.signal,
    world: async () => world,
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const found = await admin.get(CONFIG_MAPS, { namespace: 'default', name: 'watched' });
  const { checks } = JSON.parse((found['data'] as { result: string }).result);
  expect(Object.values(checks as Record<string, number>).reduce((sum, count) => sum + count)).toBe(1);
});

test('a ConfigMap that cannot be written: exit code 3, and files are written all the same', async () => {
  const file = join(folder, 'report.json');
  const args = [
    'check',
    '--live-cluster',
    '--only',
    'K-64',
    '--config-map',
    'nowhere/result',
    '--output-file',
    file,
  ];
  const { code, err } = await chandler([...args, '--kubeconfig', kubeconfig]);
  expect(code).toBe(3);
  expect(err).toContain('nowhere');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ schemaVersion: '1.0' });
});

test('service accounts of workloads that call AWS are read, and no others', async () => {
  const template = (image: string, serviceAccountName: string) => ({
    metadata: { labels: { app: 'a' } },
    spec: { serviceAccountName, containers: [{ name: 'a', image }] },
  });
  for (const [name, image] of [
    ['balancer', 'public.ecr.aws/eks/aws-load-balancer-controller:v2.13.0'],
    ['web', 'nginx'],
  ] as const) {
    const metadata = { name, namespace: 'default' };
    await admin.create(SERVICE_ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata } as never);
    const spec = { selector: { matchLabels: { app: 'a' } }, template: template(image, name) };
    await admin.create(DEPLOYMENTS, { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec } as never);
  }
  const { read } = await readAs('checker');
  const accounts = read.objects.filter(
    ({ kind, namespace }) => kind === 'ServiceAccount' && namespace === 'default',
  );
  expect(accounts.map(({ name }) => name)).toEqual(['balancer']);
});

describe('a permission that is missing', () => {
  test('skips the checks that need it, with the verb and the resource, and passes none of them', async () => {
    const role = clusterRole();
    const denied = new Set(['daemonsets', 'nodepools', 'serviceaccounts']);
    await grant('half', { ...role, rules: role.rules.filter(({ resources }) => !denied.has(resources[0]!)) });
    const { read } = await readAs('half');
    expect(read.unread.map(({ permission }) => permission).sort()).toEqual([
      'get serviceaccounts',
      'list daemonsets.apps',
      'list nodepools.karpenter.sh',
    ]);
    const { findings } = judge(withCluster(NO_INPUTS, read), CHECKS, { strict: false });
    const of = (id: string) => findings.filter((finding) => finding.id === id);
    expect(of('S-28')).toMatchObject([
      { status: 'skip', message: 'the permission to list nodepools.karpenter.sh is missing' },
    ]);
    expect(of('K-68')).toMatchObject([
      { status: 'skip', message: 'the permission to list daemonsets.apps is missing' },
    ]);
    expect(of('S-06')).toMatchObject([{ status: 'skip' }]);
    expect(of('S-27')[0]?.status).not.toBe('skip');
    expect(findings.some(({ status }) => status === 'error')).toBe(false);
  });

  test('of one ConfigMap does not skip the checks that need another one', async () => {
    const role = clusterRole();
    const rules = role.rules.filter(
      ({ resourceNames }) => resourceNames?.includes('amazon-vpc-cni') !== true,
    );
    await grant('linux', { ...role, rules });
    const { read } = await readAs('linux');
    expect(read.unread.map(({ kind }) => kind)).toEqual(['ConfigMap/amazon-vpc-cni']);
    const { findings } = judge(withCluster(NO_INPUTS, read), CHECKS, { strict: false });
    const messages = (id: string) =>
      findings.filter((finding) => finding.id === id).map(({ message }) => message);
    const lacking = 'the permission to get configmaps in namespace kube-system is missing';
    expect(messages('K-78')).toEqual([lacking]);
    expect(messages('S-51')).not.toContain(lacking);
  });

  test('of everything skips everything: nothing passes', async () => {
    const { read } = await readAs('nobody');
    const { findings, score } = judge(withCluster(NO_INPUTS, read), CHECKS, { strict: false });
    expect(read.unread.length).toBe(CLUSTER_READS.length);
    expect(score.percent).toBeUndefined();
    expect(findings.every(({ status }) => status === 'skip')).toBe(true);
  });
});

describe('chandler check --live-cluster', () => {
  test('judges the cluster alone, and feeds the checks of manifests and values', async () => {
    const { out, code } = await chandler([
      'check',
      '--live-cluster',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
    ]);
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(report.inputs.kinds).toEqual(
      expect.arrayContaining(['cluster', 'nodePools', 'nodeClasses', 'values', 'workloads']),
    );
    const of = (id: string) => report.findings.filter((finding: { id: string }) => finding.id === id);
    // The classes and pools have no controller, and the checks of their manifests judge them as they are.
    expect(of('S-27')).toMatchObject([{ status: 'fail', object: 'EC2NodeClass/default' }]);
    expect(of('S-29')).toMatchObject([{ status: 'pass', object: 'NodePool/default' }]);
    expect(of('K-13')).toMatchObject([{ status: 'warn' }]);
    for (const { source, at } of of('K-13')[0].evidence)
      expect([source, at]).toEqual(['live', 'GET /apis/karpenter.sh/v1/nodepools/default']);
    expect(of('K-49').every(({ status }: { status: string }) => status === 'pass')).toBe(true);
  });

  test('a manifest that differs from the cluster is a finding with both places', async () => {
    const file = join(folder, 'pool.yaml');
    writeFileSync(
      file,
      'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: other\nspec:\n  weight: 7\n',
    );
    const { out } = await chandler([
      'check',
      file,
      '--live-cluster',
      '--kubeconfig',
      kubeconfig,
      '-o',
      'json',
      '--only',
      'S-28',
    ]);
    expect(JSON.parse(out).findings).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          object: 'NodePool/other',
          status: 'fail',
          message: 'It is not in the cluster.',
        }),
      ]),
    );
  });

  test('without a cluster, the exit code is 3', async () => {
    const { code, err, out } = await chandler([
      'check',
      '--live-cluster',
      '--kubeconfig',
      join(folder, 'none'),
    ]);
    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toMatch(/^chandler check: .*none/);
  });

  test.each([
    ['credentials that are refused', { token: 'expired' }, 'the credentials were refused'],
    ['no permission', { as: 'nobody' }, 'the permission to list nodepools.karpenter.sh is missing'],
  ])('%s: exit code 3, files are judged, and no result is published', async (name, user, why) => {
    const config = configOf(playground) as { readonly users: readonly { readonly user: object }[] };
    const users = config.users.map((each) => ({ ...each, user: { ...each.user, ...user } }));
    const file = join(folder, `as ${name}`);
    writeFileSync(file, JSON.stringify({ ...config, users }));
    const manifest = join(folder, 'class.yaml');
    writeFileSync(manifest, aNodeClass('  metadataOptions:\n    httpTokens: optional'));
    const args = ['check', manifest, '--live-cluster', '--kubeconfig', file, '-o', 'json', '--exit-zero'];
    const { code, err, out } = await chandler([...args, '--config-map', 'default/unread']);
    expect(code).toBe(3);
    expect(err).toMatch(new RegExp(`^chandler check: the cluster \\S+ cannot be read: ${why}\\n$`));
    const { findings } = JSON.parse(out) as { findings: readonly { id: string; status: string }[] };
    expect(findings).toContainEqual(expect.objectContaining({ id: 'S-35', status: 'fail' }));
    const key = { namespace: 'default', name: 'unread' };
    expect(await admin.find(CONFIG_MAPS, key)).toBeUndefined();
  });

  test('a server that does not answer: exit code 3, and one sentence', async () => {
    const file = join(folder, 'elsewhere');
    writeFileSync(file, JSON.stringify(configOf(playground, 'https://127.0.0.1:1')));
    const { code, err } = await chandler(['check', '--live-cluster', '--kubeconfig', file]);
    expect(code).toBe(3);
    expect(err).toMatch(/^chandler check: the cluster 127\.0\.0\.1:1 cannot be read: .+\n$/);
  }, 90_000);
});
