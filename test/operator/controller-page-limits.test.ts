/** The page that the controller serves takes no more of the controller than its limits say. */
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { fill } from '../../packages/chandler/src/cli/testing.ts';
import { withControllerPage } from './page-stage.ts';

const KINDS = [
  'nodes',
  'pods',
  'nodeclaims.karpenter.sh',
  'nodepools.karpenter.sh',
  'aksnodeclasses.karpenter.azure.com',
];

/** Spread over zones and nodes, and apart from the others: the longest to plan. */
function aDeployment(number: number, replicas: number) {
  const own = { app: `app-${number}` };
  const labels = { ...own, team: 'all' };
  const others = [
    { key: 'team', operator: 'Exists' },
    { key: 'app', operator: 'NotIn', values: [own.app] },
  ];
  const spread = (topologyKey: string) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: own },
  });
  const antiAffinity = {
    labelSelector: { matchExpressions: others },
    topologyKey: 'kubernetes.io/hostname',
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: own.app },
    spec: {
      replicas,
      selector: { matchLabels: own },
      template: {
        metadata: { labels },
        spec: {
          affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [antiAffinity] } },
          topologySpreadConstraints: [
            spread('topology.kubernetes.io/zone'),
            spread('kubernetes.io/hostname'),
          ],
          containers: [
            { name: 'a', image: 'x', resources: { requests: { cpu: `${100 + number}m`, memory: '100Mi' } } },
          ],
        },
      },
    },
  };
}

function aDeploymentWithPreferences(replicas: number, preferences: number): string {
  const { spec, ...deployment } = aDeployment(0, replicas);
  const preferred = Array.from({ length: preferences }, (_, at) => ({
    weight: 1,
    preference: { matchExpressions: [{ key: 'disk', operator: 'In', values: [`disk-${at}`] }] },
  }));
  const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
  const { template } = spec;
  return JSON.stringify({
    ...deployment,
    spec: { ...spec, template: { ...template, spec: { ...template.spec, affinity } } },
  });
}

function manifests(deployments: number, replicas: number): string {
  const items = Array.from({ length: deployments }, (_, number) => aDeployment(number, replicas));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

function inYaml(deployments: number, replicas: number): string {
  return Array.from({ length: deployments }, (_, number) => stringify(aDeployment(number, replicas))).join(
    '---\n',
  );
}

test('a what-if of more than the controller simulates is refused with the limit, and one at the limit is planned in short turns', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    const token = await stage.person('reader', ...KINDS);
    const whatIf = (body: string) => stage.ask('what-if', token, { body });
    const refused = async (body: string) => {
      const { status, text } = await whatIf(body);
      return [status, (JSON.parse(text) as { readonly error: string }).error];
    };
    const pods = 'here are at most 500 pods planned at once';
    expect(await refused(manifests(1, 100_000))).toEqual([413, expect.stringContaining(pods)]);
    // One pod of the cluster is pending.
    expect(await refused(manifests(1, 500))).toEqual([413, expect.stringContaining(`${pods}; `)]);
    expect(await refused(manifests(51, 1))).toEqual([
      413,
      'here are at most 50 objects simulated at once; the manifests have 51',
    ]);
    expect(await refused(`${manifests(1, 1)}${' '.repeat(64 * 1024)}`)).toEqual([
      413,
      'here are at most 64 KiB of manifests simulated at once',
    ]);
    expect(await refused(aDeploymentWithPreferences(300, 20))).toEqual([
      413,
      expect.stringContaining(
        'here are pods with at most 5000 preferences planned at once; these have 6000 ',
      ),
    ]);
    const longDocument = [
      413,
      'here has a document in YAML at most 16 KiB; separate the objects with lines of ---, or write them in JSON',
    ];
    expect(await refused(`---\n${inYaml(49, 10).replaceAll('---\n', '')}`)).toEqual(longDocument);
    // Not JSON, although it begins like it.
    expect(await refused(`${manifests(49, 10)},`)).toEqual(longDocument);
    const repeated = `a: &a [${'x,'.repeat(5_000)}]\nb: [${'*a,'.repeat(900)}]`;
    const { text } = await whatIf(repeated);
    expect(text).toContain('its aliases repeat more values than the text has characters');

    const limit = manifests(49, 10);
    // What it loads is loaded once.
    await whatIf(limit);
    const turn = longestTurn();
    const answer = await whatIf(limit);
    const longestMs = await turn.stop();
    expect(answer.status).toBe(200);
    // 100 ms, on a machine that has nothing else to do.
    expect(longestMs).toBeLessThan(400);

    const written = inYaml(49, 10);
    expect(written.length).toBeGreaterThan(40 * 1024);
    const yamlTurn = longestTurn();
    const same = await whatIf(written);
    expect(await yamlTurn.stop()).toBeLessThan(400);
    expect([same.status, same.text]).toEqual([200, answer.text]);
  });
}, 120_000);

// ---------------------------------------------------------------------------------------------------

/** By the time of the processor: what else runs on the machine does not count. */
function longestTurn() {
  const nowMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let last = nowMs();
  let longestMs = 0;
  const note = () => {
    const now = nowMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
  };
  const timer = setInterval(note, 1);
  return {
    async stop() {
      await new Promise((resolve) => setTimeout(resolve, 5));
      clearInterval(timer);
      note();
      return longestMs;
    },
  };
}
