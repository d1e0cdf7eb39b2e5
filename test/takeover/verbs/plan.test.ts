import {
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  type Deployment,
  type KubeObject,
  LEASES,
  type ResourceRef,
  SERVICE_ACCOUNTS,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { type CleanCluster, cleanCluster, settings } from './clean-cluster.ts';
import { CHANDLER, chandlerDeployment, KARPENTER, karpenterDeployment, LEASE } from './two-controllers.ts';

let cluster: CleanCluster;
beforeAll(async () => {
  cluster = await cleanCluster();
});
afterAll(() => cluster.stop());

interface Found {
  readonly ready: boolean;
  readonly findings: readonly {
    readonly code: string;
    readonly message: string;
    readonly severity: string;
  }[];
}

async function plan(
  ...args: readonly string[]
): Promise<Found & { readonly code: number; readonly texts: string }> {
  const { code, out, err } = await cluster.takeover('plan', '-o', 'json', ...args);
  expect(err).toBe('');
  const all = JSON.parse(out) as Found;
  // Both have a bootstrap token.
  const found = { ...all, findings: all.findings.filter((each) => each.code !== 'SettingsNotCompared') };
  return {
    ...found,
    code,
    texts: found.findings.map(({ code: own, message }) => `${own}: ${message}`).join('\n'),
  };
}

type Key = { readonly name: string; readonly namespace?: string };

/** The plan while an object is different, which is then put back. */
async function planWith(
  resource: ResourceRef,
  key: Key,
  change: (object: KubeObject) => KubeObject,
  ...args: readonly string[]
) {
  const before = await cluster.admin.get(resource, key);
  const copy = JSON.parse(JSON.stringify(before)) as KubeObject;
  await replace(resource, key, change(copy));
  try {
    return await plan(...args);
  } finally {
    await replace(resource, key, before);
  }
}

async function replace(resource: ResourceRef, key: Key, object: KubeObject): Promise<void> {
  const { resourceVersion } = (await cluster.admin.get(resource, key)).metadata;
  await cluster.admin.update(resource, {
    ...object,
    metadata: { ...object.metadata, name: key.name, resourceVersion: resourceVersion! },
  });
}

async function planWithout(resource: ResourceRef, key: Key) {
  const { resourceVersion: _, uid: __, ...metadata } = (await cluster.admin.get(resource, key)).metadata;
  const object = { ...(await cluster.admin.get(resource, key)), metadata } as KubeObject;
  await cluster.admin.delete(resource, key);
  try {
    return await plan();
  } finally {
    await cluster.admin.create(resource, object);
  }
}

const deployed = (key: Key, deployment: Deployment) =>
  planWith(DEPLOYMENTS, key, (before) => ({
    ...before,
    ...deployment,
    metadata: { ...before.metadata, ...deployment.metadata },
  }));
const karpenter = (given: Partial<Parameters<typeof karpenterDeployment>[0]>) =>
  deployed(KARPENTER, karpenterDeployment({ replicas: 1, env: settings(), ...given }));
const chandler = (given: Partial<Parameters<typeof chandlerDeployment>[0]>) =>
  deployed(
    CHANDLER,
    chandlerDeployment({ replicas: 1, args: ['controller', '--observe'], env: settings(), ...given }),
  );

test('a cluster beside which Chandler observes is ready', async () => {
  const found = await plan();
  expect(found.texts).toBe('');
  expect([found.ready, found.code]).toEqual([true, 0]);
  const { out } = await cluster.takeover('plan');
  expect(out).toMatch(/^Karpenter {2}Deployment kube-system\/karpenter, 1\.6\.5, 1 replica\n/);
  expect(out).toContain('Lease      kube-system/karpenter-leader-election, held by karpenter-1_0f1e');
  expect(out).toContain('Ready. To take over: chandler takeover start');
});

describe('Deployments', () => {
  test.each([
    ['mcr.microsoft.com/aks/karpenter/controller:v0.37.0', 'KarpenterTooOld'],
    ['public.ecr.aws/karpenter/controller:1.99.0@sha256:0f1e', 'KarpenterNewer'],
    ['public.ecr.aws/karpenter/controller@sha256:0f1e', 'KarpenterVersionUnknown'],
  ])('Karpenter of the image %s: %s', async (image, code) => {
    const { findings, ready } = await karpenter({ image });
    expect([findings.map((each) => each.code), ready]).toEqual([[code], false]);
  });

  test('Karpenter that Argo CD manages would be scaled up again', async () => {
    const { texts } = await karpenter({ annotations: { 'argocd.argoproj.io/tracking-id': 'x' } });
    expect(texts).toContain('ScaledByOthers: Argo CD manages Deployment kube-system/karpenter');
  });

  test('without Karpenter, it is missing; with pools of a managed one, the service is named', async () => {
    const named = await plan('--karpenter', 'kube-system/other');
    expect(named.texts).toContain('KarpenterMissing');
    expect(named.code).toBe(1);
    const managed = { 'meta.helm.sh/release-name': 'aks-managed-karpenter-overlay' };
    const { texts } = await planWith(
      NODE_POOLS,
      { name: 'general' },
      (pool) => ({
        ...pool,
        metadata: { ...pool.metadata, annotations: { ...pool.metadata.annotations, ...managed } },
      }),
      '--karpenter',
      'kube-system/other',
    );
    expect(texts).toContain(
      'KarpenterManaged: AKS node autoprovisioning runs Karpenter outside this cluster, where it cannot be scaled down.',
    );
  });

  test('Chandler that is stopped or does not observe was not tried', async () => {
    expect((await chandler({ replicas: 0 })).texts).toContain('NotObserved');
    expect((await chandler({ args: ['controller'] })).texts).toContain('NotObserved');
  });
});

describe('the record of a takeover', () => {
  const RECORD = JSON.stringify({ phase: 'takenOver', run: 'r', karpenterReplicas: 1, chandlerReplicas: 1 });
  const annotations = { 'chandler.sh/takeover': RECORD };

  test('that was undone by hand does not count: blockers are blockers', async () => {
    const image = 'mcr.microsoft.com/aks/karpenter/controller:v0.37.0';
    const { texts, code } = await karpenter({ image, annotations });
    expect(code).toBe(1);
    expect(texts).toContain('KarpenterTooOld');
    expect(texts).toContain(
      'RecordOutdated: Deployment kube-system/karpenter has the record of a takeover (takenOver), but has 1 replica again.',
    );
  });

  test('of a hand-over that ended with Karpenter running does not count: blockers are blockers', async () => {
    const image = 'mcr.microsoft.com/aks/karpenter/controller:v0.37.0';
    const returning = JSON.stringify({ ...JSON.parse(RECORD), phase: 'returning' });
    const { texts, code } = await karpenter({ image, annotations: { 'chandler.sh/takeover': returning } });
    expect(code).toBe(1);
    expect(texts).toContain('KarpenterTooOld');
    expect(texts).toContain('has the record of a takeover (returning), but has 1 replica again.');
  });

  test('does not count if Chandler does not hold the lease', async () => {
    const { texts, code } = await karpenter({ replicas: 0, annotations });
    expect(code).toBe(0);
    expect(texts).toContain(
      'has the record of a takeover (takenOver), but Chandler does not hold Lease kube-system/karpenter-leader-election.',
    );
  });
});

describe('leases', () => {
  test('of different names or namespaces would let both lead', async () => {
    const { texts } = await chandler({ env: settings({ LEADER_ELECTION_NAMESPACE: 'other' }) });
    expect(texts).toContain(
      'LeaseDiffers: Karpenter uses Lease kube-system/karpenter-leader-election, Chandler other/karpenter-leader-election, so both could lead at once.',
    );
  });

  test('leader election that is disabled is a blocker', async () => {
    const { texts } = await karpenter({ env: settings({ DISABLE_LEADER_ELECTION: 'true' }) });
    expect(texts).toContain('LeaderElectionDisabled: Karpenter runs without leader election');
  });

  test('one that a third controller holds is a blocker', async () => {
    const { texts } = await planWith(LEASES, LEASE, (lease) => ({
      ...lease,
      spec: { ...(lease['spec'] as object), holderIdentity: 'other-1_0f1e' },
    }));
    expect(texts).toContain('LeaseHeldByAnother: other-1_0f1e holds Lease');
  });
});

describe('CRDs and webhooks', () => {
  const KEY = { name: 'nodeclaims.karpenter.sh' };
  interface Definition extends KubeObject {
    readonly spec: {
      readonly conversion?: object;
      readonly versions: {
        name: string;
        schema: { openAPIV3Schema: { properties: Record<string, { properties: Record<string, unknown> }> } };
      }[];
    };
  }
  const definition = (change: (spec: Definition['spec']) => object) =>
    planWith(CUSTOM_RESOURCE_DEFINITIONS, KEY, (before) => ({
      ...before,
      spec: change((before as Definition).spec),
    }));

  test('an older CRD drops fields', async () => {
    const { texts } = await definition((spec) => {
      const { properties } = spec.versions.find(({ name }) => name === 'v1')!.schema.openAPIV3Schema;
      delete properties['spec']!.properties['terminationGracePeriod'];
      return spec;
    });
    expect(texts).toBe(
      'CrdOlder: CRD nodeclaims.karpenter.sh is older than that of Chandler and drops these fields: spec.terminationGracePeriod.',
    );
  });

  test('a conversion webhook is a blocker', async () => {
    const service = { name: 'karpenter', namespace: 'kube-system', path: '/' };
    const webhook = { clientConfig: { service }, conversionReviewVersions: ['v1'] };
    const { texts } = await definition((spec) => ({ ...spec, conversion: { strategy: 'Webhook', webhook } }));
    expect(texts).toContain('ConversionWebhook');
  });
});

describe('nodes', () => {
  const annotated = (resource: ResourceRef, name: string, annotations: Readonly<Record<string, string>>) =>
    planWith(resource, { name }, (before) => ({
      ...before,
      metadata: { ...before.metadata, annotations: { ...before.metadata.annotations, ...annotations } },
    }));

  test('a pool whose hash differs from ours would drift: which NodeClaims is said', async () => {
    for (const name of ['general-1', 'general-2'])
      await cluster.admin.patch(
        NODE_CLAIMS,
        { name },
        { type: 'merge', patch: { metadata: { annotations: { 'karpenter.sh/nodepool-hash': '7' } } } },
      );
    const { texts, ready } = await annotated(NODE_POOLS, 'general', { 'karpenter.sh/nodepool-hash': '7' });
    expect(texts).toMatch(
      /^WouldDrift: NodePool general has the hash 7, Chandler computes \d+: 2 NodeClaims \(general-1, general-2\) would drift/,
    );
    expect(ready).toBe(false);
  });

  test('hashes of another version are rewritten without drift', async () => {
    const { texts, ready } = await annotated(NODE_POOLS, 'general', {
      'karpenter.sh/nodepool-hash-version': 'v2',
    });
    expect(texts).toContain('HashesRewritten: NodePool general has a hash of version v2');
    expect(ready).toBe(true);
  });

  test('claims in flight and drifted ones are counted', async () => {
    const status = { conditions: [] };
    const before = (await cluster.admin.get(NODE_CLAIMS, { name: 'general-1' }))['status'] as object;
    await cluster.admin.patchStatus(NODE_CLAIMS, { name: 'general-1' }, { type: 'merge', patch: { status } });
    const { texts, ready } = await plan();
    expect(texts).toContain('ClaimsInFlight: 1 NodeClaims are being launched or deleted (general-1)');
    expect(ready).toBe(true);
    await cluster.admin.patchStatus(
      NODE_CLAIMS,
      { name: 'general-1' },
      { type: 'merge', patch: { status: before } },
    );
  });
});

describe('settings', () => {
  test('that differ are warnings, which can be accepted; those of the process are notes', async () => {
    const env = settings({ BATCH_MAX_DURATION: '30s', FEATURE_GATES: 'NodeRepair=true', LOG_LEVEL: 'debug' });
    const { texts, findings } = await karpenter({ env });
    expect(texts).toContain(
      'SettingDiffers: --batch-max-duration (BATCH_MAX_DURATION) is 30s for Karpenter and 10s for Chandler.',
    );
    expect(texts).toContain(
      '--feature-gates (FEATURE_GATES) is NodeRepair=true for Karpenter and NodeRepair=false for Chandler.',
    );
    expect(findings.find(({ message }) => message.includes('--log-level'))?.severity).toBe('note');
  });

  test('another name of the cluster is a blocker', async () => {
    expect((await chandler({ env: settings({ CLUSTER_NAME: 'dev' }) })).texts).toContain(
      'ClusterNameDiffers',
    );
  });

  test('a feature that only Karpenter has is said', async () => {
    const { texts } = await karpenter({ env: settings({ FEATURE_GATES: 'CapacityBuffer=true' }) });
    expect(texts).toContain('SettingWithoutEffect');
    expect(texts).toContain('feature gate CapacityBuffer');
  });

  test('of Chandler that are invalid are blockers', async () => {
    const { texts } = await chandler({ env: settings({ BATCH_MAX_DURATION: 'soon' }) });
    expect(texts).toContain('ChandlerSettingsInvalid: BATCH_MAX_DURATION of Deployment kube-system/chandler');
  });

  test('secrets are neither compared nor printed', async () => {
    const token = 'fedcba.fedcba9876543210';
    const { texts } = await karpenter({ env: settings({ KUBELET_BOOTSTRAP_TOKEN: token }) });
    expect(texts).toBe('');
    const { out } = await cluster.takeover('plan');
    expect(out).toContain(
      'SettingsNotCompared: Options that come from Secrets or from the pod were not compared: --kubelet-bootstrap-token.',
    );
    expect(out).not.toContain(settings()['KUBELET_BOOTSTRAP_TOKEN']);
  });

  test('an identity that only the account of Karpenter has is a warning', async () => {
    const { texts } = await planWith(SERVICE_ACCOUNTS, KARPENTER, (account) => ({
      ...account,
      metadata: { ...account.metadata, annotations: { 'azure.workload.identity/client-id': 'x' } },
    }));
    expect(texts).toContain(
      'IdentityDiffers: The ServiceAccount of Karpenter has the annotations azure.workload.identity/client-id',
    );
  });
});

test('roles that Chandler lacks are named', async () => {
  const { texts } = await planWithout(CLUSTER_ROLES, { name: 'chandler' });
  expect(texts).toContain(
    'PermissionMissing: ServiceAccount kube-system/chandler of Chandler may not list nodepools',
  );
});

describe('bad input', () => {
  test.each([
    [
      ['plan', '--accept', 'SettingDifers'],
      '"SettingDifers" is not a warning of the plan; did you mean SettingDiffers?',
    ],
    [['plan', '--accept', 'LeaseDiffers'], '"LeaseDiffers" is not a warning of the plan'],
    [['plan', '--karpenter', 'karpenter'], 'expected NAMESPACE/NAME, got "karpenter"'],
    [['start'], 'confirm with --yes'],
    [['back'], 'confirm with --yes'],
  ])('%j: %s', async (args, message) => {
    const { code, err } = await cluster.takeover(...args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  test('start with a plan that is not clean prints it, and changes nothing', async () => {
    const before = await cluster.admin.list(DEPLOYMENTS);
    const { code, err } = await cluster.takeover('start', '--yes', '--karpenter', 'kube-system/other');
    expect(code).toBe(1);
    expect(err).toContain('KarpenterMissing');
    expect(err).toContain('the plan is not clean; nothing was changed');
    expect((await cluster.admin.list(DEPLOYMENTS)).items).toEqual(before.items);
  });
});
