/** Checks of how manifests get into the cluster: Argo CD Applications, and versions of APIs. */

import { evidenceOf, type Facts, type FactValue, knownValues } from '../../facts/facts.ts';
import { placeholderIn } from '../../facts/placeholder.ts';
import type { Application, HelmRelease, Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { compareTexts } from '../../model/place.ts';
import { find, itemsAt, textOf, toValue } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, nodePools, objectOf, pass, seen, skip, warn } from '../judgements.ts';

export const DELIVERY_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-20',
    title: 'The namespace and service account of the controller are the same everywhere',
    inputs: ['values', ['terraform', 'plan', 'state']],
    criterion:
      'Passes if the release has the namespace and the service account that Terraform gives the role to, fails if one is another.',
    severity: 'critical',
    phase: 3,
    fix: 'Install the release into the namespace of the trust policy or of the Pod Identity association.',
    docs: DOCS.serviceAccountRoles,
    judge: ({ facts, inputs }) => [
      ...sameAs(facts, 'namespace', facts.from('namespace', 'values')),
      ...sameAs(facts, 'serviceAccount', inputs.releases.flatMap(accountOf)),
    ],
  },
  {
    id: 'S-21',
    title: 'The Argo CD Application is complete',
    inputs: ['applications'],
    criterion:
      'For Applications of Karpenter: fails if a source has no repository, no chart or path, a placeholder, or the destination no cluster. Warns if nothing syncs it, or the namespace may not exist.',
    severity: 'medium',
    phase: 3,
    fix: 'Complete spec.source and spec.destination of the Application.',
    docs: DOCS.applications,
    judge: ({ inputs }) => each(karpenterApplications(inputs), (own) => applicationDoubts(own)),
  },
  {
    id: 'S-22',
    title: 'The Helm values are committed and pushed',
    inputs: ['values', 'git'],
    criterion:
      'Warns if a file with values of Karpenter has changes that are not committed, or commits are not pushed: GitOps tools do not see them.',
    severity: 'low',
    phase: 3,
    fix: 'Commit and push the files.',
    docs: DOCS.applications,
    judge: committed,
  },
  {
    id: 'S-67',
    title: 'NodePools and EC2NodeClasses are delivered',
    inputs: ['applications', ['nodePools', 'nodeClasses']],
    criterion:
      'Passes if an Application has the folder of each manifest as its path. Warns if none has, fails if the copy that is delivered differs from another one.',
    severity: 'high',
    phase: 4,
    fix: 'Put the manifests into a folder of the GitOps repository, with an Application that syncs it after the controller.',
    docs: DOCS.applications,
    judge: delivered,
  },
  {
    id: 'K-50',
    title: 'No manifest has an API version that was removed',
    inputs: [['nodePools', 'nodeClasses', 'workloads', 'applications', 'values']],
    criterion:
      'Fails if a manifest is a Provisioner, an AWSNodeTemplate or a Machine, or of karpenter.sh/v1beta1 or karpenter.k8s.aws/v1beta1; warns about v1beta1 if the chart is older than 1.1.',
    severity: 'critical',
    phase: 4,
    fix: 'Convert it to karpenter.sh/v1 and karpenter.k8s.aws/v1; Karpenter 1.1 and later do not know the old versions.',
    docs: DOCS.upgrade,
    judge: ({ inputs }) => {
      const own = inputs.manifests.filter(({ apiVersion }) => /^karpenter\.(sh|k8s\.aws)\//.test(apiVersion));
      const old = own.filter(({ apiVersion, kind }) => !apiVersion.endsWith('/v1') && !ALPHA_KINDS.has(kind));
      if (own.length === 0) return [];
      return old.length === 0
        ? [
            pass(
              'All are of v1.',
              own.map((each) => seen(each, 'apiVersion')),
            ),
          ]
        : each(old, (manifest) => {
            const evidence = [seen(manifest, 'apiVersion')];
            const object = objectOf(manifest);
            // 1.0 converts it.
            return isBefore11(inputs) && manifest.apiVersion.endsWith('/v1beta1')
              ? warn(`${manifest.apiVersion} is removed by Karpenter 1.1.`, evidence, { object })
              : fail(`${manifest.apiVersion} was removed.`, evidence, { object });
          });
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Kinds that have no v1 yet. */
const ALPHA_KINDS: ReadonlySet<string> = new Set(['NodeOverlay', 'CapacityBuffer']);

/** The service account of a release: as it is set, else as the chart names it. */
function accountOf({ values, source, releaseName, incomplete, at }: HelmRelease): readonly FactValue[] {
  const written = find(values, 'serviceAccount', 'name');
  const what = 'serviceAccount.name';
  if (written !== undefined)
    return textOf(written) === undefined ? [] : [{ source, what, value: textOf(written)!, at: written.at }];
  if (releaseName === undefined || incomplete.length > 0) return [];
  const value = releaseName.includes('karpenter') ? releaseName : `${releaseName}-karpenter`;
  return [{ source, what: `${what} (default)`, value, at }];
}

function sameAs(
  facts: Facts,
  name: 'namespace' | 'serviceAccount',
  used: readonly FactValue[],
): readonly Judgement[] {
  const trusted = facts.from(name, 'state', 'plan', 'terraform');
  const known = knownValues(trusted);
  const noun = name === 'namespace' ? 'namespace' : 'service account';
  if (known.length === 0) return [];
  return each(used, (fact) => {
    if (fact.value === undefined) return undefined;
    const evidence = [fact, ...trusted].map(evidenceOf);
    if (known.includes(fact.value)) return pass(`The ${noun} is ${fact.value}.`, evidence, { object: noun });
    return trusted.some(({ value }) => value === undefined)
      ? skip(`The role may be for another ${noun}, too.`, ['plan', 'state'], evidence, { object: noun })
      : fail(
          `The role is for the ${noun} ${known.join(', ')}, and the release has ${fact.value}.`,
          evidence,
          {
            object: noun,
          },
        );
  });
}

function isBefore11({ releases }: Inputs): boolean {
  return (
    releases.length > 0 &&
    releases.every(({ version }) => /^v?(0\.\d+|1\.0)\.\d+$/.test(textOf(version) ?? ''))
  );
}

function committed({ inputs }: CheckContext): readonly Judgement[] {
  const { git, releases } = inputs;
  if (git === undefined) return [];
  return each(releases, ({ origin, source, at }) => {
    if (!('file' in at)) return undefined;
    const isChanged = git.uncommitted.has(at.file);
    if (!isChanged && !git.committed.has(at.file)) return undefined;
    const { unpushed } = git;
    const evidence: Evidence[] = [
      { source, what: at.file, note: isChanged ? 'not committed' : 'committed', at },
      ...(unpushed === undefined || unpushed === 0
        ? []
        : [{ source, what: 'commits that are not pushed', value: String(unpushed), at }]),
    ];
    if (isChanged) return warn('It has changes that are not committed.', evidence, { object: origin });
    return evidence.length > 1
      ? warn('Commits are not pushed.', evidence, { object: origin })
      : pass('It is committed.', evidence, { object: origin });
  });
}

function karpenterApplications({ applications, releases }: Inputs): readonly Application[] {
  const installing = new Set(releases.map(({ origin }) => origin));
  return applications.filter(
    ({ name }) =>
      /karpenter/i.test(name) ||
      installing.has(`Application/${name}`) ||
      installing.has(`ApplicationSet/${name}`),
  );
}

function applicationDoubts({ name, sources, tree, at }: Application): Judgement {
  const object = `Application/${name}`;
  const read = { tree, source: 'values' } as const;
  const spec =
    textOf(find(tree, 'kind')) === 'ApplicationSet'
      ? (['spec', 'template', 'spec'] as const)
      : (['spec'] as const);
  const own: Evidence = {
    source: 'values',
    what: `${object} source`,
    value: sources.map(({ repoURL }) => repoURL ?? 'none').join(', '),
    at,
  };
  const destination = ['server', 'name'].map((field) => seen(read, ...spec, 'destination', field));
  const waiting = sources
    .flatMap(({ repoURL, path }) => [repoURL, path])
    .find((text) => placeholderIn(text ?? '') !== undefined || /your-org/.test(text ?? ''));
  if (waiting !== undefined) return fail(`${waiting} is a placeholder.`, [own], { object });
  if (
    sources.length === 0 ||
    sources.some(
      ({ repoURL, path, chart }) =>
        repoURL === undefined || (path === undefined && chart === undefined && sources.length === 1),
    )
  )
    return fail('A source has no repository, or neither chart nor path.', [own], { object });
  if (destination.every(({ note }) => note === 'absent'))
    return fail('The destination names no cluster.', destination, { object });
  const automated = seen(read, ...spec, 'syncPolicy', 'automated');
  if (automated.note === 'absent') return warn('Nothing syncs it by itself.', [own, automated], { object });
  const namespace = seen(read, ...spec, 'destination', 'namespace');
  const options = itemsAt(tree, ...spec, 'syncPolicy', 'syncOptions').map(textOf);
  return namespace.value === undefined ||
    namespace.value === 'kube-system' ||
    options.includes('CreateNamespace=true')
    ? pass('It is complete.', [own, ...destination, automated], { object })
    : warn(
        `The namespace ${namespace.value} may not exist: CreateNamespace=true is not among the sync options.`,
        [own, namespace],
        { object },
      );
}

function delivered({ inputs }: CheckContext): readonly Judgement[] {
  const folders = inputs.applications.flatMap(({ sources }) => sources.flatMap(({ path }) => path ?? []));
  const own = [...nodeClasses(inputs), ...nodePools(inputs)].filter(
    ({ at, source }) => source === 'manifest' && 'file' in at,
  );
  const missing: Manifest[] = [];
  const judgements: Judgement[] = [];
  for (const copies of Map.groupBy(own, objectOf).values()) {
    const delivered = copies.filter((each) => isIn(folders, each));
    const others = copies.filter((each) => !isIn(folders, each));
    // Copies of several environments may differ.
    if (delivered.length === 0) missing.push(copies[0]!);
    else if (delivered.length === 1) judgements.push(compared(delivered[0]!, others));
    else judgements.push(...delivered.slice(0, 1).map((each) => compared(each, [])));
  }
  if (missing.length === 0) return judgements;
  const evidence = missing.map((each) => seen(each, 'metadata', 'name'));
  return [...judgements, warn(`No Application delivers ${missing.map(objectOf).join(', ')}.`, evidence)];
}

function compared(there: Manifest, others: readonly Manifest[]): Judgement {
  const differing = others.find((other) => sorted(toValue(other.tree)) !== sorted(toValue(there.tree)));
  const object = objectOf(there);
  const evidence = [there, ...others].map((each) => seen(each, 'metadata', 'name'));
  return differing === undefined
    ? pass('An Application delivers it.', evidence, { object })
    : fail('The copy that is delivered differs from the other one.', evidence, { object });
}

/** As text, whatever the order of keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => compareTexts(a, b)))
      : each,
  );
}

/**
 * The path of an Application begins at the root of its repository, which may be below the folder that is checked. What kustomize
 * makes is delivered where its overlay is.
 */
function isIn(folders: readonly string[], { at, overlay }: Manifest): boolean {
  const file = overlay === undefined ? ('file' in at ? `/${at.file}` : '') : `/${overlay}/`;
  return folders.some((folder) => {
    const path = folder.replace(/^\.?\/|\/$/g, '');
    return path === '.' || path === '' || file.includes(`/${path}/`);
  });
}
