/** All that a plan is judged from, read from the cluster once. It only reads. What may not be read is a finding, not an end. */
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CUSTOM_RESOURCE_DEFINITIONS,
  DEPLOYMENTS,
  isApiError,
  type KubeClient,
  type KubeObject,
  LEASES,
  type Lease,
  type ObjectKey,
  type ResourceRef,
  ROLE_BINDINGS,
  ROLES,
  resourceRef,
  type Stored,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '../../api/index.ts';
import type { CloudOptions, NodeClassKind } from '../../cloud/index.ts';
import { type CloudName, loadCloudOptions, nodeClassesOf } from '../../cloud/registry.ts';
import type { InstalledDefinition } from '../../operator/installed-kinds.ts';
import { cloudOf } from './choose-cloud.ts';
import { type Found, findChandler, findKarpenter, type Named } from './find-deployments.ts';
import { leaseKeys } from './lease-keys.ts';
import { oneOf, readSide, type Side } from './side.ts';

export interface Webhook extends KubeObject {
  readonly webhooks?: readonly {
    readonly name: string;
    readonly failurePolicy?: string;
    readonly clientConfig?: { readonly service?: ObjectKey; readonly url?: string };
    readonly rules?: readonly { readonly apiGroups?: readonly string[] }[];
  }[];
}

export interface RoleObjects {
  readonly clusterRoles: readonly KubeObject[];
  readonly clusterBindings: readonly KubeObject[];
  /** By namespace of the lease. */
  readonly roles: readonly KubeObject[];
  readonly bindings: readonly KubeObject[];
}

export interface Picture {
  readonly cloud: { readonly name: CloudName; readonly options: CloudOptions };
  readonly karpenter: Found;
  readonly chandler: Found;
  readonly karpenterSide: Side | undefined;
  readonly chandlerSide: Side | undefined;
  readonly leases: { readonly karpenter?: ObjectKey; readonly chandler?: ObjectKey };
  /** That of Karpenter; without Karpenter, that of Chandler. */
  readonly lease: Stored<Lease> | undefined;
  readonly definitions: readonly InstalledDefinition[] | undefined;
  readonly pools: readonly Stored<NodePool>[];
  readonly claims: readonly Stored<NodeClaim>[];
  readonly nodeClasses: readonly { readonly kind: NodeClassKind; readonly objects: readonly Stored[] }[];
  /** Hashes for each CA bundle that Karpenter may have used. */
  readonly hashKinds: readonly (readonly NodeClassKind[])[];
  readonly webhooks: readonly Webhook[];
  readonly roles: RoleObjects | undefined;
  /** What could not be read, with the reason. */
  readonly unread: readonly { readonly what: string; readonly why: string }[];
}

export interface PictureRequest {
  readonly client: KubeClient;
  readonly named: Named;
  readonly cloudName: CloudName | undefined;
  /** The CA of the API server that the kubeconfig has. */
  readonly caPem: string | undefined;
  readonly signal: AbortSignal;
}

export async function readPicture(request: PictureRequest): Promise<Picture> {
  const { client, named, signal, caPem } = request;
  const reads = new Reads(client, signal);
  const deployments = (await client.listAll(DEPLOYMENTS, { signal })).items;
  const karpenter = findKarpenter(deployments, named);
  const chandler = findChandler(deployments, named);
  const pools = await reads.list(NODE_POOLS);
  const claims = await reads.list(NODE_CLAIMS);
  const name = request.cloudName ?? cloudOf(pools, oneOf(chandler));
  const options = await loadCloudOptions(name);
  const sideOf = (found: Found, withConfigMap: boolean) =>
    readSide({ client, found, cloud: options, withConfigMap, signal });
  const karpenterSide = await sideOf(karpenter, false);
  const chandlerSide = await sideOf(chandler, true);
  const leases = leaseKeys(karpenterSide, chandlerSide);
  const leaseKey = leases.karpenter ?? leases.chandler;
  const bundles = [undefined, bundleOf(karpenterSide), caPem === undefined ? undefined : inBase64(caPem)];
  const hashKinds = await Promise.all([...new Set(bundles)].map((bundle) => nodeClassesOf(name, bundle)));
  const [kinds = []] = hashKinds;
  return {
    cloud: { name, options },
    karpenter,
    chandler,
    karpenterSide,
    chandlerSide,
    leases,
    lease: leaseKey === undefined ? undefined : await client.find(LEASES, leaseKey, { signal }),
    definitions: await reads.maybe(CUSTOM_RESOURCE_DEFINITIONS as ResourceRef<InstalledDefinition>),
    pools,
    claims,
    nodeClasses: await Promise.all(
      kinds.map(async (kind) => ({ kind, objects: await reads.list(kind as ResourceRef<Stored>) })),
    ),
    hashKinds,
    webhooks: [...(await reads.list(VALIDATING)), ...(await reads.list(MUTATING))],
    roles: await readRoles(reads, chandlerSide, leases.chandler),
    unread: reads.unread,
  };
}

// ---------------------------------------------------------------------------------------------------

const GROUP = 'admissionregistration.k8s.io';
const VALIDATING = resourceRef<Webhook>(
  GROUP,
  'v1',
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
  false,
);
const MUTATING = resourceRef<Webhook>(
  GROUP,
  'v1',
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
  false,
);

class Reads {
  readonly unread: { what: string; why: string }[] = [];
  readonly #client: KubeClient;
  readonly #signal: AbortSignal;

  constructor(client: KubeClient, signal: AbortSignal) {
    this.#client = client;
    this.#signal = signal;
  }

  async list<T extends KubeObject>(
    resource: ResourceRef<T>,
    namespace?: string,
  ): Promise<readonly Stored<T>[]> {
    return (await this.maybe(resource, namespace)) ?? [];
  }

  /** Undefined where the kind is not served or may not be read; the latter is noted. */
  async maybe<T extends KubeObject>(
    resource: ResourceRef<T>,
    namespace?: string,
  ): Promise<readonly Stored<T>[] | undefined> {
    const options = { signal: this.#signal, ...(namespace === undefined ? {} : { namespace }) };
    try {
      return (await this.#client.listAll(resource, options)).items;
    } catch (error) {
      // A kind that is not installed is a finding about its CRD.
      if (isApiError(error, 'notFound', 'methodNotAllowed')) return undefined;
      if (!isApiError(error, 'forbidden')) throw error;
      this.unread.push({ what: resource.plural, why: error.message });
      return undefined;
    }
  }
}

/** Undefined where they may not be read, or there is nobody to judge. */
async function readRoles(
  reads: Reads,
  side: Side | undefined,
  lease: ObjectKey | undefined,
): Promise<RoleObjects | undefined> {
  if (side === undefined) return undefined;
  const { namespace } = lease ?? side.deployment.metadata;
  const clusterRoles = await reads.maybe(CLUSTER_ROLES);
  const clusterBindings = await reads.maybe(CLUSTER_ROLE_BINDINGS);
  const roles = await reads.maybe(ROLES, namespace);
  const bindings = await reads.maybe(ROLE_BINDINGS, namespace);
  if (!clusterRoles || !clusterBindings || !roles || !bindings) return undefined;
  return { clusterRoles, clusterBindings, roles, bindings };
}

/** Of the cloud whose hashes contain it. */
function bundleOf(side: Side | undefined): string | undefined {
  const value = side?.settings.resolved.values['clusterCaBundle']?.value;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function inBase64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
