/** Short forms that checks share: judgements, evidence, and the objects that most of them are about. */
import { fieldText } from '@chandler/kube';
import type { HelmRelease, Inputs, Manifest } from '../inputs/inputs.ts';
import type { Evidence, InputKind, Judgement, Source } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import { find, type Path, placeAt, type Tree, textAt } from '../model/tree.ts';

type Extra = Partial<Pick<Judgement, 'object' | 'fix'>>;

export function pass(message: string, evidence: readonly Evidence[], extra: Extra = {}): Judgement {
  return { status: 'pass', message, evidence, ...extra };
}

export function warn(message: string, evidence: readonly Evidence[], extra: Extra = {}): Judgement {
  return { status: 'warn', message, evidence, ...extra };
}

export function fail(message: string, evidence: readonly Evidence[], extra: Extra = {}): Judgement {
  return { status: 'fail', message, evidence, ...extra };
}

/** The value is not known from these inputs. @param needs inputs that would tell it. */
export function skip(
  message: string,
  needs: readonly InputKind[],
  evidence: readonly Evidence[] = [],
  extra: Extra = {},
): Judgement {
  return { status: 'skip', message, evidence, needs, ...extra };
}

export interface Read {
  readonly tree: Tree;
  readonly source: Source;
}

/** The value at a path as evidence: what it is, or that it is absent or unknown, with its line. */
export function seen({ tree, source }: Read, ...path: Path): Evidence {
  const found = find(tree, ...path);
  const at = placeAt(tree, ...path);
  const what = fieldText(path);
  if (found === undefined) return { source, what, note: 'absent', at };
  if (found.kind === 'scalar') return { source, what, value: String(found.value), at };
  if (found.kind === 'unknown')
    return { source, what, note: `not known: it ${found.why}`, unknown: true, at };
  return { source, what, at };
}

export function ofValues({ values, source }: HelmRelease): Read {
  return { tree: values, source };
}

export function nodeClasses({ manifests }: Inputs): readonly Manifest[] {
  return manifests.filter(
    ({ kind, apiVersion }) => kind === 'EC2NodeClass' && apiVersion.startsWith('karpenter.k8s.aws/'),
  );
}

export function nodePools({ manifests }: Inputs): readonly Manifest[] {
  return manifests.filter(
    ({ kind, apiVersion }) => kind === 'NodePool' && apiVersion.startsWith('karpenter.sh/'),
  );
}

/** The inputs with objects as files have them, for checks of how files are written: the API server accepts no other way. */
export function asDeclared(inputs: Inputs): Inputs {
  return inputs.cluster === undefined ? inputs : { ...inputs, manifests: inputs.cluster.declared };
}

/** Why an object of a kind that is not here may exist all the same: a manifest that was not read. Undefined: all were. */
export function unreadManifest(
  { manifests, unreadManifests, problems }: Inputs,
  kind: string,
): string | undefined {
  const [unread] = unreadManifests;
  if (unread !== undefined) return `${unread} is not known`;
  const unnamed = manifests.find((each) => each.kind === kind && each.isUnnamed === true);
  if (unnamed !== undefined) return `the name of that in ${placeText(unnamed.at)} is not known`;
  const broken = problems.find(({ at }) => 'file' in at && /\.(ya?ml|json)$/i.test(at.file));
  return broken === undefined ? undefined : `${placeText(broken.at)} was not read`;
}

/** Whether the state or the account is that of Karpenter, so that what is not there does not exist: another stack has other things. */
export function hasKarpenter({ resources }: Inputs): boolean {
  return resources.some(
    ({ source, mode, address, values }) =>
      source === 'live' ||
      (source === 'state' &&
        mode === 'managed' &&
        /karpenter/i.test(`${address} ${textAt(values, 'name') ?? ''}`)),
  );
}

/** Where an object is applied from: the folder of its overlay, or of its file. */
export function folderOfManifest({ at, overlay }: Manifest): string {
  if (overlay !== undefined) return overlay;
  return 'file' in at ? at.file.slice(0, at.file.lastIndexOf('/') + 1) : '';
}

/** `EC2NodeClass/default`. */
export function objectOf({ kind, name }: Pick<Manifest, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}

/** One judgement for each object; none where the function has nothing to say about it. */
export function each<T>(
  items: readonly T[],
  judgeOne: (item: T) => Judgement | readonly Judgement[] | undefined,
): readonly Judgement[] {
  return items.flatMap((item) => judgeOne(item) ?? []);
}

/** The value of a requirement of a NodePool: those of `In`; undefined where the pool does not limit the label so. */
export function requiredValues(pool: Manifest, key: string): readonly string[] | undefined {
  const found = requirementOf(pool, key);
  if (found === undefined || textAt(found, 'operator') !== 'In') return undefined;
  const values = find(found, 'values');
  return values?.kind === 'list' ? values.items.flatMap((item) => textAt(item) ?? []) : undefined;
}

export function requirementOf({ tree }: Manifest, key: string): Tree | undefined {
  const list = find(tree, 'spec', 'template', 'spec', 'requirements');
  return list?.kind === 'list' ? list.items.find((item) => textAt(item, 'key') === key) : undefined;
}
