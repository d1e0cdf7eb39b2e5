/** The objects that the page watches, as much of each as it shows. What cannot be read is named, with what is missing without it. */
import {
  CONFIG_MAPS,
  type ConfigMap,
  EVENTS,
  type Interner,
  PODS,
  type ResourceRef,
  resourceName,
  Store,
  type Stored,
  type Transport,
  type World,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import {
  type ModelSources,
  type PagePod,
  storedRows,
  type TalliedPod,
  trimToRow,
  type wire,
} from '../../dashboard/index.ts';
import { KEPT_COMMANDS_NAME, KEPT_JOURNEYS_NAME } from '../../diagnose/index.ts';
import { FREEZE_CONFIG_MAP } from '../../disruption/index.ts';
import { forbiddenText, type SelectedKind, TopObjects } from '../top/top-objects.ts';

export interface PageObjectsOptions {
  readonly transport: Transport;
  readonly world: World;
  readonly signal: AbortSignal;
}

/** A kind that may not be listed, with what is not shown without it. */
export function deniedKind(resource: ResourceRef): wire.Missing {
  const name = resourceName(resource);
  const text = `${forbiddenText(resource)}; ${WITHOUT[name] ?? 'prices may be wrong'}.`;
  return { resource: name, reason: 'denied', text };
}

/** Stores of the events that the page watches, each with its selection. */
export function eventStores(): readonly SelectedKind[] {
  return EVENT_KINDS.map((kind) => selected(eventStore(), `involvedObject.kind=${kind}`));
}

/** Stores of what a controller keeps of commands and of failed claims. */
export function keptStores(): readonly SelectedKind[] {
  return [KEPT_COMMANDS_NAME, KEPT_JOURNEYS_NAME].map((name) => named(configMaps(), name));
}

export class PageObjects {
  readonly objects: TopObjects;
  readonly #pods: Store<PagePod>;
  readonly #freezes = configMaps();
  readonly #commands = configMaps();
  readonly #failures = configMaps();

  constructor({ transport, world, signal }: PageObjectsOptions) {
    const resource = PODS as unknown as ResourceRef<PagePod>;
    this.#pods = new Store<PagePod>({ resource, trim: trimToRow });
    this.objects = new TopObjects({
      transport,
      world,
      signal,
      pods: this.#pods as unknown as Store<TalliedPod>,
      events: eventStores(),
      further: (
        [
          [this.#freezes, FREEZE_CONFIG_MAP],
          [this.#commands, KEPT_COMMANDS_NAME],
          [this.#failures, KEPT_JOURNEYS_NAME],
        ] as const
      ).map(([store, name]) => named(store, name)),
    });
  }

  /** After the first lists. */
  sources(): ModelSources {
    const { nodes, claims, claimsAreKnown, pools, pods, events } = this.objects;
    return {
      nodes,
      claims,
      claimsAreKnown,
      pools,
      pods: pods === undefined ? undefined : storedRows(this.#pods),
      events,
      freezes: this.#freezes,
      kept: [this.#commands, this.#failures],
    };
  }

  missing(): readonly wire.Missing[] {
    const absent = this.objects.missing.flatMap(({ resource, why }): readonly wire.Missing[] => {
      const name = resourceName(resource);
      const without = WITHOUT[name] ?? 'prices may be wrong';
      if (why === 'forbidden') return [deniedKind(resource)];
      // Node classes of other clouds are not missed.
      if (!NEEDED_KINDS.includes(resource)) return [];
      const text = `${resource.kind}s are not installed in this cluster; ${without}.`;
      return [{ resource: name, reason: 'not-installed', text }];
    });
    const stale = this.objects.stale().map(({ resource, text }): wire.Missing => {
      return { resource, reason: 'failed', text: `${resource} are not up to date: ${text}` };
    });
    const byName = new Map([...stale, ...absent].map((each) => [each.resource, each]));
    return [...byName.values()].sort((one, other) => (one.resource < other.resource ? -1 : 1));
  }

  mayRead(resource: ResourceRef): boolean {
    return !this.objects.missing.some((each) => each.resource === resource && each.why === 'forbidden');
  }
}

// ---------------------------------------------------------------------------------------------------

const NEEDED_KINDS: readonly ResourceRef[] = [NODE_CLAIMS, NODE_POOLS] as readonly ResourceRef[];

/** What events must be about to be watched: those of pods are many, and are read when somebody asks. */
const EVENT_KINDS: readonly string[] = [
  'Node',
  'NodeClaim',
  'NodePool',
  ...DIAGNOSES.flatMap(({ nodeClasses }) => nodeClasses.map(({ kind }) => kind)),
];

const WITHOUT: Readonly<Record<string, string | undefined>> = {
  pods: 'pods and what they request are not shown',
  'nodeclaims.karpenter.sh': 'all nodes are shown as nodes without a NodeClaim, and launches are not shown',
  'nodepools.karpenter.sh': 'NodePools are not shown, and prices are not known',
  'nodeoverlays.karpenter.sh': 'prices are without NodeOverlays',
  events: 'the timeline has no events, and reasons for staying that the controller reports are not shown',
  configmaps: 'until when disruption is frozen, and what disruption has done, is not shown',
};

function selected(store: Store, fieldSelector: string): SelectedKind {
  return { store, selection: { fieldSelector } };
}

function named(store: Store<ConfigMap>, name: string): SelectedKind {
  return selected(store as unknown as Store, `metadata.name=${name}`);
}

function configMaps(): Store<ConfigMap> {
  return new Store<ConfigMap>({ resource: CONFIG_MAPS as unknown as ResourceRef<ConfigMap> });
}

function eventStore(): Store {
  return new Store({ resource: EVENTS as ResourceRef, trim: trimEvent });
}

/** Reasons and messages repeat. */
function trimEvent(event: Stored, interner: Interner): Stored {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = event.metadata;
  const about = (event['involvedObject'] ?? {}) as Readonly<Record<string, string | undefined>>;
  const kept = [
    'type',
    'reason',
    'message',
    'count',
    'series',
    'lastTimestamp',
    'eventTime',
    'firstTimestamp',
  ];
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(namespace === undefined ? {} : { namespace: interner.string(namespace) }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    involvedObject: { kind: about['kind'], name: about['name'], namespace: about['namespace'] },
    ...Object.fromEntries(
      kept.flatMap((field) => (event[field] === undefined ? [] : [[field, interner.value(event[field])]])),
    ),
  };
}
