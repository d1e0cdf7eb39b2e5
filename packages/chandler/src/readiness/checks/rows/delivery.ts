/** Checks of how manifests get into the cluster: Argo CD Applications, and versions of APIs. */
import { placeholderIn } from '../../facts/placeholder.ts';
import type { Application, Inputs, Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { find, itemsAt, textOf, toValue } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, nodeClasses, nodePools, objectOf, pass, seen, warn } from '../judgements.ts';

export const DELIVERY_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-20',
    title: 'The namespace of the controller is the same everywhere',
    inputs: ['values', ['terraform', 'plan', 'state']],
    criterion:
      'Passes if the release is installed into the namespace that Terraform gives the role to, fails if it is another.',
    severity: 'critical',
    phase: 3,
    fix: 'Install the release into the namespace of the trust policy or of the Pod Identity association.',
    docs: DOCS.serviceAccountRoles,
    judge: ({ facts }) => {
      const trusted = facts.from('namespace', 'state', 'plan', 'terraform');
      const known = trusted.flatMap(({ value }) => value ?? []);
      if (known.length === 0) return [];
      const evidence = trusted.map(
        ({ source, what, value, at }): Evidence => ({
          source,
          what,
          at,
          ...(value === undefined ? {} : { value }),
        }),
      );
      return each(facts.from('namespace', 'values'), ({ source, what, value, at }) => {
        if (value === undefined) return undefined;
        const own: Evidence = { source, what, value, at };
        return known.includes(value)
          ? pass(`It is ${value}.`, [own, ...evidence])
          : fail(`The role is for the namespace ${known.join(', ')}, and the release is in ${value}.`, [
              own,
              ...evidence,
            ]);
      });
    },
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
      'Fails if a manifest is a Provisioner, an AWSNodeTemplate or a Machine, or of karpenter.sh/v1beta1 or karpenter.k8s.aws/v1beta1.',
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
        : each(old, (manifest) =>
            fail(`${manifest.apiVersion} was removed.`, [seen(manifest, 'apiVersion')], {
              object: objectOf(manifest),
            }),
          );
    },
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Kinds that have no v1 yet. */
const ALPHA_KINDS: ReadonlySet<string> = new Set(['NodeOverlay', 'CapacityBuffer']);

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
    const [there, ...others] = [
      ...copies.filter((each) => isIn(folders, each)),
      ...copies.filter((each) => !isIn(folders, each)),
    ];
    if (there === undefined || !isIn(folders, there)) missing.push(copies[0]!);
    else judgements.push(compared(there, others));
  }
  if (missing.length === 0) return judgements;
  const evidence = missing.map((each) => seen(each, 'metadata', 'name'));
  return [...judgements, warn(`No Application delivers ${missing.map(objectOf).join(', ')}.`, evidence)];
}

function compared(there: Manifest, others: readonly Manifest[]): Judgement {
  const text = ({ tree }: Manifest) => JSON.stringify(toValue(tree));
  const differing = others.find((other) => text(other) !== text(there));
  const object = objectOf(there);
  const evidence = [there, ...others].map((each) => seen(each, 'metadata', 'name'));
  return differing === undefined
    ? pass('An Application delivers it.', evidence, { object })
    : fail('The copy that is delivered differs from the other one.', evidence, { object });
}

/** The path of an Application begins at the root of its repository, which may be below the folder that is checked. */
function isIn(folders: readonly string[], { at }: Manifest): boolean {
  const file = 'file' in at ? `/${at.file}` : '';
  return folders.some((folder) => file.includes(`/${folder.replace(/^\.?\/|\/$/g, '')}/`));
}
