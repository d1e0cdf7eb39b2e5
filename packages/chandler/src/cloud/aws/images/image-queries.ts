/**
 * What to ask AWS for the images of a node class: first SSM parameters, then DescribeImages. The wire asks; what the answers
 * mean is in `choose-images.ts`.
 */
import type { AMISelectorTerm, EC2NodeClassSpec } from '../../../api/index.ts';
import { classAlias, type ImageProblem, LATEST, majorMinor, unsupportedAlias } from './alias.ts';
import { IMAGE_FAMILIES, type ImageRequirement } from './image-families.table.ts';

/** An SSM parameter whose value is the id of an image. */
export interface ImageParameter {
  readonly Name: string;
  /** The value of the same name changes when AWS publishes a new image. */
  readonly mutable: boolean;
  /** How long its value may be kept. */
  readonly ttlMs: number;
  /** The field that asks for it. */
  readonly path: string;
  /** What is known of the image besides its architecture: one list for each kind of node. None for a user's own. */
  readonly requirements: readonly (readonly ImageRequirement[])[];
}

/** Of AWS' own parameters; a mutable one is dropped earlier, when its image is deprecated. */
export const PARAMETER_TTL_MS = 24 * 3_600_000;
/** Of parameters that a class names. */
export const OWN_PARAMETER_TTL_MS = 5 * 60_000;

/** @returns none for classes that select images by id, name or tags alone. */
export function imageParameters(
  spec: EC2NodeClassSpec,
  kubernetesVersion: string,
): { readonly parameters: readonly ImageParameter[] } | { readonly problem: ImageProblem } {
  const found = classAlias(spec);
  if (found === undefined) return { parameters: ownParameters(spec.amiSelectorTerms) };
  if ('problem' in found) return found;
  const { alias, path } = found;
  const unsupported = unsupportedAlias(alias, kubernetesVersion);
  if (unsupported !== undefined) {
    return { problem: { reason: 'UnsupportedAlias', path, message: unsupported } };
  }
  const parameters = IMAGE_FAMILIES[alias.family].images.map((image) => ({
    Name: image.parameter(majorMinor(kubernetesVersion), alias.version),
    mutable: alias.version === LATEST,
    ttlMs: PARAMETER_TTL_MS,
    path,
    requirements: image.requirements,
  }));
  return { parameters };
}

/** As `ec2:DescribeImages` takes it. */
export interface DescribeImagesInput {
  readonly Filters: { readonly Name: string; readonly Values: string[] }[];
  readonly Owners?: string[];
  readonly IncludeDeprecated: boolean;
  readonly MaxResults: number;
}

export interface ImageQuery {
  readonly input: DescribeImagesInput;
  /** By image id. */
  readonly known: ReadonlyMap<string, readonly (readonly ImageRequirement[])[]>;
}

/** A parameter that leads to no image. Some of an alias are expected to: not every region has every variant. */
export interface SkippedParameter {
  readonly parameter: ImageParameter;
  readonly message: string;
}

/**
 * @param values by name of the parameter; a parameter that does not exist has none.
 * @returns a problem when an alias leads to no image at all.
 */
export function imageQueries(
  spec: EC2NodeClassSpec,
  parameters: readonly ImageParameter[],
  values: ReadonlyMap<string, string>,
):
  | { readonly queries: readonly ImageQuery[]; readonly skipped: readonly SkippedParameter[] }
  | { readonly problem: ImageProblem; readonly skipped: readonly SkippedParameter[] } {
  const known = new Map<string, (readonly ImageRequirement[])[]>();
  const ids = spec.amiSelectorTerms.flatMap(({ id }) => (id === undefined || id === '' ? [] : [id]));
  const skipped: SkippedParameter[] = [];
  for (const parameter of parameters) {
    const value = values.get(parameter.Name);
    if (value === undefined || !value.startsWith('ami-')) {
      skipped.push({ parameter, message: skippedText(parameter, value) });
      continue;
    }
    ids.push(value);
    if (parameter.requirements.length > 0) {
      known.set(value, [...(known.get(value) ?? []), ...parameter.requirements]);
    }
  }
  const queries = spec.amiSelectorTerms.flatMap(termQuery);
  if (ids.length > 0)
    queries.push({ input: describe([filter('image-id', [...new Set(ids)].sort())]), known });
  const alias = spec.amiSelectorTerms.find((term) => hasText(term.alias))?.alias;
  if (queries.length > 0 || alias === undefined) return { queries, skipped };
  return {
    skipped,
    problem: {
      reason: 'AMINotFound',
      path: parameters[0]?.path ?? 'spec.amiSelectorTerms',
      message: `AWS publishes no image for ${alias} here: none of ${parameters.map(({ Name }) => Name).join(', ')} exists`,
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const PAGE = 1000;

function ownParameters(terms: readonly AMISelectorTerm[]): readonly ImageParameter[] {
  return terms.flatMap((term, index) =>
    hasText(term.id) || !hasText(term.ssmParameter)
      ? []
      : [
          {
            Name: term.ssmParameter!,
            mutable: true,
            ttlMs: OWN_PARAMETER_TTL_MS,
            path: `spec.amiSelectorTerms[${index}].ssmParameter`,
            requirements: [],
          },
        ],
  );
}

/** A term with an id, an alias or a parameter is answered by these alone; its other fields have no effect. */
function termQuery(term: AMISelectorTerm): ImageQuery[] {
  if (hasText(term.id) || hasText(term.alias) || hasText(term.ssmParameter)) return [];
  const named = hasText(term.name) ? [filter('name', [term.name!])] : [];
  const tagged = Object.entries(term.tags ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (value === '*' ? filter('tag-key', [key]) : filter(`tag:${key}`, [value])));
  // Anyone can publish an image under any name: without an owner, only one's own and Amazon's count.
  const owners = hasText(term.owner) ? [term.owner!] : named.length > 0 ? ['self', 'amazon'] : undefined;
  return [{ input: describe([...named, ...tagged], owners), known: new Map() }];
}

function describe(filters: DescribeImagesInput['Filters'], owners?: string[]): DescribeImagesInput {
  return {
    Filters: [...filters, filter('state', ['available'])],
    ...(owners === undefined ? {} : { Owners: owners }),
    IncludeDeprecated: true,
    MaxResults: PAGE,
  };
}

function filter(Name: string, Values: string[]): { Name: string; Values: string[] } {
  return { Name, Values };
}

function hasText(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

function skippedText({ Name, path }: ImageParameter, value: string | undefined): string {
  return value === undefined
    ? `${path}: the SSM parameter ${Name} does not exist`
    : `${path}: the value of the SSM parameter ${Name} is not the id of an image`;
}
