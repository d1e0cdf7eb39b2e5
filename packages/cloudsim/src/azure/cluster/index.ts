/**
 * The Azure of the playground, put together: what is sold, the cluster, its controller with no more rights than it needs,
 * and a customer's key. Hand `providers` to the ARM server; the rest is there once the server has started.
 */
import {
  type Catalogue,
  type CatalogueOptions,
  catalogueProvider,
  createCatalogue,
} from '../catalogue/index.ts';
import { identitiesProvider } from '../identities/index.ts';
import { createIdentity, IDENTITY_TYPE } from '../identities/user-assigned-identities.ts';
import { type KeyServices, keysProvider } from '../keys/index.ts';
import { formatResourceId } from '../store/resource-id.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { Byok, type ByokOptions } from './byok.ts';
import {
  clusterId,
  KUBELET,
  type ManagedClusterOptions,
  managedClusterRoutes,
  newManagedCluster,
} from './managed-cluster.ts';
import { RoleAssignments } from './role-assignments.ts';
import { OPEN_LISTS } from './role-definitions.table.ts';
import { roleRoutes } from './role-routes.ts';

export interface PlaygroundAzureOptions {
  readonly catalogue?: CatalogueOptions;
  /** False: there is no managed cluster to read. */
  readonly cluster?: ManagedClusterOptions | false;
  /** False: there is no vault, no key and no disk encryption set. */
  readonly byok?: ByokOptions | false;
  /** The controller has the roles it needs (default), or may do everything. */
  readonly rights?: 'needed' | 'all';
  /**
   * False: the cluster as somebody finds it who has not installed a controller yet. There is no identity, no federated
   * credential and no role assignment for one, OIDC issuer and workload identity are disabled, and the credentials of the
   * server are those of an operator who owns the subscription. `rights` has no meaning then. Default true.
   */
  readonly configured?: boolean;
}

export interface PlaygroundAzure {
  /** For `startArmServer({ providers })`. */
  readonly providers: readonly Provider[];
  readonly catalogue: Catalogue;
  /** Available once the server has started. */
  readonly keys: KeyServices;
  readonly roles: RoleAssignments;
  readonly byok: Byok;
  /** The property `diskEncryptionSetID` of the managed cluster. */
  setClusterDiskEncryptionSet(id: string | undefined): void;
  /** Removes the right of the controller to read the managed cluster. */
  hideCluster(): void;
  /**
   * From now on no role of a principal (object id; default: the credentials of the server) has this action; the returned
   * function ends that.
   */
  withhold(action: string, principalId?: string): () => void;
}

export function playgroundAzure(options: PlaygroundAzureOptions = {}): PlaygroundAzure {
  const azure = new Seeded(options);
  return azure;
}

/** Roles on the node resource group, as the installation guide lists them. */
export const NODE_GROUP_ROLES = [
  'Virtual Machine Contributor',
  'Network Contributor',
  'Managed Identity Operator',
] as const;

// ---------------------------------------------------------------------------------------------------

class Seeded implements PlaygroundAzure {
  readonly catalogue: Catalogue;
  readonly providers: readonly Provider[];
  readonly #options: PlaygroundAzureOptions;
  #context: ArmContext | undefined;
  #keys: KeyServices | undefined;
  #roles: RoleAssignments | undefined;
  #byok: Byok | undefined;

  constructor(options: PlaygroundAzureOptions) {
    this.#options = options;
    this.catalogue = createCatalogue(options.catalogue);
    this.providers = [
      catalogueProvider(this.catalogue),
      keysProvider((services) => {
        this.#keys = services;
      }),
      identitiesProvider,
      (context) => this.#cluster(context),
    ];
  }

  get keys(): KeyServices {
    return started(this.#keys);
  }

  get roles(): RoleAssignments {
    return started(this.#roles);
  }

  get byok(): Byok {
    return started(this.#byok);
  }

  setClusterDiskEncryptionSet(id: string | undefined): void {
    const { store } = started(this.#context);
    const cluster = store.get(this.#clusterId());
    if (cluster === undefined) throw new Error('there is no managed cluster');
    const { diskEncryptionSetID: _before, ...properties } = cluster.properties;
    store.put({
      ...cluster,
      properties: id === undefined ? properties : { ...properties, diskEncryptionSetID: id },
    });
  }

  hideCluster(): void {
    this.roles.revoke(controllerOf(started(this.#context)), this.#clusterId(), 'Reader');
  }

  withhold(action: string, principalId = controllerOf(started(this.#context))): () => void {
    return started(this.#context).access.withhold(principalId, action);
  }

  #clusterId(): string {
    const { subscriptionId, clusterResourceGroup, clusterName } = started(this.#context).settings;
    return clusterId(subscriptionId, clusterResourceGroup, clusterName);
  }

  #cluster(context: ArmContext) {
    this.#context = context;
    this.#roles = new RoleAssignments(context);
    context.access.openLists = OPEN_LISTS;
    const { configured = true, byok = configured ? {} : false } = this.#options;
    const cluster = configured ? (this.#options.cluster ?? {}) : this.#unconfigured(context);
    if (cluster !== false) context.store.put(newManagedCluster(context, cluster));
    this.#grant(context);
    const controllerId = controllerOf(context);
    if (byok !== false)
      this.#byok = new Byok({ ...this.keys, context, roles: this.#roles, controllerId }, byok);
    return [
      ...managedClusterRoutes(context, cluster === false ? {} : cluster),
      ...roleRoutes(context, this.#roles),
    ];
  }

  /** The cluster before workload identity is enabled, with the kubelet's identity as a resource of the node resource group. */
  #unconfigured(context: ArmContext): ManagedClusterOptions | false {
    const { cluster = {} } = this.#options;
    if (cluster === false) return false;
    const { subscriptionId, nodeResourceGroup: resourceGroup, clusterName, region } = context.settings;
    const { clientId = KUBELET.clientId, objectId = KUBELET.objectId } = cluster.kubeletIdentity ?? {};
    const { id: resourceId } = createIdentity(context, {
      id: formatResourceId({
        subscriptionId,
        resourceGroup,
        type: IDENTITY_TYPE,
        names: [`${clusterName}-agentpool`],
      }),
      location: region,
      clientId,
      principalId: objectId,
    });
    return { workloadIdentity: false, ...cluster, kubeletIdentity: { resourceId, clientId, objectId } };
  }

  #grant(context: ArmContext): void {
    const { configured = true, rights } = this.#options;
    if (configured && rights === 'all') return;
    const { subscriptionId, nodeResourceGroup } = context.settings;
    const subscription = `/subscriptions/${subscriptionId}`;
    const controllerId = controllerOf(context);
    // The server allows its default identity everything; from here on, roles decide.
    for (const grant of context.access.grants())
      if (grant.principalId === controllerId) context.access.revoke(grant.id);
    if (!configured) {
      this.roles.assign(controllerId, 'Owner', subscription);
      return;
    }
    this.roles.assign(controllerId, 'Playground Catalogue Reader', subscription);
    for (const role of NODE_GROUP_ROLES)
      this.roles.assign(controllerId, role, `${subscription}/resourceGroups/${nodeResourceGroup}`);
    this.roles.assign(controllerId, 'Reader', this.#clusterId());
  }
}

function controllerOf(context: ArmContext): string {
  const [controller] = context.tokens.identities();
  if (controller === undefined) throw new Error('the ARM server has no identity');
  return controller.objectId;
}

function started<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('the ARM server has not started, or this part is disabled');
  return part;
}
