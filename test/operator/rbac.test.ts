/** The operator under its own roles, from an empty cluster to nodes and back: nothing is refused, no rule is idle. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  fetchTransport,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  ROLE_BINDINGS,
  ROLES,
  SERVICE_ACCOUNTS,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isMap, isSeq, parseAllDocuments, type YAMLMap } from 'yaml';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
} from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type AzureStage, azureStage, FEW_SIZES } from './azure-stage.ts';
import { type Asked, recorded } from './request-log.ts';

const FILE = readFileSync(join(import.meta.dirname, '../../deploy/rbac.yaml'), 'utf8');
const USER = {
  username: 'system:serviceaccount:kube-system:chandler',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
};
const RESOURCE_OF: Readonly<Record<string, ResourceRef>> = {
  ServiceAccount: SERVICE_ACCOUNTS,
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  Role: ROLES,
  RoleBinding: ROLE_BINDINGS,
};

let stage: AzureStage;
/** As a user would edit it. */
let text: string;
const asked: Asked[] = [];

beforeAll(async () => {
  stage = await azureStage(FEW_SIZES);
  text = FILE.replaceAll('TOKENID', stage.playground.azure!.bootstrapToken.split('.')[0]!);
  for (const document of parseAllDocuments(text)) {
    const object = document.toJS() as KubeObject;
    await stage.apply(RESOURCE_OF[object.kind ?? '']!, object);
  }
  await story();
}, 120_000);
afterAll(() => stage.end());

describe('deploy/rbac.yaml', () => {
  test('allows every request of the controller', () => {
    expect(asked.filter(({ status }) => status === 403 || status === 401).map(asLine)).toEqual([]);
    expect(asked.length).toBeGreaterThan(100);
  });

  test('has no rule that the controller does not use, unless it says why', () => {
    const idle = rules().flatMap(({ excused, combinations }) =>
      excused ? [] : combinations.filter((each) => !asked.some((request) => covers(each, request))),
    );
    expect(idle.map(({ verb, group, resource, names }) => [verb, group, resource, names].join(' '))).toEqual(
      [],
    );
  });

  test('contains no wildcard', () => {
    expect(
      rules()
        .flatMap(({ combinations }) => combinations)
        .filter((each) => Object.values(each).includes('*')),
    ).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

async function story(): Promise<void> {
  const operator = stage.operator({
    args: ['--feature-gates=NodeOverlay=true,StaticCapacity=true,NodeRepair=true'],
    transport: recorded(fetchTransport(stage.playground.server.fetchAs(USER)), asked),
  });
  await stage.inTime(operator.start());
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_OVERLAYS, {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'dearer' },
    spec: { requirements: [], priceAdjustment: '+10%' },
  });
  await stage.apply(NODE_POOLS, aPool('default', {}));
  await stage.apply(NODE_POOLS, aPool('short', { terminationGracePeriod: '10s' }));
  await stage.apply(PODS, pod('a', { nodeSelector: { 'karpenter.sh/nodepool': 'default' } }));
  const stubborn = pod('b', { nodeSelector: { 'karpenter.sh/nodepool': 'short' } }) as KubeObject;
  stubborn.metadata.annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
  await stage.apply(PODS, stubborn);
  await stage.apply(
    PODS,
    pod('huge', { containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '5000' } } }] }),
  );
  await stage.until('pods run', async () => {
    const phases = (await stage.list(PODS)).map((each) => (each['status'] as { phase?: string }).phase);
    return phases.filter((phase) => phase === 'Running').length === 2;
  });
  // One is deleted by its claim, the other by its Node.
  const [one, other] = await stage.list(NODE_CLAIMS);
  await stage.inTime(stage.admin.delete(NODE_CLAIMS, { name: one!.metadata.name! }));
  await stage.inTime(stage.admin.delete(NODES, { name: `aks-${other!.metadata.name}` }));
  await stage.until('all is gone', async () => {
    const left = [...(await stage.list(NODE_CLAIMS)), ...(await stage.list(NODES))];
    return left.length === 0;
  });
  // Images are looked up again, events are repeated, the class is deleted.
  await stage.world.clock.advance(6 * 60_000);
  await stage.inTime(stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' }));
  await stage.until('the class is gone', async () => (await stage.list(AKS_NODE_CLASSES)).length === 0);
  await stage.inTime(operator.stop());
}

/** With one size, so that a plan is quick. */
function aPool(name: string, spec: object): object {
  const made = pool(name) as { spec: { template: { spec: object } } };
  const requirements = [{ key: 'karpenter.azure.com/sku-name', operator: 'In', values: ['Standard_D2s_v5'] }];
  Object.assign(made.spec.template.spec, spec, { requirements });
  return made;
}

interface Combination {
  readonly verb: string;
  readonly group: string;
  /** With the subresource: `pods/eviction`. */
  readonly resource: string;
  readonly names: readonly string[];
  /** Of a Role. */
  readonly namespace: string | undefined;
}

function rules(): readonly { readonly excused: boolean; readonly combinations: readonly Combination[] }[] {
  return parseAllDocuments(text).flatMap((document) => {
    const list = document.get('rules');
    const { metadata } = document.toJS() as KubeObject;
    if (!isSeq(list)) return [];
    return list.items.filter(isMap).map((rule: YAMLMap, index) => {
      const comment = index === 0 ? list.commentBefore : rule.commentBefore;
      const { apiGroups, resources, verbs, resourceNames = [] } = rule.toJSON() as Record<string, string[]>;
      const combinations = apiGroups!.flatMap((group) =>
        resources!.flatMap((resource) =>
          verbs!.map((verb) => ({
            verb,
            group,
            resource,
            names: resourceNames,
            namespace: metadata.namespace,
          })),
        ),
      );
      return { excused: comment?.trim().startsWith('Not reached by the test:') === true, combinations };
    });
  });
}

function covers({ verb, group, resource, names, namespace }: Combination, request: Asked): boolean {
  return (
    verb === request.verb &&
    group === request.group &&
    resource === request.resource &&
    (namespace === undefined || namespace === request.namespace) &&
    (names.length === 0 || names.includes(request.name))
  );
}

function asLine({ verb, group, resource, namespace, name, status }: Asked): string {
  return `${status} ${verb} ${resource}.${group} ${namespace}/${name}`;
}
