/**
 * Reads what checks of AKS ask of a subscription, as resources of azapi with `source: 'live'`. One call fails, the others are made all
 * the same. What is known in part is left out: an identity without its roles would look as if it had none.
 */
import { BUILTIN_ROLES, resourceId, toArmError } from '../../../arm/index.ts';
import { azureReleases, CLIENT_ID_ANNOTATION, optionOf } from '../../azure/helm-options.ts';
import { OF_CONTROLLER } from '../../azure/scenes.ts';
import { fromValue, textAt } from '../../model/tree.ts';
import type { InputProblem, Inputs, Resource } from '../inputs.ts';
import { ARM_CALLS, type ArmCallName } from './arm-calls.table.ts';

export interface SubscriptionReader {
  /** `https://management.azure.com`. */
  readonly resourceManagerUrl: string;
  getJson(url: string, signal?: AbortSignal): Promise<unknown>;
}

export interface Subscription {
  readonly resources: readonly Resource[];
  readonly problems: readonly InputProblem[];
  readonly calls: number;
}

/** @param clusterId the ID of the AKS cluster. */
export async function readSubscription(
  inputs: Inputs,
  clusterId: string,
  reader: SubscriptionReader,
  signal?: AbortSignal,
): Promise<Subscription> {
  const reading = new Reading(reader, signal);
  const { subscriptionId } = resourceId(clusterId);
  const subscription = `/subscriptions/${subscriptionId}`;
  const cluster = await reading.get('cluster', clusterId);
  if (cluster === undefined) return reading.result();
  reading.add('Microsoft.ContainerService/managedClusters', cluster, 'cluster');
  const properties = part(cluster, 'properties');
  const profiles = listAt(properties, 'agentPoolProfiles');
  await readNetworks(reading, [
    ...idsOf(inputs, 'VNET_SUBNET_ID', 'vnetSubnetID'),
    ...profiles.flatMap((profile) => text(profile, 'vnetSubnetID') ?? []),
  ]);
  const issuer = text(part(properties, 'oidcIssuerProfile'), 'issuerURL');
  await readIdentities(reading, inputs, subscription, issuer);
  const own = text(properties, 'diskEncryptionSetID');
  const sets = idsOf(inputs, 'NODE_OSDISK_DISKENCRYPTIONSET_ID', 'osDiskDiskEncryptionSetID');
  for (const id of new Set([...sets, ...(own === undefined ? [] : [own])]))
    await readSet(reading, id, subscription);
  const location = text(cluster, 'location');
  if (location !== undefined) await readCapacity(reading, subscription, location);
  return reading.result();
}

/** The inputs with the subscription. */
export function withSubscription(inputs: Inputs, { resources, problems }: Subscription): Inputs {
  return {
    ...inputs,
    resources: [...inputs.resources, ...resources],
    problems: [...inputs.problems, ...problems],
  };
}

// ---------------------------------------------------------------------------------------------------------------

type Json = Readonly<Record<string, unknown>>;

class Reading {
  readonly #reader: SubscriptionReader;
  readonly #signal: AbortSignal | undefined;
  readonly #resources: Resource[] = [];
  readonly #problems: InputProblem[] = [];
  readonly #definitions = new Set<string>();
  #calls = 0;

  constructor(reader: SubscriptionReader, signal: AbortSignal | undefined) {
    this.#reader = reader;
    this.#signal = signal;
  }

  /** Undefined: it could not be read, and a problem says why. */
  async get(call: ArmCallName, path: string, query = ''): Promise<Json | undefined> {
    const { action, apiVersion } = ARM_CALLS[call];
    const root = this.#reader.resourceManagerUrl.replace(/\/+$/, '');
    const url = path.startsWith('https://') ? path : `${root}${path}?api-version=${apiVersion}${query}`;
    this.#calls++;
    try {
      return asJson(await this.#reader.getJson(url, this.#signal));
    } catch (error) {
      const { status, text: message } = toArmError(error);
      const what =
        status === 403 || status === 401 ? `${action} is not allowed on ${path}` : `${path}: ${message}`;
      this.#problems.push({ at: { call: action }, message: what, level: 'error' });
      return undefined;
    }
  }

  /** All pages. Undefined where one could not be read. */
  async list(call: ArmCallName, path: string, query = ''): Promise<readonly Json[] | undefined> {
    const found: Json[] = [];
    let page = await this.get(call, path, query);
    for (let pages = 1; page !== undefined; pages++) {
      found.push(...listAt(page, 'value'));
      const next = text(page, 'nextLink');
      if (next === undefined || next === '' || pages >= MAX_PAGES) return found;
      page = await this.get(call, next);
    }
    return undefined;
  }

  /** An answer as a resource: its properties are the body. */
  add(type: string, answer: Json, call: ArmCallName, more: Json = {}): void {
    const { id, name, location, identity, properties } = answer;
    const at = { call: ARM_CALLS[call].action };
    const values = { type, id, name, location, identity, body: { properties }, ...more };
    const own = typeof name === 'string' ? name : '';
    const address = `${type.split('/').at(-1)}/${own}`;
    this.#resources.push({
      source: 'live',
      address,
      mode: 'managed',
      type: 'azapi_resource',
      name: own,
      values: fromValue(values, at),
      at,
    });
  }

  /** Whether the roles of a principal were read, also those that it has through groups. */
  async roles(subscription: string, principalId: string): Promise<boolean> {
    const path = `${subscription}/providers/Microsoft.Authorization/roleAssignments`;
    const filter = `&$filter=${encodeURIComponent(`assignedTo('${principalId}')`)}`;
    const found = await this.list('roles', path, filter);
    for (const each of found ?? []) {
      const properties = part(each, 'properties');
      this.add(
        'Microsoft.Authorization/roleAssignments',
        { ...each, properties: { ...properties, principalId } },
        'roles',
      );
      await this.#definition(text(properties, 'roleDefinitionId') ?? '');
    }
    return found !== undefined;
  }

  async #definition(id: string): Promise<void> {
    const guid = id.split('/').at(-1)?.toLowerCase() ?? '';
    if (guid === '' || this.#definitions.has(guid) || BUILTIN_ROLES.some((role) => role.guid === guid))
      return;
    this.#definitions.add(guid);
    const definition = await this.get('roleDefinition', id);
    if (definition !== undefined)
      this.add('Microsoft.Authorization/roleDefinitions', { ...definition, id }, 'roleDefinition');
  }

  result(): Subscription {
    return { resources: this.#resources, problems: this.#problems, calls: this.#calls };
  }
}

const MAX_PAGES = 20;

/** Each virtual network with all its subnets: one that is not there is then known to be missing. */
async function readNetworks(reading: Reading, subnets: readonly string[]): Promise<void> {
  const networks = new Map(
    subnets.map((id) => id.replace(/\/subnets\/[^/]*$/i, '')).map((id) => [id.toLowerCase(), id]),
  );
  for (const id of networks.values()) {
    const network = await reading.get('network', id);
    if (network === undefined) continue;
    reading.add('Microsoft.Network/virtualNetworks', network, 'network');
    for (const subnet of listAt(part(network, 'properties'), 'subnets'))
      reading.add('Microsoft.Network/virtualNetworks/subnets', subnet, 'network');
  }
}

/**
 * The identity of the controller: by the client ID of the Helm values, or by its name and a credential for the issuer of the
 * cluster. In a subscription with several clusters, others of that name belong to those.
 */
async function readIdentities(
  reading: Reading,
  inputs: Inputs,
  subscription: string,
  issuer: string | undefined,
): Promise<void> {
  const clients = azureReleases(inputs).flatMap(
    ({ values }) =>
      textAt(values, 'serviceAccount', 'annotations', CLIENT_ID_ANNOTATION)?.toLowerCase() ?? [],
  );
  const path = `${subscription}/providers/Microsoft.ManagedIdentity/userAssignedIdentities`;
  const all = (await reading.list('identities', path)) ?? [];
  const byClient = all.filter((each) =>
    clients.includes(text(part(each, 'properties'), 'clientId')?.toLowerCase() ?? ''),
  );
  if (byClient.length > 0) {
    for (const identity of byClient.slice(0, MAX_IDENTITIES))
      await readIdentity(reading, subscription, identity, issuer);
    return;
  }
  const byName = all.filter((each) => OF_CONTROLLER.test(text(each, 'name') ?? ''));
  for (const identity of byName.slice(0, MAX_NAMED_IDENTITIES))
    await readIdentity(reading, subscription, identity, issuer, 'only with a credential for the issuer');
}

const MAX_IDENTITIES = 5;
/** One call each finds out whether it is of this cluster. */
const MAX_NAMED_IDENTITIES = 50;

/** Credentials for other clusters are left out where it has one for this cluster. */
async function readIdentity(
  reading: Reading,
  subscription: string,
  identity: Json,
  issuer: string | undefined,
  condition?: 'only with a credential for the issuer',
): Promise<void> {
  const id = text(identity, 'id') ?? '';
  const principal = text(part(identity, 'properties'), 'principalId');
  const credentials = (await reading.list('credentials', `${id}/federatedIdentityCredentials`)) ?? [];
  const own = credentials.filter((each) => isSameUrl(text(part(each, 'properties'), 'issuer'), issuer));
  if (principal === undefined || (condition !== undefined && own.length === 0)) return;
  if (!(await reading.roles(subscription, principal))) return;
  reading.add('Microsoft.ManagedIdentity/userAssignedIdentities', identity, 'identities');
  for (const credential of own.length > 0 ? own : credentials)
    reading.add(
      'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials',
      credential,
      'credentials',
      { parent_id: id },
    );
}

/** Whether both are known, and the same but for the slash at the end. */
function isSameUrl(left: string | undefined, right: string | undefined): boolean {
  const [a, b] = [left, right].map((url) => url?.replace(/\/+$/, '').toLowerCase());
  return a !== undefined && a === b;
}

async function readSet(reading: Reading, id: string, subscription: string): Promise<void> {
  const set = await reading.get('set', id);
  if (set === undefined) return;
  reading.add('Microsoft.Compute/diskEncryptionSets', set, 'set');
  const activeKey = part(part(set, 'properties'), 'activeKey');
  const vaultId = text(part(activeKey, 'sourceVault'), 'id');
  const principal = text(part(set, 'identity'), 'principalId');
  if (vaultId === undefined || principal === undefined) return;
  const vault = await reading.get('vault', vaultId);
  if (vault === undefined || !(await reading.roles(subscription, principal))) return;
  reading.add('Microsoft.KeyVault/vaults', vault, 'vault');
  const name = /\/keys\/([^/]+)/.exec(text(activeKey, 'keyUrl') ?? '')?.[1];
  const key = name === undefined ? undefined : await reading.get('key', `${vaultId}/keys/${name}`);
  if (key !== undefined) reading.add('Microsoft.KeyVault/vaults/keys', key, 'key', { parent_id: vaultId });
}

async function readCapacity(reading: Reading, subscription: string, location: string): Promise<void> {
  const compute = `${subscription}/providers/Microsoft.Compute`;
  for (const usage of (await reading.list('quota', `${compute}/locations/${location}/usages`)) ?? []) {
    const { limit, currentValue } = usage;
    const name = text(part(usage, 'name'), 'value');
    reading.add('Microsoft.Quota/quotas', { name, properties: { limit, currentValue } }, 'quota');
  }
  const filter = `&$filter=${encodeURIComponent(`location eq '${location}'`)}`;
  for (const { name, resourceType, family, restrictions } of (await reading.list(
    'sizes',
    `${compute}/skus`,
    filter,
  )) ?? [])
    if (resourceType === 'virtualMachines')
      reading.add('Microsoft.Compute/skus', { name, properties: { family, restrictions } }, 'sizes');
}

/** IDs that Helm values and AKSNodeClasses name. */
function idsOf(inputs: Inputs, env: string, field: string): readonly string[] {
  const all = [
    ...azureReleases(inputs).map((release) => optionOf(release, env).text),
    ...inputs.manifests
      .filter(({ kind }) => kind === 'AKSNodeClass')
      .map(({ tree }) => textAt(tree, 'spec', field)),
  ];
  return all.filter((id) => id !== undefined && /^\/subscriptions\/[^{}<>?*]+$/.test(id)) as string[];
}

function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function part(value: Json, name: string): Json {
  return asJson(value[name]);
}

function text(value: Json, name: string): string | undefined {
  const own = value[name];
  return typeof own === 'string' ? own : undefined;
}

function listAt(value: Json, name: string): readonly Json[] {
  const own = value[name];
  return Array.isArray(own) ? own.map(asJson) : [];
}
