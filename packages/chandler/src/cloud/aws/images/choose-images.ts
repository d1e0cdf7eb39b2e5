/**
 * What the answers of DescribeImages mean: which images a node class uses, for which nodes, newest first; and which of them
 * an instance type gets.
 */
import { type EC2NodeClassStatus, KubernetesLabel } from '../../../api/index.ts';
import { allowsValue, type ValueRequirement, valuesOf } from '../../../bootstrap/index.ts';
import type { ImageRequirement } from './image-families.table.ts';
import type { ImageQuery } from './image-queries.ts';

/** What is read of an image of EC2's API. */
export interface Ec2Image {
  readonly ImageId?: string | undefined;
  readonly Name?: string | undefined;
  /** RFC 3339. */
  readonly CreationDate?: string | undefined;
  /** RFC 3339; absent for images that are not to be deprecated. */
  readonly DeprecationTime?: string | undefined;
  /** `x86_64`, `arm64`, `i386`, … */
  readonly Architecture?: string | undefined;
}

export interface ChosenImage {
  readonly id: string;
  readonly name: string;
  readonly deprecated: boolean;
  /** 0 when unknown. */
  readonly createdMs: number;
  readonly requirements: readonly ImageRequirement[];
}

export interface AnsweredQuery {
  readonly query: ImageQuery;
  /** Of all pages. */
  readonly images: readonly Ec2Image[];
}

/**
 * One image for each kind of node: one that is not deprecated if there is one, then the newest, then the larger name. The
 * order of the answers does not matter.
 */
export function chooseImages(answers: readonly AnsweredQuery[], nowMs: number): readonly ChosenImage[] {
  const best = new Map<string, ChosenImage>();
  for (const { query, images } of answers) {
    for (const image of images) {
      for (const candidate of candidates(image, query, nowMs)) {
        const key = requirementsKey(candidate.requirements);
        const held = best.get(key);
        if (held === undefined || preference(candidate, held) < 0) best.set(key, candidate);
      }
    }
  }
  return [...best.values()].sort(byAge);
}

/** Whether a node can have it, in EC2's name. */
export function supportsArchitecture(architecture: string | undefined): boolean {
  return ARCHITECTURES.has(architecture ?? '');
}

/** As `status.amis` lists them: requirements in Karpenter's order, so that a cluster changes hands without a write. */
export function imagesStatus(images: readonly ChosenImage[]): NonNullable<EC2NodeClassStatus['amis']> {
  return images.map(({ id, name, deprecated, requirements }) => ({
    id,
    ...(name === '' ? {} : { name }),
    ...(deprecated ? { deprecated } : {}),
    requirements: requirements.toSorted(byKeyLength).map(({ key, operator, values }) => ({
      key,
      operator,
      ...(values === undefined ? {} : { values: [...values] }),
    })),
  }));
}

/** The first image of the status that fits the type; nothing when none does. */
export function imageForType<I extends { readonly requirements: readonly ValueRequirement[] }>(
  images: readonly I[],
  type: { readonly requirements: readonly ValueRequirement[] },
): I | undefined {
  return images.find(({ requirements }) => requirements.every((each) => fits(each, type.requirements)));
}

/** The types of each image, in the order of the images. A type that none fits is in no list. */
export function typesByImage<
  I extends { readonly requirements: readonly ValueRequirement[] },
  T extends { readonly requirements: readonly ValueRequirement[] },
>(images: readonly I[], types: readonly T[]): ReadonlyMap<I, readonly T[]> {
  const found = new Map<I, T[]>();
  for (const type of types) {
    const image = imageForType(images, type);
    if (image === undefined) continue;
    const list = found.get(image) ?? [];
    list.push(type);
    found.set(image, list);
  }
  return new Map(images.flatMap((image) => (found.has(image) ? [[image, found.get(image)!]] : [])));
}

// ---------------------------------------------------------------------------------------------------

const ARCHITECTURES: ReadonlyMap<string, string> = new Map([
  ['x86_64', 'amd64'],
  ['arm64', 'arm64'],
]);

/** One for each kind of node that the image is for; none for an architecture that no node has. */
function candidates(image: Ec2Image, query: ImageQuery, nowMs: number): readonly ChosenImage[] {
  const architecture = ARCHITECTURES.get(image.Architecture ?? '');
  const id = image.ImageId ?? '';
  if (architecture === undefined || id === '') return [];
  const onArchitecture: ImageRequirement = {
    key: KubernetesLabel.arch,
    operator: 'In',
    values: [architecture],
  };
  const deprecation = timeOf(image.DeprecationTime);
  return (query.known.get(id) ?? [[]]).map((requirements) => ({
    id,
    name: image.Name ?? '',
    deprecated: deprecation !== undefined && deprecation <= nowMs,
    createdMs: timeOf(image.CreationDate) ?? 0,
    requirements: [...requirements, onArchitecture],
  }));
}

function byKeyLength({ key: a }: ImageRequirement, { key: b }: ImageRequirement): number {
  return a.length - b.length || compare(a, b);
}

function timeOf(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Negative when the first is to be taken. */
function preference(a: ChosenImage, b: ChosenImage): number {
  if (a.deprecated !== b.deprecated) return a.deprecated ? 1 : -1;
  return b.createdMs - a.createdMs || compare(b.name, a.name) || compare(a.id, b.id);
}

function byAge(a: ChosenImage, b: ChosenImage): number {
  const age = b.createdMs - a.createdMs || compare(a.id, b.id);
  return age || compare(requirementsKey(a.requirements), requirementsKey(b.requirements));
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function requirementsKey(requirements: readonly ImageRequirement[]): string {
  return requirements
    .map(({ key, operator, values }) => `${key} ${operator} ${[...(values ?? [])].sort().join(',')}`)
    .sort()
    .join(';');
}

/** Whether a node of the type can meet what the image asks of one label. */
function fits(wanted: ValueRequirement, type: readonly ValueRequirement[]): boolean {
  const own = type.filter(({ key }) => key === wanted.key);
  const offered = valuesOf(own, wanted.key);
  if (wanted.operator === 'DoesNotExist') return own.length === 0 || offered?.length === 0;
  if (own.length === 0) return wanted.operator === 'NotIn';
  // The type leaves the value open, with `Exists` or a bound.
  if (offered === undefined) {
    const values = valuesOf([wanted], wanted.key);
    return values === undefined || values.some((value) => allowsValue(own, wanted.key, value));
  }
  return offered.some((value) => allowsValue([wanted], wanted.key, value));
}
