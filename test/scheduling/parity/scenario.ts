/**
 * Scenarios in YAML with the short forms of the builders and defaults for everything else. This file turns a
 * scenario into the input of the engine; `expectation.ts` reads the expected result.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type {
  InstanceType,
  Overlay,
  Pod,
  SchedulingInput,
  VolumeFacts,
} from '../../../packages/chandler/src/scheduling/index.ts';
import {
  aDaemonSet,
  aNode,
  aPod,
  aPool,
  aType,
  type NodeOptions,
  type PodOptions,
  type PoolOptions,
  podsLike,
  STANDARD_TYPES,
  type TypeOptions,
} from '../builders.ts';
import { requirement } from '../shorthand.ts';
import type { Expectation } from './expectation.ts';

export interface Scenario {
  readonly name: string;
  /** Of the facts about upstream that it restates. */
  readonly section: string | number;
  /** Where and why we deliberately do otherwise. */
  readonly differs?: string;
  readonly types?: readonly TypeOptions[];
  readonly pools?: readonly (Omit<PoolOptions, 'types'> & { types?: readonly string[] })[];
  readonly nodes?: readonly NodeOptions[];
  readonly bound?: readonly PodOptions[];
  readonly pods: readonly (PodOptions & { count?: number })[];
  readonly daemons?: readonly PodOptions[];
  readonly namespaces?: SchedulingInput['namespaces'];
  readonly volumes?: VolumeOptions;
  readonly overlays?: readonly OverlayOptions[];
  readonly defaultSpread?: SchedulingInput['defaultSpread'];
  readonly wellKnown?: readonly string[];
  readonly options?: SchedulingInput['options'];
  readonly expect: Expectation;
}

export interface ScenarioFile {
  readonly topic: string;
  readonly scenarios: readonly Scenario[];
}

export function readScenarios(): ScenarioFile[] {
  const folder = new URL('.', import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => ({
      topic: file.slice(0, -'.yaml'.length),
      scenarios: parse(readFileSync(new URL(file, folder), 'utf8')) as Scenario[],
    }));
}

export function inputOf(scenario: Scenario): SchedulingInput {
  const types = scenario.types?.map(aType) ?? STANDARD_TYPES;
  return {
    pools: (scenario.pools ?? [{}]).map((pool) => aPool({ ...pool, types: named(types, pool.types) })),
    nodes: (scenario.nodes ?? []).map(aNode),
    boundPods: (scenario.bound ?? []).map(aPod),
    pods: scenario.pods.flatMap(podsOf),
    daemonSets: (scenario.daemons ?? []).map(aDaemonSet),
    ...(scenario.namespaces ? { namespaces: scenario.namespaces } : {}),
    ...(scenario.volumes ? { volumes: volumesOf(scenario.volumes) } : {}),
    ...(scenario.overlays ? { overlays: scenario.overlays.map(overlayOf) } : {}),
    ...(scenario.defaultSpread ? { defaultSpread: scenario.defaultSpread } : {}),
    ...(scenario.wellKnown ? { wellKnownLabels: scenario.wellKnown } : {}),
    options: { improveEffort: 0, ...scenario.options },
  };
}

// ---------------------------------------------------------------------------------------------------

interface VolumeOptions {
  /** `disk`: waits for its first consumer, provisioned by `disk.example.com` by default. */
  readonly classes?: readonly { name: string; provisioner?: string; zones?: readonly string[] }[];
  readonly claims?: readonly { name: string; namespace?: string; class?: string; volume?: string }[];
  /** `reach`: terms of which one must hold. */
  readonly volumes?: readonly {
    name: string;
    reach?: readonly (readonly string[])[];
    driver?: string;
    local?: boolean;
  }[];
  /** How many volumes of a driver a node attaches. */
  readonly nodeLimits?: Readonly<Record<string, number>>;
  readonly newNodeLimits?: VolumeFacts['newNodeLimits'];
}

const DRIVER = 'disk.example.com';

interface OverlayOptions {
  readonly name: string;
  readonly weight?: number;
  readonly requirements: readonly string[];
  readonly price?: string;
  readonly priceAdjustment?: string;
  readonly capacity?: Readonly<Record<string, string>>;
}

function named(
  types: readonly InstanceType[],
  names: readonly string[] | undefined,
): readonly InstanceType[] {
  return names === undefined ? types : types.filter(({ name }) => names.includes(name));
}

function podsOf({ count, ...given }: PodOptions & { count?: number }): Pod[] {
  return count === undefined ? [aPod(given)] : podsLike(count, given);
}

function overlayOf({ name, requirements, ...spec }: OverlayOptions): Overlay {
  return {
    metadata: { name },
    spec: { requirements: requirements.map(requirement), ...spec } as Overlay['spec'],
  };
}

function volumesOf(given: VolumeOptions): VolumeFacts {
  const zone = 'topology.kubernetes.io/zone';
  return {
    classes: (given.classes ?? []).map(({ name, provisioner = DRIVER, zones }) => ({
      metadata: { name },
      provisioner,
      volumeBindingMode: 'WaitForFirstConsumer',
      ...(zones
        ? {
            allowedTopologies: zones.map((value) => ({
              matchLabelExpressions: [{ key: zone, values: [value] }],
            })),
          }
        : {}),
    })),
    claims: (given.claims ?? []).map((claim) => ({
      metadata: { name: claim.name, namespace: claim.namespace ?? 'default' },
      spec: {
        ...(claim.class === undefined ? {} : { storageClassName: claim.class }),
        ...(claim.volume === undefined ? {} : { volumeName: claim.volume }),
      },
    })),
    volumes: (given.volumes ?? []).map(({ name, reach, driver = DRIVER, local }) => ({
      metadata: { name },
      spec: {
        ...(local ? { local: { path: '/data' } } : { csi: { driver, volumeHandle: `handle-${name}` } }),
        ...(reach
          ? {
              nodeAffinity: {
                required: {
                  nodeSelectorTerms: reach.map((term) => ({ matchExpressions: term.map(requirement) })),
                },
              },
            }
          : {}),
      },
    })),
    csiNodes: Object.entries(given.nodeLimits ?? {}).map(([name, count]) => ({
      metadata: { name },
      spec: { drivers: [{ name: DRIVER, allocatable: { count } }] },
    })),
    ...(given.newNodeLimits ? { newNodeLimits: given.newNodeLimits } : {}),
  };
}
