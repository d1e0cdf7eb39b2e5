/**
 * What a check of AKS looks at: one picture of Azure with the cluster in it, beside the Helm values and manifests. A check is judged
 * for each picture; what a stronger source decides is not skipped because a weaker one does not know it.
 */
import type { HelmRelease, Inputs, Manifest } from '../inputs/inputs.ts';
import type { Judgement } from '../model/finding.ts';
import { find, textAt, textOf } from '../model/tree.ts';
import { azureReleases, CLIENT_ID_ANNOTATION, optionOf } from './helm-options.ts';
import type { AzureObject } from './objects.ts';
import { type Picture, picturesOf } from './picture.ts';
import { type Answer, hasSymbol, sameId, sameText, symbolOf } from './symbols.ts';

export interface Scene {
  readonly inputs: Inputs;
  readonly picture: Picture;
  /** All clusters of the picture. */
  readonly clusters: readonly AzureObject[];
  /** The one that is checked: the only one, or that of the Helm values. */
  readonly cluster?: AzureObject;
  readonly releases: readonly HelmRelease[];
  readonly nodeClasses: readonly Manifest[];
  /** Identities of the controller. */
  readonly identities: readonly AzureObject[];
}

export function judgeScenes(
  { inputs }: { readonly inputs: Inputs },
  judgeOne: (scene: Scene) => readonly Judgement[],
): readonly Judgement[] {
  const all = scenesOf(inputs).flatMap(judgeOne);
  const decided = new Set(all.filter(({ status }) => status !== 'skip').map(({ object }) => object));
  const skipped = new Set<string | undefined>();
  return all.filter(({ status, object }) => {
    if (status !== 'skip') return true;
    if (decided.has(object) || skipped.has(object)) return false;
    skipped.add(object);
    return true;
  });
}

export function scenesOf(inputs: Inputs): readonly Scene[] {
  const known = CACHE.get(inputs);
  if (known !== undefined) return known;
  const pictures = picturesOf(inputs);
  const releases = azureReleases(inputs);
  const nodeClasses = inputs.manifests.filter(({ kind }) => kind === 'AKSNodeClass');
  const scenes = (pictures.length === 0 ? [NOTHING] : pictures).map((picture): Scene => {
    const clusters = picture
      .of('cluster')
      .filter((cluster) => !cluster.isData || picture.of('cluster').length === 1);
    const cluster = chosen(clusters, releases, picture);
    const scene = { inputs, picture, clusters, releases, nodeClasses, identities: [] };
    const full = cluster === undefined ? scene : { ...scene, cluster };
    return { ...full, identities: controllerIdentities(full) };
  });
  CACHE.set(inputs, scenes);
  return scenes;
}

/** IDs of AKS clusters that states and files tell. */
export function aksClusterIds(inputs: Inputs): readonly string[] {
  const ids = scenesOf(inputs).flatMap(({ clusters }) =>
    clusters.flatMap((cluster) => cluster.text('id') ?? []),
  );
  return [...new Set(ids.filter((id) => !hasSymbol(id)))];
}

/** Whether a value is this attribute of the object, or the same text. */
export function isFieldOf(text: string, object: AzureObject, name: string, picture: Picture): Answer {
  const own = object.text(name);
  if (own !== undefined && text === own) return 'yes';
  const named = /^\{[^{}]+\}$/.test(text) ? picture.named(text) : undefined;
  // A reference to something else, or to another attribute.
  if (named !== undefined) return 'no';
  return own === undefined ? 'unknown' : sameText(text, own);
}

export const OF_CONTROLLER = /karpenter|chandler/i;

/** The namespace and the service account that the controller runs with, as far as they are known. */
export function serviceAccountOf({ namespace, values, releaseName = 'karpenter', incomplete }: HelmRelease): {
  readonly namespace?: string;
  readonly name?: string;
} {
  const set = find(values, 'serviceAccount', 'name');
  const full = textAt(values, 'fullnameOverride');
  const usual = full ?? (releaseName.includes('karpenter') ? releaseName : `${releaseName}-karpenter`);
  const name = set === undefined ? (incomplete.length > 0 ? undefined : usual) : symbolOf(set);
  const space = namespace === undefined ? undefined : symbolOf(namespace);
  return {
    ...(space === undefined ? {} : { namespace: space }),
    ...(name === undefined ? {} : { name }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

const CACHE = new WeakMap<Inputs, readonly Scene[]>();

const NOTHING: Picture = {
  source: 'terraform',
  of: () => [],
  at: () => undefined,
  idOf: () => '',
  expand: (text) => text,
  nodeResourceGroup: () => undefined,
  kubeletIdentity: () => '',
  named: () => undefined,
};

function chosen(
  clusters: readonly AzureObject[],
  releases: readonly HelmRelease[],
  picture: Picture,
): AzureObject | undefined {
  if (clusters.length < 2) return clusters[0];
  const names = releases.flatMap((release) => optionOf(release, 'CLUSTER_NAME').text ?? []);
  const own = clusters.filter((cluster) => {
    const name = cluster.text('name');
    return (
      name !== undefined &&
      names.some((each) => sameText(picture.expand(each), picture.expand(name)) === 'yes')
    );
  });
  return own.length === 1 ? own[0] : undefined;
}

/** By name, by who may use them, or by the annotation of the service account. */
function controllerIdentities({ picture, releases }: Scene): readonly AzureObject[] {
  const all = picture.of('identity');
  const byName = all.filter(({ address, text }) => OF_CONTROLLER.test(`${address} ${text('name') ?? ''}`));
  if (byName.length > 0) return byName;
  const annotated = releases.flatMap(
    ({ values }) => textAt(values, 'serviceAccount', 'annotations', CLIENT_ID_ANNOTATION) ?? [],
  );
  const byClient = all.filter((identity) => annotated.includes(textOf(identity.field('clientId')) ?? ''));
  if (byClient.length > 0) return byClient;
  const parents = picture
    .of('federatedCredential')
    .filter(({ address, text }) => OF_CONTROLLER.test(`${address} ${text('subject') ?? ''}`))
    .map(({ text }) => picture.expand(text('identity') ?? ''));
  return all.filter((identity) =>
    parents.some((parent) => !hasSymbol(parent) && sameId(parent, picture.idOf(identity)) === 'yes'),
  );
}
