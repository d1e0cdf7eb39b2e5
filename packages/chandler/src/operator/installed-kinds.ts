/**
 * Checks that our CRDs are installed, in a version that we use, and that they keep the fields that we use. Waits for
 * missing ones, since charts install in any order. A field that the installed CRD drops is logged: it has no effect,
 * and nothing else would show why.
 */
import type { KubeObject } from '@chandler/kube';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  isApiError,
  type KubeClient,
  type ResourceRef,
  type World,
} from '@chandler/kube';
import { type CustomResourceDefinition, KINDS, type KindDefinition, renderCrd } from '../api/index.ts';
import { StartError } from '../cloud/index.ts';

export const KINDS_POLL_MS = 10_000;
export const KINDS_LIMIT_MS = 120_000;

export interface KindsRequest {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly client: KubeClient;
  readonly kinds: readonly KindDefinition[];
  readonly signal: AbortSignal;
}

export interface PrunedField {
  readonly kind: string;
  readonly version: string;
  /** `spec.osDiskDiskEncryptionSetID`. */
  readonly path: string;
}

/** Resolves when all are installed, with the fields that they drop. @throws {StartError} after two minutes. */
export async function waitForKinds(request: KindsRequest): Promise<readonly PrunedField[]> {
  const { world, kinds, signal } = request;
  const startMs = world.clock.monotonic();
  for (;;) {
    const looks = await Promise.all(kinds.map((kind) => look(request, kind)));
    const missing = looks.flatMap((each) => (typeof each === 'string' ? [each] : []));
    if (missing.length === 0) {
      const pruned = looks.flatMap((each) => (typeof each === 'string' ? [] : each));
      for (const field of pruned)
        world.log.warn('the installed CRD lacks a field; the API server drops its value', {
          ...field,
          fix: FIX,
        });
      return pruned;
    }
    if (world.clock.monotonic() - startMs >= KINDS_LIMIT_MS) {
      const waited = `${KINDS_LIMIT_MS / 1000} s`;
      throw new StartError('KindMissing', `after ${waited}: ${missing.join('; ')}. ${INSTALL}`);
    }
    world.log.info('waiting for CRDs to be installed', { missing });
    await world.clock.sleep(KINDS_POLL_MS, signal);
  }
}

/** Karpenter's kinds, and the node classes of the cloud. */
export function kindsOf(
  nodeClasses: readonly { readonly group: string; readonly kind: string }[],
  gates: { readonly overlays: boolean },
): readonly KindDefinition[] {
  const wanted = [
    'karpenter.sh/NodePool',
    'karpenter.sh/NodeClaim',
    ...(gates.overlays ? ['karpenter.sh/NodeOverlay'] : []),
    ...nodeClasses.map(({ group, kind }) => `${group}/${kind}`),
  ];
  return KINDS.filter(({ group, kind }) => wanted.includes(`${group}/${kind}`));
}

/** Paths that only our CRD has, in the version that we use. None is lost where the installed one keeps unknown fields or has no schema. */
export function prunedFields(
  own: CustomResourceDefinition,
  installed: InstalledDefinition,
): readonly PrunedField[] {
  return own.spec.versions.flatMap(({ name: version, storage, schema }) => {
    const there = installed.spec?.versions?.find((each) => each.name === version);
    if (!storage || there === undefined) return [];
    const ours = schema.openAPIV3Schema as SchemaNode;
    const lost = lostPaths(ours, there.schema?.openAPIV3Schema ?? {}, '');
    return lost.map((path) => ({ kind: own.spec.names.kind, version, path }));
  });
}

/** Whether a kind can be used as it is installed. */
export type KindState =
  | { readonly problem: 'missing' | 'notServed'; readonly text: string }
  | { readonly problem: undefined; readonly pruned: readonly PrunedField[] };

export function stateOfKind(kind: KindDefinition, installed: InstalledDefinition | undefined): KindState {
  const name = `${kind.plural}.${kind.group}`;
  if (installed === undefined) return { problem: 'missing', text: `${name} is not installed` };
  const established = installed.status?.conditions?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (!established) return { problem: 'missing', text: `${name} is not established yet` };
  const [wanted] = kind.versions.filter(({ storage }) => storage);
  const served = installed.spec?.versions?.filter((each) => each.served !== false).map((each) => each.name);
  if (wanted !== undefined && !served?.includes(wanted.name)) {
    const others = served?.join(', ') || 'nothing';
    return { problem: 'notServed', text: `${name} is not served as ${wanted.name} (but as ${others})` };
  }
  return { problem: undefined, pruned: prunedFields(renderCrd(kind), installed) };
}

export interface InstalledDefinition extends KubeObject {
  readonly spec?: {
    readonly conversion?: { readonly strategy?: string };
    readonly versions?: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: SchemaNode };
    }[];
  };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

// ---------------------------------------------------------------------------------------------------

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

const DEFINITIONS = CUSTOM_RESOURCE_DEFINITIONS as ResourceRef<InstalledDefinition>;
const INSTALL = 'Install them: chandler crds | kubectl apply --server-side -f -';
const FIX = 'the field has no effect; update the CRDs: chandler crds | kubectl apply --server-side -f -';

/** The problem as text when a kind is missing; otherwise the dropped fields. */
async function look(
  { client, signal, world }: KindsRequest,
  kind: KindDefinition,
): Promise<string | readonly PrunedField[]> {
  const name = `${kind.plural}.${kind.group}`;
  let installed: InstalledDefinition | undefined;
  try {
    installed = await client.find(DEFINITIONS, { name }, { signal });
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { kind: why, message } = error;
    if (why === 'forbidden' || why === 'unauthorized')
      throw new StartError('Forbidden', `${message}. Grant what deploy/rbac.yaml lists`, { cause: error });
    world.log.debug('failed to look up a kind', { kind: name, error: message });
    return `${name} could not be looked up (${message})`;
  }
  const state = stateOfKind(kind, installed);
  return state.problem === undefined ? state.pruned : state.text;
}

/** The highest path of each lost part: what is below is lost with it. */
function lostPaths(ours: SchemaNode, installed: SchemaNode, path: string): string[] {
  if (installed['x-kubernetes-preserve-unknown-fields'] === true) return [];
  const lost: string[] = [];
  for (const [name, node] of Object.entries(ours.properties ?? {})) {
    // A root schema may omit the fields of every object.
    if (path === '' && ['apiVersion', 'kind', 'metadata'].includes(name)) continue;
    const below = path === '' ? name : `${path}.${name}`;
    const there = installed.properties?.[name];
    if (there === undefined) lost.push(below);
    else lost.push(...lostPaths(node, there, below));
  }
  if (ours.items !== undefined) lost.push(...lostPaths(ours.items, installed.items ?? {}, `${path}[]`));
  const more = ours.additionalProperties;
  if (typeof more === 'object' && typeof installed.additionalProperties === 'object')
    lost.push(...lostPaths(more, installed.additionalProperties, `${path}.*`));
  return lost;
}
