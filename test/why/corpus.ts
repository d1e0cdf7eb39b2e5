/**
 * The corpus: one file for each failure, with what there is in the cluster and in Azure, and the answer that is right. A
 * case of objects is put into a dump and asked about, so every case also shows that a dump suffices.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { parse } from 'yaml';
import type { Evidence, ObjectReader, ReadObject } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type Dump,
  dumpReader,
  type Explanation,
  encodeDump,
  explain,
  explanationText,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';
import { scrubber } from '../../packages/chandler/src/diagnose/testing.ts';

import {
  aClass,
  aController,
  aPool,
  type ClassWords,
  type ControllerWords,
  type PoolWords,
} from './cluster-objects.ts';
import {
  aClaim,
  aNode,
  anEvent,
  aPod,
  type ClaimWords,
  type EventWords,
  NOW_MS,
  type NodeWords,
  type PodWords,
} from './objects.ts';

const CLOUD = azureDiagnosis();
const scrubbed = scrubber(CLOUD.options.table);

export interface CorpusCase {
  readonly file: string;
  readonly title: string;
  /** `L4.2`: the failure point that it shows. */
  readonly point?: string;
  readonly ask: string;
  readonly byok?: boolean;
  readonly controller?: ControllerWords;
  readonly class?: ClassWords | null;
  readonly pool?: PoolWords | null;
  readonly pools?: readonly PoolWords[];
  readonly claims?: readonly ClaimWords[];
  readonly nodes?: readonly NodeWords[];
  readonly pods?: readonly PodWords[];
  readonly events?: readonly EventWords[];
  /** Whole objects, as an API server shows them. */
  readonly objects?: readonly ReadObject[];
  readonly logs?: Readonly<Record<string, string>>;
  /** What Azure shows: records without where they were read. */
  readonly azure?: readonly (Record<string, unknown> & { readonly kind: string })[];
  /** Not this case's objects but a run of the whole thing. */
  readonly playground?: PlaygroundWords;
  readonly expect: Expected;
}

/** `$OWN_SET` in texts is the disk encryption set of the playground. */
export interface PlaygroundWords {
  /** Set once the class is ready. */
  readonly faults?: readonly string[];
  /** Set before the controller starts, and gone when `why` asks. */
  readonly first?: readonly string[];
  /** Properties of the managed cluster. */
  readonly cluster?: Record<string, unknown>;
  /** A version of the node image, published now: `AKSAzureLinux 202601.27.0`. */
  readonly image?: string;
  /** Other objects of the cluster. */
  readonly objects?: readonly ReadObject[];
  /** What the kubelet says about the pod before it is asked about. */
  readonly told?: readonly EventWords[];
  /** What the kubelet says in the status of the pod; `container` is about its only one. */
  readonly podStatus?: Record<string, unknown> & { readonly container?: Record<string, unknown> };
  /** Done by hand after that, and how many seconds before the question. */
  readonly afterwards?: number;
  readonly deed?: 'deleteClaim' | 'deleteVm' | 'powerOff';
  /** No controller runs. */
  readonly stopped?: true;
  readonly env?: Readonly<Record<string, string>>;
  readonly class?: Record<string, unknown>;
  /** Null: there is none. */
  readonly pool?: Record<string, unknown> | null;
  readonly pod?: Record<string, unknown>;
  /** What is broken about the customer's key from the start: `deleteSet`, `revokeReader`. */
  readonly keys?: string;
  /** The same, once the pool is ready. */
  readonly later?: string;
  /** False: the class never gets ready, and nobody waits for it. */
  readonly before?: false;
  /** Asked as soon as an object is like this: `nodeclaim Launched=True`. */
  readonly until?: string;
  /** Seconds after that. */
  readonly then?: number;
  /** How long that may take, or how long it is watched where there is no `until`. */
  readonly minutes?: number;
  /** The cluster shows a Deployment of the controller with these variables. */
  readonly deployment?: true;
  /** What happens to the bootstrap token before the pod is created. */
  readonly token?: 'delete' | 'expire';
  /** Asked without credentials for Azure. */
  readonly without?: 'azure';
}

export interface Expected {
  /** The id of the cause at the top; none for a healthy cluster. */
  readonly cause?: string;
  readonly layer?: string;
  readonly verdict?: Explanation['verdict'];
  /** The ids of what must be told beside it; without a cause, nothing else may be. */
  readonly also?: readonly string[];
  /** Words in the printed answer. */
  readonly text?: readonly string[];
  /** After a run: beginning of a condition, `NodeClaim CSEProvisioned=False CSEFailed: CSE exited with …`. */
  readonly condition?: string;
  /** After a run: beginning of an event, `Warning CSEFailed NodeClaim: CSE exited with …`. */
  readonly event?: string;
}

export type Outcome = 'right' | 'wrong' | 'missed';

export interface CaseResult {
  readonly outcome: Outcome;
  readonly explanation: Explanation | undefined;
  /** What is not as expected. */
  readonly complaint: string;
}

const FOLDER = join(import.meta.dirname, 'corpus');

export function corpus(): readonly CorpusCase[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((file) => ({ ...(parse(readFileSync(join(FOLDER, file), 'utf8')) as CorpusCase), file }));
}

export async function runObjects(one: CorpusCase): Promise<CaseResult> {
  const world = virtualWorld({ startMs: NOW_MS });
  const reader = asStrict(dumpReader(openDump(encodeDump(dumpOf(one), false))));
  const subject = parseSubject([one.ask]);
  if (typeof subject === 'string') throw new Error(`${one.file}: ${subject}`);
  const gathered = await gather(subject, {
    reader,
    cloud: CLOUD,
    planner: cataloguePlanner(world, reader, CLOUD),
    expectsCustomerKey: one.byok ?? false,
  });
  if (gathered.state !== 'gathered')
    return { outcome: 'missed', explanation: undefined, complaint: gathered.message };
  return judge(one, explain(gathered.subject, gathered.evidence, CLOUD));
}

/** As a live cluster: an object without a name has no address there. */
export function asStrict(reader: ObjectReader): ObjectReader {
  return {
    ...reader,
    get: async (resource, key) => {
      if (key.name === '') throw new Error(`a ${resource.kind} without a name is asked for`);
      return await reader.get(resource, key);
    },
  };
}

/** Right: the expected cause and no other at the top. Missed: nothing was named. Wrong: something else was. */
export function judge(one: CorpusCase, explanation: Explanation): CaseResult {
  const { cause: wanted, layer, text = [], verdict } = one.expect;
  const found = explanation.cause?.id;
  const { also: beside = [] } = one.expect;
  const also = explanation.also.map(({ id }) => id);
  const isAlsoRight =
    beside.every((id) => also.includes(id)) &&
    (wanted !== undefined || also.every((id) => beside.includes(id)));
  const printed = explanationText(explanation, { verbose: true });
  const missing = text.filter((words) => !printed.includes(words));
  const complaints = [
    ...(found === wanted ? [] : [`expected ${wanted ?? 'nothing'}, found ${found ?? 'nothing'}`]),
    ...(wanted !== undefined && layer !== undefined && explanation.cause?.layer !== layer
      ? [`expected layer ${layer}, found ${explanation.cause?.layer ?? 'none'}`]
      : []),
    ...(one.point !== undefined && (explanation.cause?.point ?? found) !== one.point
      ? [`expected a case of ${one.point}, found one of ${explanation.cause?.point ?? 'none'}`]
      : []),
    ...(verdict !== undefined && explanation.verdict !== verdict
      ? [`expected ${verdict}, found ${explanation.verdict}`]
      : []),
    ...(isAlsoRight
      ? []
      : [`expected ${beside.join(', ') || 'nothing'} as well, found ${also.join(', ') || 'nothing'}`]),
    ...missing.map((words) => `the answer does not say "${words}"`),
  ];
  const outcome: Outcome =
    complaints.length === 0 ? 'right' : found === undefined && wanted !== undefined ? 'missed' : 'wrong';
  return { outcome, explanation, complaint: complaints.join('; ') };
}

export function dumpOf(one: CorpusCase): Dump {
  return dumpWith(objectsOf(one).map(scrubbed), one.logs ?? {}, (one.azure ?? []).map(withReading));
}

/** A dump of these objects, which are without secrets already. */
export function dumpWith(
  objects: readonly ReadObject[],
  logs: Readonly<Record<string, string>>,
  evidence: readonly Evidence[],
): Dump {
  const kinds: Record<string, { objects: ReadObject[]; complete: boolean }> = {};
  for (const name of KIND_NAMES) kinds[name] = { objects: [], complete: true };
  for (const object of objects) kinds[kindName(object)]!.objects.push(asListed(object));
  return {
    kind: 'ChandlerDump',
    version: 1,
    madeAt: new Date(NOW_MS).toISOString(),
    madeBy: 'corpus',
    kinds,
    logs,
    evidence,
    unread: [],
  };
}

// ---------------------------------------------------------------------------------------------------

function objectsOf(one: CorpusCase): readonly ReadObject[] {
  return [
    ...aController(one.controller),
    ...(one.class === null ? [] : [aClass(one.class)]),
    ...(one.pool === null ? [] : [aPool(one.pool)]),
    ...(one.pools ?? []).map((words) => aPool(words)),
    ...(one.claims ?? []).map((words) => aClaim(words)),
    ...(one.nodes ?? []).map((words) => aNode(words)),
    ...(one.pods ?? []).map((words) => aPod(words)),
    ...(one.events ?? []).map((words, index) => anEvent(words, index)),
    ...(one.objects ?? []),
  ];
}

/** Items of a list do not say what they are. */
function asListed({ apiVersion: _, kind: __, ...object }: ReadObject): ReadObject {
  return object;
}

const KIND_NAMES: readonly string[] = [
  'pods',
  'nodes',
  'namespaces',
  'services',
  'configmaps',
  'events',
  'resourcequotas',
  'persistentvolumes',
  'persistentvolumeclaims',
  'deployments.apps',
  'daemonsets.apps',
  'replicasets.apps',
  'statefulsets.apps',
  'jobs.batch',
  'cronjobs.batch',
  'poddisruptionbudgets.policy',
  'storageclasses.storage.k8s.io',
  'leases.coordination.k8s.io',
  'endpointslices.discovery.k8s.io',
  'nodepools.karpenter.sh',
  'nodeclaims.karpenter.sh',
  'nodeoverlays.karpenter.sh',
  'aksnodeclasses.karpenter.azure.com',
  'ec2nodeclasses.karpenter.k8s.aws',
];

function kindName({ apiVersion = 'v1', kind = '' }: ReadObject): string {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  const plural = `${kind.toLowerCase()}${kind.endsWith('s') ? 'es' : 's'}`;
  const name = `${plural.replace(/([^aeiou])ys$/, '$1ies')}${group}`;
  if (!KIND_NAMES.includes(name)) throw new Error(`no kind ${name}`);
  return name;
}

/** Times are written as `ago`; where it was read is where a maker of a dump with credentials would have read it. */
function withReading(record: Record<string, unknown> & { readonly kind: string }): Evidence {
  const from = record.kind === 'token' ? 'kubernetes' : 'azure';
  const name = String(record['name'] ?? record['claim'] ?? record['id'] ?? '');
  return {
    ...record,
    reading: { from, what: `${record.kind} ${name}`, atMs: NOW_MS },
  } as unknown as Evidence;
}
