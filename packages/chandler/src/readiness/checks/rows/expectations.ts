/** Checks against what the owners of a cluster expect (`--config FILE`): labels, families and disks of pools and classes. */
import { isQuantity, parseQuantity } from '@chandler/kube';
import { AWS_LABEL_RULES, isRestrictedLabel } from '../../../api/index.ts';
import type { Manifest } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { entriesAt, find, itemsAt, type Path, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodeClasses,
  nodePools,
  objectOf,
  pass,
  requiredValues,
  seen,
  warn,
} from '../judgements.ts';
import { familyOf, ROOT_DEVICES } from '../node-class-family.ts';

const LABELS = ['spec', 'template', 'metadata', 'labels'] as const;

export const EXPECTATION_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-31',
    title: 'Nodes get the labels that are expected, and none that is restricted',
    inputs: ['nodePools'],
    criterion:
      'Fails if a NodePool sets a label of a restricted domain, or one that differs from nodePools.NAME.labels of the expectations.',
    severity: 'medium',
    phase: 4,
    fix: 'Correct spec.template.metadata.labels.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) =>
      each(nodePools(inputs), (pool) => {
        const labels = entriesAt(pool.tree, ...LABELS);
        const expected = entriesAt(inputs.expectations, 'nodePools', pool.name, 'labels');
        if (labels.length === 0 && expected.length === 0) return undefined;
        const evidence = labels.map(([key]) => seen(pool, ...LABELS, key));
        const object = objectOf(pool);
        const restricted = labels.find(([key]) => isRestrictedLabel(key, AWS_LABEL_RULES));
        if (restricted !== undefined)
          return fail(`The label ${restricted[0]} may not be set.`, evidence, { object });
        const wrong = expected.find(([key, value]) => textAt(pool.tree, ...LABELS, key) !== textOf(value));
        return wrong === undefined
          ? pass(`It sets ${labels.map(([key]) => key).join(', ')}.`, evidence, { object })
          : fail(
              `The label ${wrong[0]} should be ${textOf(wrong[1])}.`,
              [...evidence, seen(pool, ...LABELS, wrong[0])],
              { object },
            );
      }),
  },
  {
    id: 'S-68',
    title: 'NodePools launch the instance categories that are expected',
    inputs: ['nodePools', 'expectations'],
    criterion:
      'Fails if the requirement karpenter.k8s.aws/instance-category is another than nodePools.NAME.categories; warns if nodePools.NAME.minFamilies are not met.',
    severity: 'medium',
    phase: 4,
    fix: 'Correct the requirements of the NodePool, or the expectation.',
    docs: DOCS.nodePools,
    judge: (context) => each(nodePools(context.inputs), (pool) => categories(pool, context)),
  },
  {
    id: 'S-69',
    title: 'EC2NodeClasses are as expected',
    inputs: ['nodeClasses', 'expectations'],
    criterion:
      'Fails if a class differs from nodeClasses.NAME: rootVolume, userData and kubelet (whether they are set), httpTokens.',
    severity: 'medium',
    phase: 4,
    fix: 'Correct the EC2NodeClass, or the expectation.',
    docs: DOCS.nodeClasses,
    judge: ({ inputs }) =>
      each(nodeClasses(inputs), (own) => {
        const expected = find(inputs.expectations, 'nodeClasses', own.name);
        return expected === undefined ? undefined : asExpected(own, expected);
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function categories(pool: Manifest, { inputs }: CheckContext): Judgement | undefined {
  const expected = find(inputs.expectations, 'nodePools', pool.name);
  const wanted = itemsAt(expected, 'categories').flatMap((item) => textOf(item) ?? []);
  const minFamilies = Number(textAt(expected, 'minFamilies') ?? '0');
  if (wanted.length === 0 && minFamilies === 0) return undefined;
  const own = requiredValues(pool, 'karpenter.k8s.aws/instance-category');
  const families = requiredValues(pool, 'karpenter.k8s.aws/instance-family');
  const object = objectOf(pool);
  const evidence = [
    seen(pool, 'spec', 'template', 'spec', 'requirements'),
    ...(expected === undefined ? [] : [expectation(expected)]),
  ];
  const same =
    wanted.length === 0 || (own !== undefined && own.toSorted().join() === wanted.toSorted().join());
  if (!same)
    return fail(
      `It launches the categories ${own?.join(', ') ?? 'any'} instead of ${wanted.join(', ')}.`,
      evidence,
      { object },
    );
  const few = families !== undefined && families.length < minFamilies;
  return few
    ? warn(`It allows ${families.length} families instead of ${minFamilies}.`, evidence, { object })
    : pass('It launches what is expected.', evidence, { object });
}

interface Property {
  readonly name: string;
  path(own: Manifest): Path;
  /** Its value is not shown. */
  readonly secret?: true;
  /** What the class has, in the words of the expectation. */
  actual(own: Manifest): string;
}

/** Of the mapping that is marked as the root volume, else that of the root device of the family, else the first. */
function rootSize(own: Manifest): Path {
  const mappings = itemsAt(own.tree, 'spec', 'blockDeviceMappings');
  const [device] = ROOT_DEVICES[familyOf(own) ?? ''] ?? [];
  const marked = mappings.findIndex((each) => textAt(each, 'rootVolume') === 'true');
  const named = mappings.findIndex((each) => textAt(each, 'deviceName') === device);
  return ['spec', 'blockDeviceMappings', [marked, named].find((each) => each >= 0) ?? 0, 'ebs', 'volumeSize'];
}

/** `100Gi` is `102400Mi`. */
function isSame(one: string | undefined, other: string): boolean {
  if (one === other) return true;
  return isQuantity(one) && isQuantity(other) && parseQuantity(one!).equals(parseQuantity(other));
}

const PROPERTIES: readonly Property[] = [
  {
    name: 'rootVolume',
    path: rootSize,
    actual: (own) => textAt(own.tree, ...rootSize(own)) ?? 'the default',
  },
  {
    name: 'userData',
    path: () => ['spec', 'userData'],
    secret: true,
    actual: ({ tree }) => String(find(tree, 'spec', 'userData') !== undefined),
  },
  {
    name: 'kubelet',
    path: () => ['spec', 'kubelet'],
    actual: ({ tree }) => String(find(tree, 'spec', 'kubelet') !== undefined),
  },
  {
    name: 'httpTokens',
    path: () => ['spec', 'metadataOptions', 'httpTokens'],
    actual: ({ tree }) => textAt(tree, 'spec', 'metadataOptions', 'httpTokens') ?? 'required',
  },
];

function asExpected(own: Manifest, expected: Tree): Judgement {
  const object = objectOf(own);
  const named = PROPERTIES.filter(({ name }) => find(expected, name) !== undefined);
  const wrong = named.find(({ name, actual }) => !isSame(textAt(expected, name), actual(own)));
  const evidence = [
    ...named.map(({ path, secret }) => (secret === true ? hidden(own, path(own)) : seen(own, ...path(own)))),
    expectation(expected),
  ];
  return wrong === undefined
    ? pass('It is as expected.', evidence, { object })
    : fail(`${wrong.name} is ${wrong.actual(own)} instead of ${textAt(expected, wrong.name)}.`, evidence, {
        object,
      });
}

/** That there is a value, and how long it is. */
function hidden(own: Manifest, path: Path): Evidence {
  const { value, ...rest } = seen(own, ...path);
  return value === undefined ? rest : { ...rest, note: `${value.length} characters` };
}

function expectation({ at }: Tree): Evidence {
  return { source: 'manifest', what: 'expectation', at };
}
