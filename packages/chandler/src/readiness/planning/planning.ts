/**
 * What the planner says about the NodePools of the inputs, with the built-in catalogue of instance types: which types a pool can
 * launch, and which pods no pool can hold. Nothing of it is decided here; the planner is the one of the controller.
 */
import { AWS_WELL_KNOWN_LABELS } from '../../api/index.ts';
import { awsCatalogue } from '../../cloud/aws/catalogue.ts';
import { offlineCatalogueProvider } from '../../cloud/aws/offline.ts';
import type { CatalogueProvider } from '../../cloud/index.ts';
import {
  type DaemonSet,
  type Plan,
  Planner,
  type Pod,
  type PodRefusal,
  type PoolInput,
  type Refusal,
  type SchedulingOptions,
} from '../../scheduling/index.ts';
import { type Facts, knownValues } from '../facts/facts.ts';
import type { Inputs, Manifest } from '../inputs/inputs.ts';
import { find, itemsAt, textAt, textOf } from '../model/tree.ts';
import { plainClass, plainPodSpec, plainPool, smallPod } from './plain-objects.ts';

export interface PlannedPool {
  readonly manifest: Manifest;
  readonly input: PoolInput;
}

export interface Planning {
  readonly region: string;
  /** The date of the catalogue. */
  readonly asOf: string;
  /** Those whose values are all known. */
  readonly pools: readonly PlannedPool[];
  /** NodePools of which a value is not known. */
  readonly unknown: readonly Manifest[];
  /** How many instance types a pool can launch, or why none. */
  typesOf(pool: PlannedPool, options?: Partial<SchedulingOptions>): number | readonly Refusal[];
  /** The names of these types, cheapest first; none where no type can be launched. */
  typeNamesOf(pool: PlannedPool): readonly string[];
  /** Whether the catalogue has an instance type, or a family. */
  knows(key: string, value: string): boolean;
  /** Pods that are placed together on new nodes of these pools. @returns the pods that no pool can hold. */
  refusals(pods: readonly Pod[], pools?: readonly PlannedPool[]): readonly PodRefusal[];
}

export function planningOf(inputs: Inputs, facts: Facts): Planning {
  const known = MADE.get(inputs);
  if (known !== undefined) return known;
  const made = newPlanning(inputs, facts);
  MADE.set(inputs, made);
  return made;
}

// ---------------------------------------------------------------------------------------------------------------

/** Several checks ask about the same inputs. */
const MADE = new WeakMap<Inputs, Planning>();
/** What does not change with the inputs: the types of a region, and what the planner has compiled of them. */
interface Region {
  readonly name: string;
  readonly provider: CatalogueProvider;
  readonly planner: Planner;
}

const ALL_TYPES = { minValuesPolicy: 'BestEffort', maxInstanceTypes: 10_000 } as const;

/** The last one is kept, because its lists are large. */
let last: Region | undefined;

function regionFor(name: string): Region {
  if (last?.name !== name)
    last = {
      name,
      provider: offlineCatalogueProvider({ region: name, howMany: 'all' }),
      planner: new Planner(),
    };
  return last;
}

function newPlanning(inputs: Inputs, facts: Facts): Planning {
  const region = regionOf(inputs, facts) ?? awsCatalogue.homeRegion;
  const all = poolsOf(inputs);
  const pools = all.flatMap((manifest): readonly PlannedPool[] => {
    const nodePool = plainPool(manifest);
    return nodePool === undefined
      ? []
      : [{ manifest, input: { nodePool, instanceTypes: typesFor(manifest, inputs, region) } }];
  });
  const daemonSets = daemonSetsOf(inputs);
  const { planner, provider } = regionFor(region);
  const plan = (
    own: readonly PlannedPool[],
    pods: readonly Pod[],
    options: Partial<SchedulingOptions> = {},
  ): Plan =>
    planner.plan({
      pools: own.map(({ input }) => input),
      pods,
      daemonSets,
      wellKnownLabels: [...AWS_WELL_KNOWN_LABELS],
      options: { improveEffort: 0, ...options },
    });
  return {
    region,
    asOf: awsCatalogue.pricesAsOf,
    pools,
    unknown: all.filter((manifest) => !pools.some((pool) => pool.manifest === manifest)),
    typesOf: (pool, options) => {
      const { claims, refusals } = plan([withoutLimits(pool)], [smallPod('probe')], options);
      const [claim] = claims;
      if (claim !== undefined) return claim.instanceTypeCount;
      return refusals.flatMap((each) =>
        each.pools.flatMap(({ refusal, types }) => [refusal, ...types.map((counted) => counted.refusal)]),
      );
    },
    typeNamesOf: (pool) => {
      const { claims } = plan([withoutLimits(pool)], [smallPod('probe')], ALL_TYPES);
      return claims[0]?.instanceTypes ?? [];
    },
    knows: (key, value) =>
      provider
        .instanceTypes(undefined)
        .some(({ requirements }) =>
          requirements.some((each) => each.key === key && each.values?.includes(value) === true),
        ),
    refusals: (pods, own = pools) => plan(own, pods).refusals,
  };
}

/** NodePools of AWS; one that is in several environments is judged once. */
function poolsOf({ manifests }: Inputs): readonly Manifest[] {
  const pools = manifests.filter(
    ({ kind, apiVersion, tree, isUnnamed }) =>
      kind === 'NodePool' &&
      apiVersion.startsWith('karpenter.sh/') &&
      isUnnamed !== true &&
      find(tree, 'spec', 'replicas') === undefined &&
      (textAt(tree, ...REFERENCE, 'kind') ?? 'EC2NodeClass') === 'EC2NodeClass',
  );
  return [...new Map(pools.map((pool) => [pool.name, pool])).values()];
}

const REFERENCE = ['spec', 'template', 'spec', 'nodeClassRef'] as const;

function typesFor({ tree }: Manifest, { manifests }: Inputs, region: string): PoolInput['instanceTypes'] {
  const name = textAt(tree, ...REFERENCE, 'name');
  const own = manifests.find((each) => each.kind === 'EC2NodeClass' && each.name === name);
  return regionFor(region).provider.instanceTypes(own === undefined ? undefined : plainClass(own));
}

function withoutLimits({ manifest, input }: PlannedPool): PlannedPool {
  const { limits: _, ...spec } = input.nodePool.spec;
  return { manifest, input: { ...input, nodePool: { ...input.nodePool, spec } } };
}

/** That of the facts, if they agree; else that of the zones that the pools name. */
function regionOf(inputs: Inputs, facts: Facts): string | undefined {
  const known = knownValues(facts.all('region'));
  if (known.length === 1) return known[0];
  const zones = poolsOf(inputs).flatMap(({ tree }) =>
    itemsAt(tree, 'spec', 'template', 'spec', 'requirements')
      .filter((each) => textAt(each, 'key') === 'topology.kubernetes.io/zone')
      .flatMap((each) => itemsAt(each, 'values').flatMap((item) => textOf(item) ?? [])),
  );
  return zones.flatMap((zone) => awsCatalogue.regionOfZone(zone) ?? [])[0];
}

function daemonSetsOf({ manifests }: Inputs): readonly DaemonSet[] {
  return manifests
    .filter(({ kind }) => kind === 'DaemonSet')
    .flatMap(({ name, namespace = 'default', tree }) => {
      const spec = plainPodSpec(tree, ['spec', 'template']);
      return spec === undefined ? [] : [{ metadata: { name, namespace }, spec: { template: { spec } } }];
    });
}
