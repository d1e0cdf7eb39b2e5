/**
 * Everything of ours in the node resource group, by Resource Graph: one query instead of a list of every VM in
 * it. Ours is what carries a pool's tag, or a claim's UID (claims that people made have no pool). A list is whole, or
 * it is an error: by what is missing from it things would be taken for gone. VMs that AKS made are never shown.
 */
import { type Log, rethrowProgramError } from '@chandler/kube';
import { type ArmClients, ArmError, BAD_ANSWER, toArmError } from '../../../arm/index.ts';
import { imageIdOf } from '../images/index.ts';
import { zoneLabelOf } from '../sizes/index.ts';
import { Tag, type Tags } from './tags.ts';
import type { VmFacts } from './vm-facts.ts';

export interface ListedNic {
  readonly id: string;
  readonly name: string;
  readonly tags: Tags;
  readonly attachedTo: string | undefined;
}

export interface ListedDisk {
  readonly id: string;
  readonly name: string;
  readonly tags: Tags;
  readonly attachedTo: string | undefined;
  readonly createdAtMs: number | undefined;
}

export interface GraphListOptions {
  readonly clients: Pick<ArmClients, 'resourceGraph' | 'subscriptionId'>;
  readonly log: Log;
  readonly resourceGroup: string;
  readonly region: string;
  readonly signal?: AbortSignal;
}

export const VM_TYPE = 'microsoft.compute/virtualmachines';
export const NIC_TYPE = 'microsoft.network/networkinterfaces';
export const DISK_TYPE = 'microsoft.compute/disks';

const PAGE_SIZE = 1000;
/** Resource Graph refuses a page over 16 MiB; then all is read again in pages of a fraction of the size. */
const PAGE_FRACTION = 8;
const TOO_LARGE = 'ResponsePayloadTooLarge';
/** A list that never ends is a fault, not a fleet. */
const MAX_PAGES = 2_000;

/** What is read of each type: a NIC with an address for each pod has 100 KiB, of which 1 KiB is needed. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  [VM_TYPE]: [
    'zones',
    'vmSize = properties.hardwareProfile.vmSize',
    'priority = properties.priority',
    'imageReference = properties.storageProfile.imageReference',
    'timeCreated = properties.timeCreated',
    'provisioningState = properties.provisioningState',
    'diskEncryptionSetId = properties.storageProfile.osDisk.managedDisk.diskEncryptionSet.id',
  ],
  [NIC_TYPE]: ['vmId = properties.virtualMachine.id'],
  [DISK_TYPE]: ['managedBy', 'timeCreated = properties.timeCreated'],
};

export async function listVms(options: GraphListOptions): Promise<readonly VmFacts[]> {
  return readRows(options, VM_TYPE, (row) => ({
    ...named(row),
    size: textOf(row['vmSize']) ?? '',
    zone: zoneLabelOf(options.region, Array.isArray(row['zones']) ? row['zones'].map(String) : undefined),
    capacityType: row['priority'] === 'Spot' ? 'spot' : 'on-demand',
    imageId: imageIdOf(objectOf(row['imageReference'])),
    createdAtMs: timeOf(row['timeCreated']),
    deleting: row['provisioningState'] === 'Deleting',
    diskEncryptionSetId: textOf(row['diskEncryptionSetId']),
  }));
}

export async function listNics(options: GraphListOptions): Promise<readonly ListedNic[]> {
  return readRows(options, NIC_TYPE, (row) => ({ ...named(row), attachedTo: textOf(row['vmId']) }));
}

export async function listDisks(options: GraphListOptions): Promise<readonly ListedDisk[]> {
  return readRows(options, DISK_TYPE, (row) => ({
    ...named(row),
    attachedTo: textOf(row['managedBy']),
    createdAtMs: timeOf(row['timeCreated']),
  }));
}

export function graphQuery(type: string, resourceGroup: string): string {
  return [
    'Resources',
    `where type == ${quoted(type)}`,
    `where resourceGroup == ${quoted(resourceGroup.toLowerCase())}`,
    `where tags has_cs ${quoted(Tag.nodePool)} or tags has_cs ${quoted(Tag.claimUid)}`,
    `where not(tags has_cs ${quoted(Tag.aksMachine)})`,
    `project ${['id', 'name', 'tags', ...(COLUMNS[type] ?? [])].join(', ')}`,
    // Without an order the pages of one answer need not go together.
    'order by id asc',
  ].join(' | ');
}

// ---------------------------------------------------------------------------------------------------

type Row = Readonly<Record<string, unknown>>;

async function readRows<T extends { readonly id: string }>(
  options: GraphListOptions,
  type: string,
  read: (row: Row) => T,
): Promise<readonly T[]> {
  for (let top = PAGE_SIZE; ; top = Math.ceil(top / PAGE_FRACTION)) {
    try {
      return await readAll(options, type, top, read);
    } catch (error) {
      if (top === 1 || !(error instanceof ArmError) || !error.codes.includes(TOO_LARGE)) throw error;
      options.log.warn('a page of Resource Graph is too large; reading smaller pages', { type, top });
    }
  }
}

async function readAll<T extends { readonly id: string }>(
  options: GraphListOptions,
  type: string,
  top: number,
  read: (row: Row) => T,
): Promise<readonly T[]> {
  // By id: while pages are read things come and go, and one of them may be on two pages.
  const found = new Map<string, T>();
  let fewest = Number.POSITIVE_INFINITY;
  for await (const page of pages(options, type, top)) {
    fewest = Math.min(fewest, page.of);
    for (const row of page.rows) {
      try {
        const one = read(objectOf(row));
        found.set(one.id.toLowerCase(), one);
      } catch (error) {
        rethrowProgramError(error);
        const { id } = objectOf(row);
        options.log.warn('ignoring invalid row of Resource Graph', { type, id, error: String(error) });
      }
    }
  }
  if (found.size < fewest) throw notWhole(`only ${found.size} of ${fewest} rows are valid`);
  return [...found.values()];
}

interface Page {
  readonly rows: readonly unknown[];
  /** So many there are on all pages, at the time of this one. */
  readonly of: number;
}

async function* pages(options: GraphListOptions, type: string, top: number): AsyncGenerator<Page> {
  const { resourceGroup } = options;
  const query = graphQuery(type, resourceGroup);
  let skipToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const {
      data,
      totalRecords,
      resultTruncated,
      skipToken: next = '',
    } = await ask(options, query, top, skipToken);
    if (!Array.isArray(data)) throw notWhole('it is not a list of objects');
    if (!Number.isSafeInteger(totalRecords)) throw notWhole('it has no total number of rows');
    yield { rows: data as unknown[], of: totalRecords };
    if (next === '') {
      if (resultTruncated === 'true') throw notWhole('Azure truncated it');
      return;
    }
    skipToken = next;
  }
  throw notWhole(`it does not end after ${MAX_PAGES} pages`);
}

function notWhole(why: string): ArmError {
  return new ArmError({
    code: BAD_ANSWER,
    message: `the response of Resource Graph is incomplete: ${why}`,
  });
}

async function ask(
  { clients, signal }: GraphListOptions,
  query: string,
  top: number,
  skipToken: string | undefined,
) {
  const until = signal === undefined ? {} : { abortSignal: signal };
  try {
    const graph = await clients.resourceGraph();
    return await graph.resources(
      {
        query,
        subscriptions: [clients.subscriptionId],
        options: {
          resultFormat: 'objectArray',
          top,
          ...(skipToken === undefined ? {} : { skipToken }),
        },
      },
      until,
    );
  } catch (error) {
    throw toArmError(error);
  }
}

/** Case of the last part varies in Resource Graph; our names are in lower case. */
function named(row: Row): { id: string; name: string; tags: Tags } {
  const id = textOf(row['id']);
  const name = textOf(row['name']);
  if (id === undefined || name === undefined) throw new Error('it has no ID or no name');
  const tags = row['tags'];
  if (typeof tags !== 'object' || tags === null) throw new Error('it has no tags');
  const at = id.lastIndexOf('/') + 1;
  return { id: id.slice(0, at) + id.slice(at).toLowerCase(), name: name.toLowerCase(), tags: tags as Tags };
}

function quoted(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
}

function objectOf(value: unknown): Row {
  return typeof value === 'object' && value !== null ? (value as Row) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
