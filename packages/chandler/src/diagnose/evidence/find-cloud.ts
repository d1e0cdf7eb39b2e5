/**
 * Which cloud a question is about: that of the node class of the object, otherwise that of the NodePools, the node classes
 * or the nodes of the cluster. An object that cannot be read decides nothing.
 */
import { NODES, type ObjectKey, PODS, type ResourceRef } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS, type NodePool, nodeClassLabel } from '../../api/index.ts';
import {
  type Found,
  isFound,
  type LookupResult,
  type ObjectReader,
  type ReadObject,
} from '../../causes/index.ts';
import type { DiagnosisRow } from '../../cloud/index.ts';

import { isWorkload, type Subject, subjectKey } from '../subject.ts';
import { poolOfName } from './gone-claim.ts';
import type { ClaimShape, NodeShape, PodShape, PoolShape } from './shapes.ts';

export type CloudMarks = Pick<DiagnosisRow, 'nodeClasses' | 'providerIds'>;

export interface FoundCloud<Row> {
  /** Undefined: nothing in the cluster shows it. */
  readonly row: Row | undefined;
  /** Clouds of which the cluster has objects as well, fewer of them. */
  readonly others: readonly Row[];
}

/** @param subject absent: the question is about the whole cluster. */
export async function findCloud<Row extends CloudMarks>(
  rows: readonly Row[],
  reader: ObjectReader,
  subject?: Subject,
): Promise<FoundCloud<Row>> {
  const search = new Search(rows, reader);
  const steps = [
    () => search.ofSubject(subject),
    () => search.ofPools(),
    () => search.ofClasses(),
    () => search.ofNodes(),
  ];
  for (const step of steps) {
    const found = await step();
    if (found.row !== undefined) return found;
    // Each further object of a cluster that does not answer would take a whole timeout.
    if (search.isUnreachable) break;
  }
  return { row: undefined, others: [] };
}

/** The cloud of most of these NodePools. */
export function cloudOfPools<Row extends Pick<CloudMarks, 'nodeClasses'>>(
  rows: readonly Row[],
  pools: readonly NodePool[],
): FoundCloud<Row> {
  return mostOf(
    rows,
    pools.map(({ spec }) => cloudOfClass(rows, spec.template.spec.nodeClassRef)),
  );
}

/** What shows the cloud of a node. */
export interface NodeMarks {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly providerID?: string };
}

/** By the label of its node class, otherwise by its provider id. */
export function cloudOfNode<Row extends CloudMarks>(
  rows: readonly Row[],
  { metadata: { labels = {} }, spec }: NodeMarks,
): Row | undefined {
  const ofLabels = rows.find(({ nodeClasses }) =>
    nodeClasses.some(({ group, kind }) => labels[nodeClassLabel(group, kind)] !== undefined),
  );
  return ofLabels ?? cloudOfProviderId(rows, spec?.providerID);
}

export function cloudOfClass<Row extends Pick<CloudMarks, 'nodeClasses'>>(
  rows: readonly Row[],
  { group, kind }: { readonly group: string; readonly kind: string },
): Row | undefined {
  return rows.find(({ nodeClasses }) => nodeClasses.some((own) => own.group === group && own.kind === kind));
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_NODES = 50;

class Search<Row extends CloudMarks> {
  readonly #rows: readonly Row[];
  readonly #reader: ObjectReader;
  isUnreachable = false;

  constructor(rows: readonly Row[], reader: ObjectReader) {
    this.#rows = rows;
    this.#reader = reader;
  }

  async ofSubject(subject: Subject | undefined): Promise<FoundCloud<Row>> {
    return { row: subject && (await this.#rowOf(subject)), others: [] };
  }

  async ofPools(): Promise<FoundCloud<Row>> {
    return cloudOfPools(this.#rows, (await this.#list(NODE_POOLS)) as readonly PoolShape[]);
  }

  /** Of those that no NodePool uses yet. */
  async ofClasses(): Promise<FoundCloud<Row>> {
    const seen: Row[] = [];
    for (const row of this.#rows)
      for (const resource of row.nodeClasses) seen.push(...(await this.#list(resource)).map(() => row));
    return mostOf(this.#rows, seen);
  }

  async ofNodes(): Promise<FoundCloud<Row>> {
    const nodes = (await this.#list(NODES, MAX_NODES)) as readonly NodeShape[];
    return mostOf(
      this.#rows,
      nodes.map(({ spec }) => cloudOfProviderId(this.#rows, spec?.providerID)),
    );
  }

  async #rowOf({ kind, name, namespace = 'default' }: Subject): Promise<Row | undefined> {
    // Its pods may be on nodes of any cloud.
    if (isWorkload(kind)) return undefined;
    if (kind === 'pod') {
      const pod = (await this.#get(PODS, subjectKey({ kind, name, namespace }))) as PodShape | undefined;
      const node = pod?.spec.nodeName;
      return node ? this.#rowOf({ kind: 'node', name: node }) : undefined;
    }
    if (kind === 'nodeclaim') {
      const claim = (await this.#get(NODE_CLAIMS, { name })) as ClaimShape | undefined;
      if (claim !== undefined) return cloudOfClass(this.#rows, claim.spec.nodeClassRef);
      if (this.isUnreachable) return undefined;
      const pools = (await this.#list(NODE_POOLS)).map(({ metadata }) => metadata.name);
      const pool = poolOfName(name, pools);
      return pool === undefined ? undefined : this.#rowOf({ kind: 'nodepool', name: pool });
    }
    if (kind === 'nodepool') {
      const pool = (await this.#get(NODE_POOLS, { name })) as PoolShape | undefined;
      return pool && cloudOfClass(this.#rows, pool.spec.template.spec.nodeClassRef);
    }
    const node = (await this.#get(NODES, { name })) as NodeShape | undefined;
    return node && cloudOfNode(this.#rows, node);
  }

  async #get(resource: ResourceRef, key: ObjectKey): Promise<ReadObject | undefined> {
    const looked = await this.#reader.get(resource, key);
    return this.#isRead(looked) ? looked.found : undefined;
  }

  async #list(resource: ResourceRef, atMost?: number): Promise<readonly ReadObject[]> {
    const looked = await this.#reader.list(resource, atMost === undefined ? {} : { atMost });
    return this.#isRead(looked) ? looked.found : [];
  }

  #isRead<T>(looked: LookupResult<T>): looked is Found<T> {
    if (isFound(looked)) return true;
    this.isUnreachable ||= looked.why === 'unreachable';
    return false;
  }
}

function cloudOfProviderId<Row extends CloudMarks>(rows: readonly Row[], id = ''): Row | undefined {
  return rows.find(({ providerIds }) => id.startsWith(providerIds));
}

/** Of those that are seen equally often, the first of the rows. */
function mostOf<Row>(rows: readonly Row[], seen: readonly (Row | undefined)[]): FoundCloud<Row> {
  const counted = rows
    .map((row) => ({ row, count: seen.filter((each) => each === row).length }))
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.count - one.count);
  return { row: counted[0]?.row, others: counted.slice(1).map(({ row }) => row) };
}
