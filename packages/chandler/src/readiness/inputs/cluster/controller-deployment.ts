/**
 * The controller of a live cluster as an installation of the chart: what its Deployment and its service account show of the
 * values. What they do not show is not known, and is never taken for absent.
 */
import { entriesAt, find, itemsAt, type Tree, textAt, type UnknownTree } from '../../model/tree.ts';
import type { HelmRelease, Manifest } from '../inputs.ts';

const APP_LABEL = 'app.kubernetes.io/name';
const APP_NAMES: readonly string[] = ['karpenter', 'chandler'];

/** Deployments of a controller: by the label of the chart. */
export function isController({ kind, tree }: Manifest): boolean {
  return kind === 'Deployment' && APP_NAMES.includes(textAt(tree, 'metadata', 'labels', APP_LABEL) ?? '');
}

/** The labels by which the Deployment selects its pods. */
export function selectorOf({ tree }: Manifest): Readonly<Record<string, string>> {
  const labels = entriesAt(tree, 'spec', 'selector', 'matchLabels');
  return Object.fromEntries(
    labels.flatMap(([key, value]) => (textAt(value) === undefined ? [] : [[key, textAt(value)!]])),
  );
}

export function serviceAccountOf({ tree }: Manifest): string {
  return textAt(tree, 'spec', 'template', 'spec', 'serviceAccountName') ?? 'default';
}

const GATES = 'featureGates';

/** Variables of its environment by the value of the chart that sets them. */
const SETTINGS: Readonly<Record<string, string>> = {
  CLUSTER_NAME: 'clusterName',
  CLUSTER_ENDPOINT: 'clusterEndpoint',
  INTERRUPTION_QUEUE: 'interruptionQueue',
  ISOLATED_VPC: 'isolatedVPC',
  RESERVED_ENIS: 'reservedENIs',
  VM_MEMORY_OVERHEAD_PERCENT: 'vmMemoryOverheadPercent',
  BATCH_MAX_DURATION: 'batchMaxDuration',
  BATCH_IDLE_DURATION: 'batchIdleDuration',
  ENABLE_ZONAL_SHIFT: 'enableZonalShift',
  MIN_VALUES_POLICY: 'minValuesPolicy',
  FEATURE_GATES: GATES,
};

/** @param account its ServiceAccount; undefined where it was not read. */
export function liveRelease(deployment: Manifest, account: Manifest | undefined): HelmRelease {
  const { tree, at, name, namespace = 'default' } = deployment;
  const pod = ['spec', 'template', 'spec'] as const;
  const [container] = itemsAt(tree, ...pod, 'containers');
  const unknown: UnknownTree = { kind: 'unknown', why: 'is not visible in the cluster', at };
  const map = (entries: readonly (readonly [string, Tree | undefined])[], rest?: UnknownTree): Tree => ({
    kind: 'map',
    at,
    entries: new Map(entries.filter((entry): entry is readonly [string, Tree] => entry[1] !== undefined)),
    ...(rest === undefined ? {} : { rest }),
  });
  const scalar = (value: string): Tree => ({ kind: 'scalar', value, at });
  const annotations = find(account?.tree, 'metadata', 'annotations') ?? map([]);
  const values = map(
    [
      // Chandler's chart writes them to a ConfigMap, which is not read.
      ['settings', map(settingsOf(container), isOwn(deployment) ? unknown : undefined)],
      [
        'serviceAccount',
        account === undefined
          ? map([['name', scalar(serviceAccountOf(deployment))]], unknown)
          : map([
              ['name', scalar(account.name)],
              ['annotations', { ...annotations, at: account.at }],
            ]),
      ],
      ['replicas', find(tree, 'spec', 'replicas')],
      ['dnsPolicy', find(tree, ...pod, 'dnsPolicy')],
      ['affinity', find(tree, ...pod, 'affinity') ?? map([])],
      ['nodeSelector', find(tree, ...pod, 'nodeSelector') ?? map([])],
      ['controller', map([['resources', find(container, 'resources') ?? map([])]], unknown)],
      ['podDisruptionBudget', unknown],
    ],
    unknown,
  );
  const version = versionOf(tree, container);
  return {
    origin: `Deployment/${name}`,
    source: 'live',
    at,
    namespace: scalar(namespace),
    values,
    incomplete: [],
    ...(version === undefined ? {} : { version: scalar(version) }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function isOwn({ tree }: Manifest): boolean {
  return textAt(tree, 'metadata', 'labels', APP_LABEL) === 'chandler';
}

/** A variable that takes its value from elsewhere is not known. */
function settingsOf(container: Tree | undefined): readonly (readonly [string, Tree | undefined])[] {
  return itemsAt(container, 'env').flatMap((variable) => {
    const setting = SETTINGS[textAt(variable, 'name') ?? ''];
    if (setting === undefined) return [];
    const value = find(variable, 'value');
    const hidden: Tree = { kind: 'unknown', why: 'is read from another object', at: variable.at };
    const text = textAt(value);
    if (text === '') return [];
    if (value !== undefined && text !== undefined && setting === GATES)
      return [[setting, gatesOf(text, value.at)] as const];
    return [[setting, value ?? (find(variable, 'valueFrom') === undefined ? undefined : hidden)] as const];
  });
}

/** `SpotToSpotConsolidation=true,NodeRepair=false` as the chart has it: with small first letters. */
function gatesOf(text: string, at: Tree['at']): Tree {
  const entries = text.split(',').flatMap((gate) => {
    const [, name, value] = /^\s*(\w+)\s*=\s*(\w+)\s*$/.exec(gate) ?? [];
    if (name === undefined || value === undefined) return [];
    const scalar: Tree = { kind: 'scalar', value: value.toLowerCase(), at };
    return [[`${name.charAt(0).toLowerCase()}${name.slice(1)}`, scalar] as const];
  });
  return { kind: 'map', at, entries: new Map(entries) };
}

/** Of the label of the chart, else of the tag of its image. */
function versionOf(tree: Tree, container: Tree | undefined): string | undefined {
  const label = textAt(tree, 'metadata', 'labels', 'app.kubernetes.io/version');
  const tag = /:v?(\d+\.\d+\.\d+[^@]*)/.exec(textAt(container, 'image') ?? '')?.[1];
  return (label ?? tag)?.replace(/^v/, '');
}
