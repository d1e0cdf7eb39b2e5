/**
 * The scheduling requirements of a pod's volumes: alternatives for the topology of the node, and the number
 * of attachments per CSI driver. Attachments are counted like any other resource, in one slot per driver. A
 * claim that several pods mount is counted once per node and is therefore listed by name.
 */
import {
  IN_TREE_DRIVERS,
  inTreeVolumeDriver,
  KubernetesLabel,
  normalizeLabel,
  normalizeLabelValue,
} from '../../api/index.ts';
import type {
  InstanceType,
  NodeSelectorTerm,
  PersistentVolume,
  Pod,
  StorageClass,
  Volume,
  VolumeClaim,
  VolumeFacts,
} from '../model.ts';
import type { PodProblem } from '../refusal.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { ATTACHMENT_PREFIX, type Resources } from '../resources.ts';
import { namespaceOf } from '../shapes/named-pods.ts';
import { type ClaimProblem, problemOfClaim, type VolumeProblem } from './claim-problem.ts';
import { defaultStorageClass } from './default-class.ts';

export interface VolumeNeeds {
  /** One must hold; undefined: the volumes have no requirements. */
  readonly alternatives: readonly RequirementSet[] | undefined;
  /** No node can reach all volumes; the alternatives are those that contradict each other. */
  readonly contradictory: boolean;
  /** Attachments of claims that no other pod mounts, by slot. */
  readonly attachments: ReadonlyMap<number, number>;
  readonly shared: readonly SharedVolume[];
  /** Equal for pods with equal needs. */
  readonly key: string;
}

export type TypeLimits = Pick<InstanceType, 'name' | 'volumeAttachmentLimits'>;

export interface SharedVolume {
  readonly slot: number;
  readonly claim: string;
}

export const NO_VOLUMES: VolumeNeeds = {
  alternatives: undefined,
  contradictory: false,
  attachments: new Map(),
  shared: [],
  key: '',
};

export class VolumeIndex {
  readonly #algebra: Algebra;
  readonly #facts: VolumeFacts;
  readonly #claims: ReadonlyMap<string, VolumeClaim>;
  readonly #volumes: ReadonlyMap<string, PersistentVolume>;
  readonly #classes: ReadonlyMap<string, StorageClass>;
  readonly #defaultClass: string | undefined;
  readonly #mounts = new Map<string, number>();
  readonly #slots: { readonly slot: number; readonly driver: string }[] = [];
  readonly #csiLimits = new Map<string, ReadonlyMap<string, number>>();

  /** @param typeDrivers CSI drivers for which instance types have a limit. */
  constructor(
    algebra: Algebra,
    resources: Resources,
    facts: VolumeFacts = {},
    typeDrivers: Iterable<string> = [],
  ) {
    this.#algebra = algebra;
    this.#facts = facts;
    this.#claims = new Map(
      (facts.claims ?? []).map((claim) => [`${namespaceOf(claim.metadata)}/${claim.metadata.name}`, claim]),
    );
    this.#volumes = new Map((facts.volumes ?? []).map((volume) => [volume.metadata.name ?? '', volume]));
    this.#classes = new Map((facts.classes ?? []).map((item) => [item.metadata.name ?? '', item]));
    this.#defaultClass = defaultStorageClass(facts.classes ?? []);
    for (const node of facts.csiNodes ?? []) {
      const limits = (node.spec.drivers ?? []).map(
        ({ name, allocatable }) => [name, allocatable?.count ?? Number.POSITIVE_INFINITY] as const,
      );
      this.#csiLimits.set(node.metadata.name ?? '', new Map(limits));
    }
    const drivers = new Set([
      ...[...this.#csiLimits.values()].flatMap((limits) =>
        [...limits].flatMap(([driver, limit]) => (Number.isFinite(limit) ? [driver] : [])),
      ),
      ...Object.keys(facts.newNodeLimits ?? {}),
      ...typeDrivers,
    ]);
    for (const driver of [...drivers].sort()) {
      this.#slots.push({ driver, slot: resources.slot(`${ATTACHMENT_PREFIX}${driver}`) });
    }
  }

  /** Equal for indexes that limit the attachments of new nodes in the same way. */
  get limitsKey(): string {
    return JSON.stringify([this.#slots, this.#facts.newNodeLimits ?? null]);
  }

  /** Slots of the drivers that have a limit somewhere. */
  get attachmentSlots(): readonly number[] {
    return this.#slots.map(({ slot }) => slot);
  }

  /** Counts the pods per claim; a claim that one pod mounts needs no name. */
  noteMounts(pod: Pod): void {
    for (const claim of claimsOf(pod)) this.#mounts.set(claim, this.mountsOf(claim) + 1);
  }

  /** How many pods mount the claim. */
  mountsOf(claim: string): number {
    return this.#mounts.get(claim) ?? 0;
  }

  /** The attachment limits of a new node of this type; unlimited when unknown. */
  withLimits({ name: type, volumeAttachmentLimits: own = {} }: TypeLimits, amounts: number[]): number[] {
    const limits = this.#facts.newNodeLimits ?? {};
    for (const { slot, driver } of this.#slots) {
      const byType = Object.hasOwn(limits, driver) ? limits[driver]! : {};
      while (amounts.length <= slot) amounts.push(0);
      amounts[slot] = Math.min(limitIn(own, driver), byType[type] ?? byType['*'] ?? Number.POSITIVE_INFINITY);
    }
    return amounts;
  }

  /** By the CSINode; a driver that it does not list yet has the limit of the instance type. */
  nodeLimit(node: string, driver: string, ofType: TypeLimits['volumeAttachmentLimits'] = {}): number {
    return this.#csiLimits.get(node)?.get(driver) ?? limitIn(ofType, driver);
  }

  withNodeLimits(
    node: string,
    amounts: number[],
    ofType: TypeLimits['volumeAttachmentLimits'] | undefined,
  ): number[] {
    for (const { slot, driver } of this.#slots) {
      while (amounts.length <= slot) amounts.push(0);
      amounts[slot] = this.nodeLimit(node, driver, ofType);
    }
    return amounts;
  }

  /** @returns the requirements of the pod's volumes, or why they cannot be determined. */
  needsOf(pod: Pod): VolumeNeeds | PodProblem {
    // A pod that runs has its volumes.
    const checks = this.#facts.checkClaims === true && !pod.spec.nodeName;
    if (pod.spec.volumes === undefined || pod.spec.volumes.length === 0) return NO_VOLUMES;
    let alternatives: RequirementSet[] | undefined;
    let contradictory = false;
    const attachments = new Map<number, number>();
    const shared: SharedVolume[] = [];
    for (const volume of pod.spec.volumes) {
      const name = claimName(pod, volume);
      if (name === undefined) continue;
      const found = this.#lookUp(volume, name, checks);
      if ('code' in found) return found;
      if (found.terms.length > 0) {
        const combined = this.#combine(alternatives, found.terms);
        alternatives = combined.sets;
        contradictory ||= combined.contradictory;
      }
      const slot = this.#slots.find((candidate) => candidate.driver === found.driver)?.slot;
      if (slot === undefined) continue;
      if (this.mountsOf(name) > 1) shared.push({ slot, claim: name });
      else attachments.set(slot, (attachments.get(slot) ?? 0) + 1);
    }
    const key = [
      contradictory,
      alternatives?.map((alternative) => alternative.id).join('|') ?? '-',
      useText(attachments, shared),
    ].join(';');
    return { alternatives, contradictory, attachments, shared, key };
  }

  /** Equal texts where the pod uses its node in the same way. */
  useOf(pod: Pod): string {
    const needs = this.needsOf(pod);
    if ('code' in needs) return '';
    return useText(needs.attachments, needs.shared);
  }

  #lookUp(
    volume: Volume,
    name: string,
    checks: boolean,
  ): { terms: Requirement[][]; driver: string | undefined } | PodProblem {
    const claim = this.#claims.get(name);
    const spec = claim?.spec ?? this.#withDefaultClass(volume.ephemeral?.volumeClaimTemplate?.spec);
    if (spec === undefined) return { code: 'VolumeClaimMissing', claim: name };
    const unready = checks ? this.#problemOf(claim ?? { metadata: {}, spec }) : undefined;
    if (unready !== undefined) return { code: 'VolumeUnbound', claim: name, ...unready };
    if (spec.volumeName !== undefined && spec.volumeName !== '') {
      const bound = this.#volumes.get(spec.volumeName);
      if (bound === undefined) return { code: 'VolumeMissing', claim: name, volume: spec.volumeName };
      return { terms: this.#boundTerms(bound), driver: driverOf(bound) };
    }
    const className = spec.storageClassName ?? '';
    if (className === '') return { terms: [], driver: undefined };
    const storageClass = this.#classes.get(className);
    if (storageClass === undefined)
      return { code: 'StorageClassMissing', claim: name, storageClass: className };
    return {
      terms: this.#allowedTerms(storageClass),
      driver: IN_TREE_DRIVERS.get(storageClass.provisioner) ?? storageClass.provisioner,
    };
  }

  /** The claim of an ephemeral volume is created after the pod, and then gets the default class. */
  #withDefaultClass(spec: VolumeClaim['spec'] | undefined): VolumeClaim['spec'] | undefined {
    if (spec === undefined || spec.storageClassName !== undefined || this.#defaultClass === undefined)
      return spec;
    return { ...spec, storageClassName: this.#defaultClass };
  }

  /** Things that are missing have codes of their own. */
  #problemOf(claim: VolumeClaim): ClaimProblem | undefined {
    const found = problemOfClaim(claim, {
      volume: (name) => this.#volumes.get(name),
      storageClass: (name) => this.#classes.get(name),
    });
    if (found === undefined || found.problem.endsWith('missing')) return undefined;
    // A manifest: the cluster binds it when it is created. One that a cluster has stored has a status.
    return claim.status === undefined && BOUND_BY_CLUSTER.has(found.problem) ? undefined : found;
  }

  #boundTerms(volume: PersistentVolume): Requirement[][] {
    const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
    const anywhere = volume.spec.local !== undefined || volume.spec.hostPath !== undefined;
    return terms.flatMap((term) => {
      const all = this.#conditions(term);
      const host = this.#algebra.labels.key(KubernetesLabel.hostname);
      const kept = anywhere ? all.filter((condition) => condition.key !== host) : all;
      // A term on the host name alone does not constrain another node; it is an alternative without requirements.
      return kept.length > 0 || (anywhere && all.length > 0) ? [kept] : [];
    });
  }

  #conditions(term: NodeSelectorTerm): Requirement[] {
    return (term.matchExpressions ?? []).flatMap((expression) => {
      const values = (expression.values ?? []).map((value) => normalizeLabelValue(expression.key, value));
      const parsed = this.#algebra.parse(normalizeLabel(expression.key), expression.operator, values);
      return 'problem' in parsed ? [] : [parsed];
    });
  }

  #allowedTerms(storageClass: StorageClass): Requirement[][] {
    return (storageClass.allowedTopologies ?? []).flatMap((term) => {
      const expressions = (term.matchLabelExpressions ?? []).map(({ key, values }) => ({
        key,
        operator: 'In',
        values,
      }));
      const conditions = this.#conditions({ matchExpressions: expressions });
      return conditions.length > 0 ? [conditions] : [];
    });
  }

  /** Every compatible pair of alternatives; when no pair is compatible all are kept, and the refusal names them. */
  #combine(
    sets: readonly RequirementSet[] | undefined,
    terms: readonly Requirement[][],
  ): { sets: RequirementSet[]; contradictory: boolean } {
    if (sets === undefined)
      return { sets: terms.map((term) => this.#algebra.set(term)), contradictory: false };
    const pairs = sets.flatMap((set) => terms.map((term) => ({ set, term })));
    const agreeing = pairs.filter(({ set, term }) => this.#agree(set, term));
    const kept = agreeing.length > 0 ? agreeing : pairs;
    const merged = kept.map(({ set, term }) => this.#algebra.set([...set.items, ...term]));
    return {
      sets: [...new Set(merged)].slice(0, MAX_ALTERNATIVES),
      contradictory: agreeing.length === 0,
    };
  }

  #agree(set: RequirementSet, term: readonly Requirement[]): boolean {
    return term.every((requirement) =>
      set.items.every((item) => item.key !== requirement.key || this.#algebra.overlaps(item, requirement)),
    );
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Without a pod, by the controller of volumes. */
const BOUND_BY_CLUSTER: ReadonlySet<VolumeProblem> = new Set(['binds at once', 'not yet bound']);

function useText(attachments: ReadonlyMap<number, number>, shared: readonly SharedVolume[]): string {
  return `${[...attachments].join()};${shared.map(({ slot, claim }) => `${slot}${claim}`).join()}`;
}

function limitIn(limits: Readonly<Record<string, number>>, driver: string): number {
  return Object.hasOwn(limits, driver) ? limits[driver]! : Number.POSITIVE_INFINITY;
}

/** Whether the pod mounts a claim, of its own or shared. */
export function mountsClaims(pod: Pod): boolean {
  return pod.spec?.volumes?.some((volume) => claimName(pod, volume) !== undefined) === true;
}

/** The claims that the pod mounts. */
export function claimsOf(pod: Pod): string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimName(pod, volume) ?? []);
}

/** Many volumes with many terms multiply; alternatives beyond this maximum are ignored. */
const MAX_ALTERNATIVES = 64;

function driverOf(volume: PersistentVolume): string | undefined {
  if (volume.spec.csi !== undefined) return volume.spec.csi.driver;
  return inTreeVolumeDriver(volume.spec);
}

function claimName(pod: Pod, volume: Volume): string | undefined {
  const namespace = namespaceOf(pod.metadata);
  const { persistentVolumeClaim: named, ephemeral } = volume;
  if (named !== undefined && named !== null) return `${namespace}/${named.claimName}`;
  return ephemeral ? `${namespace}/${pod.metadata.name}-${volume.name}` : undefined;
}
