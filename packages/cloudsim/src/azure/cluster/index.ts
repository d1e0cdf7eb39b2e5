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
import { type KeyServices, keysProvider } from '../keys/index.ts';
import type { ArmContext, Provider } from '../wire/context.ts';
import { Byok, type ByokOptions } from './byok.ts';
import {
  clusterId,
  type ManagedClusterOptions,
  managedClusterRoutes,
  newManagedCluster,
} from './managed-cluster.ts';
import { RoleAssignments } from './role-assignments.ts';
import { roleRoutes } from './role-routes.ts';

export interface PlaygroundAzureOptions {
  readonly catalogue?: CatalogueOptions;
  /** False: there is no managed cluster to read. */
  readonly cluster?: ManagedClusterOptions | false;
  /** False: there is no vault, no key and no disk encryption set. */
  readonly byok?: ByokOptions | false;
  /** The controller has the roles it needs (default), or may do everything. */
  readonly rights?: 'needed' | 'all';
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

  #clusterId(): string {
    const { subscriptionId, clusterResourceGroup, clusterName } = started(this.#context).settings;
    return clusterId(subscriptionId, clusterResourceGroup, clusterName);
  }

  #cluster(context: ArmContext) {
    this.#context = context;
    this.#roles = new RoleAssignments(context);
    const { cluster = {}, byok = {} } = this.#options;
    if (cluster !== false) context.store.put(newManagedCluster(context, cluster));
    this.#grant(context);
    const controllerId = controllerOf(context);
    if (byok !== false)
      this.#byok = new Byok({ ...this.keys, context, roles: this.#roles, controllerId }, byok);
    return [...managedClusterRoutes(context), ...roleRoutes(context, this.#roles)];
  }

  #grant(context: ArmContext): void {
    if (this.#options.rights === 'all') return;
    const { subscriptionId, nodeResourceGroup } = context.settings;
    const subscription = `/subscriptions/${subscriptionId}`;
    const controllerId = controllerOf(context);
    // The server allows its default identity everything; from here on, roles decide.
    for (const grant of context.access.grants())
      if (grant.principalId === controllerId) context.access.revoke(grant.id);
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
