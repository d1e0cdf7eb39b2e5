/** The SSM parameters of aliases on both sides: their names, whether they change, and for which nodes their images are. */
import type { EC2NodeClassSpec } from '../../../packages/chandler/src/api/index.ts';
import { imageParameters, parseAlias } from '../../../packages/chandler/src/cloud/aws/index.ts';

export interface ImagesRequest {
  readonly name: string;
  readonly images: { readonly family: string; readonly version: string; readonly kubernetesVersion: string };
}

/** As the Go program answers it. */
export interface UpstreamParameter {
  readonly name: string;
  readonly mutable: boolean;
  readonly requirements: readonly (readonly UpstreamRequirement[])[] | null;
}

interface UpstreamRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | null;
}

const ALIASES: readonly (readonly [string, string])[] = [
  ['al2@latest', '1.32'],
  ['al2@v20240807', '1.30'],
  ['al2023@latest', '1.33'],
  ['al2023@v20260801', '1.36'],
  ['bottlerocket@latest', '1.33'],
  ['bottlerocket@v1.46.0', '1.34'],
  ['bottlerocket@1.46.0', '1.34'],
  ['windows2019@latest', '1.33'],
  ['windows2022@latest', '1.33'],
  ['windows2025@latest', '1.35'],
];

export const IMAGE_REQUESTS: readonly ImagesRequest[] = ALIASES.map(([text, kubernetesVersion]) => {
  const parsed = parseAlias(text);
  if (!('alias' in parsed)) throw new Error(parsed.message);
  return { name: text, images: { ...parsed.alias, kubernetesVersion } };
});

/** Lines that one side has and the other has not; none when they are the same. */
export function imageDifferences(
  asked: ImagesRequest,
  answered: readonly UpstreamParameter[],
): readonly string[] {
  const spec = { amiSelectorTerms: [{ alias: asked.name }] } as unknown as EC2NodeClassSpec;
  const found = imageParameters(spec, asked.images.kubernetesVersion);
  if ('problem' in found) return [`ours: ${found.problem.message}`];
  const ours = new Set(found.parameters.map((each) => line(each.Name, each.mutable, each.requirements)));
  const theirs = new Set(answered.map((each) => line(each.name, each.mutable, each.requirements ?? [])));
  return [
    ...[...theirs].filter((each) => !ours.has(each)).map((each) => `upstream only: ${each}`),
    ...[...ours].filter((each) => !theirs.has(each)).map((each) => `ours only: ${each}`),
  ];
}

// ---------------------------------------------------------------------------------------------------

function line(
  name: string,
  mutable: boolean,
  requirements: readonly (readonly UpstreamRequirement[])[],
): string {
  const nodes = requirements.map((list) =>
    list
      .map(({ key, operator, values }) => `${key} ${operator} ${[...(values ?? [])].sort().join(',')}`)
      .sort()
      .join(' and '),
  );
  return `${name}${mutable ? ' (changes)' : ''} for ${nodes.sort().join(' or ')}`;
}
