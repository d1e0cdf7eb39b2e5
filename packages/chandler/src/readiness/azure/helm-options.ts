/**
 * Options of the controller in Helm values: variables of `controller.env`, the two that Karpenter's chart has settings for, and
 * in the chart of Chandler all of them, below `settings` and `secrets`.
 */
import { AZURE_OPTIONS } from '../../cloud/azure/options/index.ts';
import type { HelmRelease, Inputs } from '../inputs/inputs.ts';
import type { Evidence } from '../model/finding.ts';
import { find, itemsAt, type Tree, textAt } from '../model/tree.ts';
import { evidenceAt } from './objects.ts';
import { symbolOf } from './symbols.ts';

export interface HelmOption {
  readonly env: string;
  /** `set`: `text` may be undefined all the same, where it is not known. `absent`: no value sets it, and all values are here. */
  readonly state: 'set' | 'absent' | 'unknown';
  /** With symbols. */
  readonly text?: string;
  readonly evidence: Evidence;
  readonly release: HelmRelease;
}

export const CLIENT_ID_ANNOTATION = 'azure.workload.identity/client-id';
export const USE_LABEL = 'azure.workload.identity/use';

/** Releases that are not for another cloud. */
export function azureReleases({ releases }: Inputs): readonly HelmRelease[] {
  return releases.filter(
    ({ values }) =>
      find(values, 'settings', 'interruptionQueue') === undefined &&
      find(values, 'serviceAccount', 'annotations', 'eks.amazonaws.com/role-arn') === undefined,
  );
}

/** Values of the chart of Chandler: Karpenter's has no key `cloud`. */
export function isOwnChart(values: Tree | undefined): boolean {
  return find(values, 'cloud') !== undefined;
}

/** @param names the variable, and others that mean the same. */
export function optionOf(release: HelmRelease, ...names: readonly [string, ...string[]]): HelmOption {
  const [env] = names;
  const { values, source, at, incomplete } = release;
  const list = find(values, 'controller', 'env');
  // Of two with the same name, the last wins.
  const item = itemsAt(list).findLast((each) => names.includes(textAt(each, 'name') ?? ''));
  const setting = item === undefined ? settingOf(values, names) : undefined;
  const tree = item === undefined ? setting?.tree : (find(item, 'value') ?? withoutValue(item));
  const what = setting?.path ?? `controller.env ${env}`;
  if (tree === undefined) {
    const isOpen =
      incomplete.length > 0 ||
      list?.kind === 'unknown' ||
      find(values, 'controller', 'envFrom') !== undefined;
    return {
      env,
      state: isOpen ? 'unknown' : 'absent',
      evidence: {
        source,
        what,
        note: isOpen ? `not known: ${incomplete[0] ?? 'values may be set elsewhere'}` : 'absent',
        ...(isOpen ? { unknown: true as const } : {}),
        at: list?.at ?? at,
      },
      release,
    };
  }
  const text = symbolOf(tree);
  const evidence = evidenceAt(tree, source, what, tree.at);
  const { value: _, ...hidden } = evidence;
  return {
    env,
    state: 'set',
    ...(text === undefined ? {} : { text }),
    evidence: SECRETS.has(env) ? { ...hidden, note: 'a secret' } : evidence,
    release,
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Also in Karpenter's chart. */
const SHARED_SETTINGS: ReadonlySet<string> = new Set(['clusterName', 'clusterEndpoint']);

/** The value of the chart for one of these variables. */
function settingOf(
  values: Tree | undefined,
  names: readonly string[],
): { readonly path: string; readonly tree: Tree } | undefined {
  for (const [option, { env }] of Object.entries<{ readonly env?: string | readonly string[] }>(
    AZURE_OPTIONS,
  )) {
    if (![env ?? []].flat().some((name) => names.includes(name))) continue;
    if (!SHARED_SETTINGS.has(option) && !isOwnChart(values)) continue;
    const setting = find(values, 'settings', option);
    if (setting !== undefined) return { path: `settings.${option}`, tree: setting };
    const secret = find(values, 'secrets', option);
    if (secret === undefined) continue;
    const tree: Tree = { kind: 'unknown', why: 'comes from a Secret', at: secret.at };
    return { path: `secrets.${option}`, tree };
  }
  return undefined;
}

const SECRETS: ReadonlySet<string> = new Set(['KUBELET_BOOTSTRAP_TOKEN']);

function withoutValue(item: Tree): Tree {
  if (find(item, 'valueFrom') === undefined) return { kind: 'scalar', value: '', at: item.at };
  return { kind: 'unknown', why: 'comes from a Secret or a ConfigMap (valueFrom)', at: item.at };
}
