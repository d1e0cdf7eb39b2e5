/** Facts of all inputs. A new source of facts is a function more in `gatherFacts`. */
import type { HelmRelease, Inputs, Manifest } from '../inputs/inputs.ts';
import { placeText } from '../model/place.ts';
import { entriesAt, find, itemsAt, textOf } from '../model/tree.ts';
import { hostOf, parseArn, regionOfHost, roleName } from './arn.ts';
import { type FactName, type Facts, type FactValue, factsOf, knownValues } from './facts.ts';
import { type Found, factOf, terraformFacts } from './terraform-facts.ts';

export const DISCOVERY_TAG = 'karpenter.sh/discovery';
export const ROLE_ANNOTATION = 'eks.amazonaws.com/role-arn';

export function gatherFacts(inputs: Inputs): Facts {
  const direct = [
    ...terraformFacts(inputs),
    ...inputs.releases.flatMap(releaseFacts).map(of('values')),
    ...inputs.manifests.flatMap(manifestFacts).map(of('manifest')),
  ];
  const found = new Map<FactName, FactValue[]>();
  const seen = new Set<string>();
  for (const [name, value] of [...direct, ...direct.flatMap(derived)]) {
    // A map that several classes share by an anchor is read once.
    const key = [name, value.source, value.what, value.value, placeText(value.at)].join('\0');
    if (seen.has(key)) continue;
    seen.add(key);
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
  }
  return factsOf(found);
}

/** The known values of a fact: one, where all sources agree. */
export function valuesOfFact(inputs: Inputs, name: FactName): readonly string[] {
  return knownValues(gatherFacts(inputs).all(name));
}

// ---------------------------------------------------------------------------------------------------------------

function of(side: NonNullable<FactValue['side']>): (found: Found) => Found {
  return ([name, fact]) => [name, { ...fact, side }];
}

const VALUE_FACTS: readonly (readonly [FactName, ...string[]])[] = [
  ['clusterName', 'settings', 'clusterName'],
  ['endpoint', 'settings', 'clusterEndpoint'],
  ['queueName', 'settings', 'interruptionQueue'],
  ['serviceAccount', 'serviceAccount', 'name'],
  ['controllerRoleArn', 'serviceAccount', 'annotations', ROLE_ANNOTATION],
];

function releaseFacts({ values, source, namespace, origin }: HelmRelease): readonly Found[] {
  const found = VALUE_FACTS.flatMap(([fact, ...path]): readonly Found[] => {
    const value = find(values, ...path);
    return value === undefined || textOf(value) === ''
      ? []
      : [[fact, factOf(value, source, path.join('.'), value.at)]];
  });
  if (namespace === undefined) return found;
  return [...found, ['namespace', factOf(namespace, source, `namespace of ${origin}`, namespace.at)]];
}

function manifestFacts({ kind, name, tree, source }: Manifest): readonly Found[] {
  if (kind !== 'EC2NodeClass') return [];
  const own = (path: string) => `EC2NodeClass/${name} spec.${path}`;
  const single = (['instanceProfile', 'role'] as const).flatMap((field): readonly Found[] => {
    const value = find(tree, 'spec', field);
    const fact = field === 'role' ? 'nodeRole' : 'instanceProfile';
    return value === undefined ? [] : [[fact, factOf(value, source, own(field), value.at)]];
  });
  const tags = ['subnetSelectorTerms', 'securityGroupSelectorTerms'].flatMap((list) =>
    itemsAt(tree, 'spec', list).flatMap((term, index) =>
      entriesAt(term, 'tags')
        .filter(([key]) => key === DISCOVERY_TAG)
        .map(
          ([key, value]): Found => [
            'discoveryTag',
            factOf(value, source, own(`${list}[${index}].tags["${key}"]`), value.at),
          ],
        ),
    ),
  );
  const keys = itemsAt(tree, 'spec', 'blockDeviceMappings').flatMap((mapping, index): readonly Found[] => {
    const value = find(mapping, 'ebs', 'kmsKeyID');
    const what = own(`blockDeviceMappings[${index}].ebs.kmsKeyID`);
    return value === undefined ? [] : [['kmsKeyArn', factOf(value, source, what, value.at)]];
  });
  return [...single, ...tags, ...keys];
}

/** What an ARN or an address says besides: region, account, and the name of a role. */
function derived([name, fact]: Found): readonly Found[] {
  if (fact.value === undefined) return [];
  const arn = parseArn(fact.value);
  const found: Found[] = [];
  const add = (other: FactName, value: string | undefined) => {
    if (value !== undefined && value !== '') found.push([other, { ...fact, value }]);
  };
  if (arn !== undefined) {
    add('accountId', arn.account);
    add('region', arn.region);
    if (name === 'controllerRoleArn') add('controllerRoleName', roleName(fact.value));
  }
  if (name === 'endpoint') add('region', regionOfHost(hostOf(fact.value) ?? ''));
  return found;
}
