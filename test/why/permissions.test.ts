/** A user with few permissions gets an answer from what can be read, with the permissions that are missing. */

import { ADMIN } from '@chandler/apiserver';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  fetchTransport,
  KubeClient,
  type KubeObject,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  explain,
  explanationText,
  gather,
  liveReader,
  makeDump,
  type Subject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { pod, pool } from '../controllers/stage.ts';

let world: VirtualWorld;
let playground: Playground;
const requests: string[] = [];

function clientOf(username: string): KubeClient {
  const send = fetchTransport(playground.server.fetchAs({ username, groups: ['system:authenticated'] }));
  return new KubeClient({
    transport: (request) => {
      requests.push(request.method);
      return send(request);
    },
  });
}

beforeAll(async () => {
  world = virtualWorld();
  playground = await startPlayground({ world, port: false, systemNodes: 1, azure: false });
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const create = (resource: ResourceRef, object: object) => admin.create(resource, object as KubeObject);
  await create(NODE_POOLS, pool('default'));
  await create(PODS, pod('broken', { containers: [{ name: 'main', image: 'registry.example/crash:1' }] }));
  await create(PODS, pod('waiting', { nodeSelector: { 'example.com/none': 'x' } }));
  const named = (name: string) => ({ metadata: { name } });
  await create(CLUSTER_ROLES, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    ...named('pods-only'),
    rules: [{ apiGroups: [''], resources: ['pods', 'events'], verbs: ['get', 'list'] }],
  });
  await create(CLUSTER_ROLE_BINDINGS, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    ...named('pods-only'),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pods-only' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
  });
  await world.clock.advance(60_000);
});
afterAll(() => playground.stop());

const CLOUD = azureDiagnosis();

async function why(username: string, name: string) {
  const reader = liveReader({ client: clientOf(username), clock: world.clock });
  const subject: Subject = { kind: 'pod', namespace: 'default', name };
  return gather(subject, { reader, cloud: CLOUD, planner: cataloguePlanner(world, reader, CLOUD) });
}

describe('with few permissions', () => {
  test('a crashing pod is explained from the pod alone, and what may not be read is named', async () => {
    const gathered = await why('alice', 'broken');
    if (gathered.state !== 'gathered') throw new Error(gathered.message);
    const explanation = explain(gathered.subject, gathered.evidence, CLOUD);
    expect(explanation.cause?.id).toBe('L7.2');
    const text = explanationText(explanation);
    expect(text).toContain('missing permission: get nodes');
    expect(text).toContain('missing permission: list deployments.apps');
  });

  test('a waiting pod is explained by the scheduler when pools may not be read', async () => {
    const gathered = await why('alice', 'waiting');
    if (gathered.state !== 'gathered') throw new Error(gathered.message);
    const { cause, unread } = explain(gathered.subject, gathered.evidence, CLOUD);
    expect(cause?.id).toBe('L6.4');
    expect(unread).toContainEqual(
      expect.objectContaining({ why: 'forbidden', permission: 'list nodepools.karpenter.sh' }),
    );
  });

  test('a user who may not read the pod itself gets an error that says so', async () => {
    expect(await why('bob', 'broken')).toEqual({
      state: 'unreadable',
      why: 'forbidden',
      message:
        'pod/default/broken cannot be read with these credentials; it requires the permission to get pods in namespace default',
    });
  });

  test('a dump holds what may be read, and says of the rest why it is missing', async () => {
    const reader = liveReader({ client: clientOf('alice'), clock: world.clock });
    const { kinds } = await makeDump({ reader, cloud: CLOUD, madeBy: 'test' });
    expect(kinds['pods']?.objects).toHaveLength(2);
    expect(kinds['nodepools.karpenter.sh']).toMatchObject({
      objects: [],
      complete: false,
      unread: { why: 'forbidden', permission: 'list nodepools.karpenter.sh' },
    });
  });

  test('nothing but GET is ever sent', () => {
    expect(new Set(requests)).toEqual(new Set(['GET']));
  });
});
